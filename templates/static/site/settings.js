// Menus, which a press elsewhere and Escape close. That in the header has the theme, and whether
// originals are shown; theme.js shows them at once.
(function () {
  "use strict";
  const { $, closeOnBack, keep, kept } = window.KB_PAGE;
  const [themes, originals] = ["themes", "originals"].map($);
  // The filters of a wide screen, whose summary is not shown, stay open.
  const openMenus = () =>
    [...document.querySelectorAll(":is(.menu, .dropdown)[open]")].filter(
      (menu) => menu.querySelector("summary").getClientRects().length,
    );
  document.addEventListener("pointerdown", ({ target }) => {
    for (const menu of openMenus()) if (!menu.contains(target)) menu.open = false;
  });
  for (const menu of document.querySelectorAll(".menu, .dropdown")) {
    let forget = null;
    menu.addEventListener("toggle", () => {
      forget?.();
      forget = openMenus().includes(menu) ? closeOnBack(() => (menu.open = false)) : null;
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    for (const menu of openMenus()) {
      menu.open = false;
      menu.querySelector("summary").focus();
      event.preventDefault();
    }
  });
  if (!themes) return;
  const shown = document.documentElement.dataset;
  themes.hidden = false;
  originals.checked = kept("kb.originals") === "on";
  originals.addEventListener("change", () => {
    shown.originals = originals.checked ? "on" : "";
    keep("kb.originals", shown.originals);
    originals.dispatchEvent(new CustomEvent("kb-originals", { bubbles: true }));
  });
  for (const choice of themes.querySelectorAll("[name=theme]")) {
    choice.checked = choice.value === (shown.theme || "");
    choice.addEventListener("change", () => {
      keep("kb.theme", choice.value);
      if (choice.value) shown.theme = choice.value;
      else delete shown.theme;
    });
  }
})();
