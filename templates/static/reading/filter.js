// The filter of a long list. That of the cards knows those without a page, too.
(function () {
  "use strict";
  const { $, element, fold, loadData, pageAt } = window.KB_PAGE;
  const filter = $("list-filter");
  if (!filter) return;
  const MOST_OTHERS = 60;
  const wide = matchMedia("(min-width: 60rem)");
  const [nothing, others] = ["no-row", "other-cards"].map($);
  const said = nothing.firstElementChild;
  const search = nothing.querySelector("a");
  const { href } = search;
  const rows = [...document.querySelectorAll("[data-filtered] > *")];
  // A term is found by its names and meaning, not by the rulings folded below it.
  const contents = rows.map((row) => {
    const own = row.cloneNode(true);
    for (const rulings of own.querySelectorAll("dd details")) rulings.remove();
    return fold(own.textContent);
  });
  // The names of the other cards; loaded with the first letter that is typed.
  let names = null;
  const loadNames = async () => Object.keys((await loadData(others.dataset.facts)).cards);
  async function showOthers(wanted) {
    if (!others) return 0;
    names ??= loadNames().catch(() => []);
    const found = wanted ? (await names).filter((name) => fold(name).includes(wanted)) : [];
    if (wanted !== typed()) return 0;
    const { game } = others.dataset;
    const address = (card) => pageAt("go/index.html?" + new URLSearchParams({ game, card }));
    const link = (name) => element("li", element("a.row", { href: address(name) }, name));
    const rest = found.length > MOST_OTHERS && element("li", "…");
    others.querySelector("ul").replaceChildren(
      ...[...found.slice(0, MOST_OTHERS).map(link), rest].filter(Boolean),
    );
    others.hidden = !found.length;
    return found.length;
  }

  const typed = () => fold(filter.value.trim());
  async function show() {
    const wanted = typed();
    rows.forEach((row, at) => (row.hidden = !contents[at].includes(wanted)));
    for (const part of document.querySelectorAll("[data-part]")) {
      const shown = part.querySelectorAll("[data-filtered] > :not([hidden])").length;
      part.querySelector("summary .count")?.replaceChildren(`${shown}`);
      part.hidden = !shown;
      const letter = part.querySelector(".letter");
      if (letter) document.querySelector(`[href="#${letter.id}"]`).closest("li").hidden = !shown;
      part.open = wanted || wide.matches;
    }
    const count = rows.filter((row) => !row.hidden).length + (await showOthers(wanted));
    if (wanted !== typed()) return;
    const text = filter.value.trim();
    said.textContent = nothing.dataset.text.replace("{words}", () => text);
    search.href = href + (href.includes("?") ? "&" : "?") + new URLSearchParams({ q: text });
    nothing.hidden = count > 0;
  }
  filter.closest("p").classList.remove("waits");
  filter.addEventListener("input", show);
  // The browser fills it in again on the way back, after this script has run.
  window.addEventListener("pageshow", () => filter.value && show());
})();
