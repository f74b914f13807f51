// Rulings on other people's pages: one script tag, nothing stored, only the game's data requested.
// <script src="https://rulings.example.org/embed.js" data-game="swtcg" data-lang="pl" defer></script>
// Shows the rulings on what a page marks: [[Card]], [[Card|words]], data-kb-card, data-kb-ruling.
// data-within: a selector of the parts to look into (default: the whole page).
(function () {
  "use strict";
  // By the getter itself: in the page's texts an image named `currentScript` may stand for it.
  const getter = Object.getOwnPropertyDescriptor(Document.prototype, "currentScript").get;
  const own = getter.call(document);
  const { game = "", lang = "", within = "body" } = own.dataset;
  const home = new URL(".", own.src).href;
  const MARK = /\[\[([^[\]|\n]{1,200})(?:\|([^[\]|\n]{1,300}))?\]\]/g;
  const SKIPPED = "script,style,textarea,input,select,option,button,code,pre,a,[contenteditable]";
  // A page may give the panel another accent: kb-rulings { --kb-accent: #7a2e8c }.
  const style = ([light, dark]) => `
    :host { all: initial; color-scheme: light dark }
    .panel { --accent: var(--kb-accent, light-dark(${light}, ${dark}));
      position: absolute; inset: auto; margin: 0; box-sizing: border-box; width: min(24rem, calc(100vw - 1rem));
      max-height: min(26rem, 70vh); overflow: auto; padding: .7rem .9rem;
      font: 15px/1.45 system-ui, sans-serif; color: light-dark(#1f2328, #e7e5e0);
      background: light-dark(#fff, #1e2227); border: 1px solid light-dark(#8a8f96, #5a626b);
      border-radius: .6rem; box-shadow: 0 .4rem 1.4rem #0005 }
    h2 { font-size: 16px; margin: 0 2.2rem .3rem 0 }
    h3 { font-size: 15px; margin: .6rem 0 .1rem }
    p { margin: .15rem 0 }
    a { color: var(--accent) }
    :is(a, button):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
    button { position: absolute; top: .4rem; right: .4rem; width: 2rem; height: 2rem; border: 0;
      background: none; color: inherit; font-size: 20px; cursor: pointer }
    .by { font-size: 13px; color: light-dark(#5a626b, #a9b0b8) }
    .translator, .community, .over { color: light-dark(#8a4b00, #f0b96a) }
    .official { color: light-dark(#1c6b3c, #8fd6a8) }
    @media print { .panel { display: none } }`;

  // What the script of the game brings; null without it.
  let data = null;
  function element(name, values, ...content) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(values))
      if (key in node) node[key] = value;
      else node.setAttribute(key, value);
    node.append(...content);
    return node;
  }
  function anchor(address, text, values) {
    const href = home + (data.ui === "en" ? "" : data.ui + "/") + address;
    return element("a", { href, ...values }, ...text);
  }

  // ---- what a mark names: the title of its panel, an address, the numbers of its rulings ----
  function card(name) {
    const key = KBFold(name).replace(/[^\p{L}\p{N}]/gu, "");
    if (!Object.hasOwn(data.names, key)) return null;
    const [number, label] = data.names[key];
    const { name: whole, page, rulings } = data.cards[number];
    const isAbout = ([, labels]) => !label || labels.includes(label) || labels.includes(whole);
    const rows = rulings.some(isAbout) ? rulings.filter(isAbout) : rulings;
    const title = data.words.heading.replace("%(card)s", () => label || whole);
    return { title, page, isCard: true, numbers: rows.map(([ruling]) => ruling) };
  }
  function ruling(id) {
    const page = `${game}/rulings/${id}/index.html`;
    const number = data.rulings.findIndex(([address]) => address === page);
    return number < 0 ? null : { title: data.title, page, numbers: [number] };
  }

  // ---- marking ----
  // The links that this script has made, each with what it names.
  const named = new Map();
  function link(found, text) {
    const node = anchor(found.page, text, { "aria-haspopup": "dialog", "aria-expanded": false });
    Object.assign(node.style, { textDecoration: "underline dotted", color: "inherit" });
    named.set(node, found);
    return node;
  }
  const warn = (error) => console.warn(String(error));
  // The text of a mark as a link, or as it is if nothing has the name.
  function marked(find, name, text) {
    const found = data && find(name);
    const lacking = find === card ? "rulings on" : "ruling";
    if (data && !found) warn(`embed.js: no ${lacking} ${name} in ${game}`);
    return found ? [link(found, text)] : text;
  }
  function markText(node) {
    const pieces = [];
    let from = 0;
    for (const { 0: mark, 1: name, 2: shown = name, index } of node.data.matchAll(MARK)) {
      pieces.push(node.data.slice(from, index), ...marked(card, name, [shown.trim()]));
      from = index + mark.length;
    }
    if (from) node.replaceWith(...pieces, node.data.slice(from));
  }
  function mark(root) {
    for (const node of root.querySelectorAll(":is([data-kb-card],[data-kb-ruling]):not(form)")) {
      const { kbCard, kbRuling } = node.dataset;
      if (node.closest("a") || node.querySelector("a,button")) continue;
      const [find, name] = kbRuling ? [ruling, kbRuling] : [card, kbCard];
      node.append(...marked(find, name, [...node.childNodes]));
    }
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walk.nextNode()) texts.push(walk.currentNode);
    // Fields of a form may have the names of its methods.
    const isSkipped = ({ parentElement }) => Element.prototype.closest.call(parentElement, SKIPPED);
    for (const text of texts) if (text.data.includes("[[") && !isSkipped(text)) markText(text);
  }

  // ---- the panel ----
  const panel = element("div", { className: "panel", popover: "auto", role: "dialog" });
  const host = element("kb-rulings", {});
  // Browsers before 2024 follow the links.
  function prepare() {
    if (!panel.showPopover) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style(data.colours));
    const shadow = host.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [sheet];
    shadow.append(panel);
    panel.lang = data.ui;
    KBPanel(panel, {
      // Fields of a form may have the names of its methods.
      linkAt(node) {
        const link = node instanceof Element && Element.prototype.closest.call(node, "a");
        return named.has(link) ? link : null;
      },
      fill: (link) => shown(named.get(link)),
      put: () => host.isConnected || document.body.append(host),
      delay: 0,
      opensByMouse: true,
    });
  }
  const paragraph = (className, ...content) => element("p", { className }, ...content);
  const outward = (address, text, lang = data.ui) =>
    anchor(address, [text], { lang, target: "_blank", rel: "noopener" });
  function toRuling(number) {
    const [address, lang, title] = data.rulings[number];
    return outward(address, title, lang);
  }
  function passages(number) {
    const [, lang, , answer, authority, [by, ...standing], successors] = data.rulings[number];
    const { later, over } = data.words;
    return [
      element("h3", {}, toRuling(number)),
      successors && paragraph("over", over),
      ...(successors || []).map((one) => paragraph("", later + ": ", toRuling(one))),
      element("p", { lang }, answer),
      paragraph("by", element("span", { className: authority }, by), ...standing),
    ].filter(Boolean);
  }
  function shown({ title, page, isCard, numbers }) {
    const all = isCard ? [outward(page, data.words.all), " · "] : [];
    const close = { onclick: () => panel.hidePopover(), "aria-label": data.words.close };
    const content = [
      element("h2", {}, title),
      element("button", close, "×"),
      ...numbers.flatMap(passages),
      paragraph("by", ...all, `${data.title} · ${data.date}`),
    ];
    return { label: title, content };
  }

  // ---- start ----
  const load = (language) =>
    new Promise((done, fail) => {
      const name = language ? `${game}-${language}` : game;
      const address = `embed/${encodeURIComponent(name)}.js`;
      // Another tag may load another game; an element may have the name as its id.
      const others = typeof window.KB_EMBED === "function" ? window.KB_EMBED : () => {};
      window.KB_EMBED = (of, value) => (of === address ? done(value) : others(of, value));
      const onerror = () => fail(new Error(`embed.js: no rulings at ${home + address}`));
      const script = { src: home + address, onload: onerror, onerror };
      document.head.append(element("script", script));
    });
  async function start() {
    const wanted = lang.toLowerCase().split("-")[0];
    try {
      // In a language that the game does not have: in its own.
      data = await load(wanted).catch((error) => {
        if (!wanted) throw error;
        warn(error);
        return load("");
      });
      prepare();
      // For pages that change: mark(element) marks what came later.
      window.KBRulings = { mark };
    } catch (error) {
      // No brackets stay in the reader's text.
      warn(error);
    }
    if (document.readyState === "loading")
      await new Promise((done) => document.addEventListener("DOMContentLoaded", done));
    for (const part of document.querySelectorAll(within)) mark(part);
    document.documentElement.dataset.kbRulings = data ? "done" : "failed";
  }
  start();
})();
