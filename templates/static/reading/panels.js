// The panels of cards and terms.
(function () {
  "use strict";
  const { button, element, linkToRuling, root, ui, words } = window.KB_PAGE;
  const MOST_RULINGS = 2;
  const home = new URL(root + "/", location.href).href;
  // A card is drawn below its picture, which goes if it cannot be loaded.
  const pictures = ":is(.face, .mini) > img";
  for (const picture of document.querySelectorAll(pictures))
    if (picture.complete && !picture.naturalWidth) picture.remove();
  const drop = ({ target }) => target.matches?.(pictures) && target.remove();
  document.addEventListener("error", drop, true);
  const panel = element("span.panel", { role: "dialog", lang: ui, popover: "auto" });
  if (!panel.showPopover) return;

  // The data of a card is the same for all languages, and lies beside the English page.
  const fetched = new Map();
  function cardOf({ href }) {
    const page = href.replace(/#.*/, "").replace(/index\.html$/, "");
    const below = page.slice(home.length).replace(new RegExp(`^${ui}/`), "");
    if (!fetched.has(below)) {
      const answer = fetch(`${home}${below}index.json`).then((found) => found.ok && found.json());
      fetched.set(below, answer.catch(() => null));
    }
    return fetched.get(below);
  }
  // Escape closes the panel, too.
  const about = { className: "close", tabIndex: -1, "aria-label": words.close };
  const close = button("×", () => panel.hidePopover(), about);
  const wholePage = (href, text) => element("a.whole", { href }, text);
  // The drawing of a card has a style sheet of its own.
  function loadDrawing() {
    if (document.querySelector("link[href*='card.css']")) return;
    document.head.append(element("link", { rel: "stylesheet", href: `${home}static/card.css` }));
  }
  const here = document.getElementById("pin")?.dataset.key;
  async function ofCard(link) {
    const card = await cardOf(link);
    if (!card) return null;
    loadDrawing();
    const { game, name, cards, about, mentioned, titles, words: translated = {} } = card;
    const label = link.dataset.card || link.textContent;
    const version = cards.find((one) => one.label === label);
    const { sets, type, side, picture } = version || cards[0];
    const facts = (version || cards.length === 1 ? [...sets, type, side] : [type])
      .flatMap((fact) => fact.split("; "))
      .map((word) => translated[word]?.[ui] || word);
    const keys = [...about, ...mentioned].filter((key) => key !== here).slice(0, MOST_RULINGS);
    const src = picture && { src: picture, alt: "", referrerPolicy: "no-referrer" };
    const drawing = [element("span.glyph"), src && element("img", src)];
    const mini = element("span.mini", { data: { type, side } }, drawing);
    const content = [
      element(
        "span.drawn",
        { data: { game } },
        mini,
        element("span", element("b.name", version ? label : name), facts.filter(Boolean).join(" · ")),
      ),
      keys.length && element("ul", keys.map((key) => element("li", linkToRuling(key, titles[key])))),
      wholePage(link.href, cards.length > 1 ? words.versions : words.card),
    ];
    return { label: name, content: [...content.filter(Boolean), close] };
  }
  function ofTerm(link) {
    const { lang } = link.closest("[lang]");
    const meaning = element("span", { lang }, link.dataset.meaning);
    const name = element("b.name", { lang }, link.textContent);
    // The term itself is this link for the keyboard.
    const whole = element("a.whole", { href: link.href, tabIndex: -1 }, words.term);
    const content = [name, meaning, whole, close];
    return { label: link.textContent, content };
  }

  for (const term of document.querySelectorAll("a.term[title]")) {
    term.dataset.meaning = term.title;
    term.removeAttribute("title");
  }
  KBPanel(panel, {
    linkAt: (node) =>
      node instanceof Element ? node.closest("a.card, a.term[data-meaning]") : null,
    fill: (link) => (link.matches(".card") ? ofCard(link) : ofTerm(link)),
    // The links of a card's panel come next for the keyboard.
    put: (link) => link.after(panel),
    delay: 300,
    opensByMouse: false,
  });
})();
