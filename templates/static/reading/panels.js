// The panels of cards and terms.
(function () {
  "use strict";
  const { element, linkToRuling, root, ui, words } = window.KB_PAGE;
  const MOST_VERSIONS = 8;
  const MOST_RULINGS = 5;
  const home = new URL(root + "/", location.href).href;
  const panel = element("span.panel", { role: "dialog", lang: ui, popover: "auto" });
  if (!panel.showPopover) return;

  // The data of a card is the same for all languages, and lies beside the English page.
  const fetched = new Map();
  async function load(below) {
    const answer = await fetch(`${home}${below}index.json`);
    return answer.ok ? answer.json() : null;
  }
  function cardOf({ href }) {
    const page = href.replace(/#.*/, "").replace(/index\.html$/, "");
    const below = page.slice(home.length).replace(new RegExp(`^${ui}/`), "");
    if (!fetched.has(below))
      fetched.set(
        below,
        load(below).catch(() => null),
      );
    return fetched.get(below);
  }
  const wholePage = (href, text) => element("a.whole", { href }, text);
  async function ofCard(link) {
    const card = await cardOf(link);
    if (!card) return null;
    const { name, cards, about, mentioned, titles } = card;
    const versions = cards
      .slice(0, MOST_VERSIONS)
      .map(({ label, sets, type, side }) =>
        element("li", [label, ...sets, type, side].filter(Boolean).join(" · ")),
      );
    if (cards.length > MOST_VERSIONS) versions.push(element("li", "…"));
    const keys = [...about, ...mentioned].slice(0, MOST_RULINGS);
    const rulings = keys.map((key) => element("li", linkToRuling(key, titles[key])));
    const content = [
      element("p.name", name),
      element("ul", versions),
      rulings.length && element("ul.known", rulings),
      wholePage(link.href, words.card),
    ];
    return { label: name, content: content.filter(Boolean) };
  }
  function ofTerm(link) {
    const { lang } = link.closest("[lang]");
    const meaning = element("span", { lang }, link.dataset.meaning);
    return { label: link.textContent, content: [meaning, wholePage(link.href, words.term)] };
  }

  for (const term of document.querySelectorAll("a.term[title]")) {
    term.dataset.meaning = term.title;
    term.removeAttribute("title");
  }
  KBPanel(panel, {
    linkAt: (node) =>
      node instanceof Element ? node.closest("a.card, a.term[data-meaning]") : null,
    fill: (link) => (link.matches(".card") ? ofCard(link) : ofTerm(link)),
    // The panel's own links come next for the keyboard.
    put: (link) => link.after(panel),
    delay: 350,
    opensByMouse: false,
  });
})();
