// The filter of a long list. That of the cards knows those without a page, too.
(function () {
  "use strict";
  const { $, element, fold, loadData, pageAt, ui } = window.KB_PAGE;
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
  // What is known of the other cards; loaded with the first letter that is typed.
  let known = null;
  const nothingKnown = { cards: {}, facts: [], words: {} };
  async function showOthers(wanted) {
    if (!others) return 0;
    known ??= loadData(others.dataset.facts).catch(() => nothingKnown);
    const { cards, facts, words } = await known;
    const found = wanted ? Object.keys(cards).filter((name) => fold(name).includes(wanted)) : [];
    if (wanted !== typed()) return 0;
    const { game } = others.dataset;
    const address = (card) => pageAt("go/index.html?" + new URLSearchParams({ game, card }));
    // As a row of the cards above.
    function row(card) {
      const [type, side] = Object.values(cards[card])[0].map((at) => facts[at]);
      const mark = element("span.mini", { data: { type, side } }, element("span.glyph"));
      const name = element("a.row", { href: address(card) }, card);
      const kind = element("span.also", words[type]?.[ui] ?? type);
      return element("li", mark, element("span", name, " ", kind));
    }
    const rest = found.length > MOST_OTHERS && element("li", "…");
    others.querySelector("ul").replaceChildren(
      ...[...found.slice(0, MOST_OTHERS).map(row), rest].filter(Boolean),
    );
    others.hidden = !found.length;
    return found.length;
  }

  const typed = () => fold(filter.value.trim());
  const parts = [...document.querySelectorAll("[data-part]")];
  const end = parts.at(-1)?.nextSibling;
  // A topic or term of that name comes before those that only speak of it.
  function sort(wanted) {
    const hasName = (part) =>
      [...part.querySelectorAll("h2, dt")].some((name) => fold(name.textContent).includes(wanted));
    for (const part of parts.filter(hasName)) part.parentNode.insertBefore(part, end);
    for (const part of parts) if (!hasName(part)) part.parentNode.insertBefore(part, end);
  }
  async function show() {
    const wanted = typed();
    rows.forEach((row, at) => (row.hidden = !contents[at].includes(wanted)));
    sort(wanted);
    for (const part of parts) {
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
