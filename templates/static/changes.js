// What changed since the reader's last event, in one game or all.
(function () {
  "use strict";
  const { $, keep, kept } = window.KB_PAGE;
  const [since, game] = ["since", "of-game"].map($);
  function show() {
    const isWanted = ({ day, game: own }) => day >= since.value && [own, ""].includes(game.value);
    for (const part of document.querySelectorAll("[data-day]"))
      part.hidden = !isWanted(part.dataset);
    const shown = "[data-day]:not([hidden])";
    for (const part of document.querySelectorAll("[data-part]"))
      part.hidden = !part.querySelector(shown);
    keep("kb.since", since.value);
    $("no-change").hidden = document.querySelector(shown) || !document.querySelector("[data-day]");
  }
  since.value = kept("kb.since") || "";
  since.closest("p").hidden = false;
  game.addEventListener("change", show);
  since.addEventListener("change", show);
  $("no-change").querySelector("button").addEventListener("click", () => {
    since.value = game.value = "";
    show();
    since.focus();
  });
  show();
})();
