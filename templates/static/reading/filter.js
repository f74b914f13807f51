// The filter of a long list.
(function () {
  "use strict";
  const { $, fold } = window.KB_PAGE;
  const filter = $("list-filter");
  if (!filter) return;
  const wide = matchMedia("(min-width: 60rem)");
  const rows = [...document.querySelectorAll("[data-filtered] > *")];
  const contents = rows.map((row) => fold(row.textContent));
  filter.closest("p").hidden = false;
  filter.addEventListener("input", () => {
    const wanted = fold(filter.value.trim());
    rows.forEach((row, at) => (row.hidden = !contents[at].includes(wanted)));
    for (const part of document.querySelectorAll("[data-part]")) {
      part.hidden = !part.querySelector("[data-filtered] > :not([hidden])");
      part.open = wanted || wide.matches;
    }
  });
})();
