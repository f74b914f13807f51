// The menu in the header, which a press elsewhere and Escape close: the theme, and whether originals are
// shown; theme.js shows them at once.
(function () {
  "use strict";
  const { $, keep, kept } = window.KB_PAGE;
  const [menu, themes, originals] = ["settings", "themes", "originals"].map($);
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
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
