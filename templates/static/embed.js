// Rulings on other people's pages: one script tag, nothing stored, nothing sent but the request for the data.
// <script src="https://rulings.example.org/embed.js" data-game="swtcg" data-lang="pl" defer></script>
// Marks [[Card]], [[Card|words]] and data-kb-card; with data-find also names in running text.
// data-within: a selector of the parts to look into (default: the whole page).
(function () {
  "use strict";
  // By the getter itself: in the page's texts an image named `currentScript` may stand for it.
  const getter = Object.getOwnPropertyDescriptor(Document.prototype, "currentScript").get;
  const own = getter.call(document);
  const options = own.dataset;
  const findsNames = "find" in options;
  const home = new URL(".", own.src).href;
  const game = options.game || "";
  const lang = (options.lang || "").toLowerCase().split("-")[0];
  const SKIPPED =
    "script,style,textarea,input,select,option,button,code,pre,a,[contenteditable],[data-kb-done]";
  const WORD = /[\p{L}\p{N}][\u0300-\u036f]*(?:['’‘ʼ\-‐‑–]?[\p{L}\p{N}][\u0300-\u036f]*)*/gu;
  // A page may give the panel another accent: kb-rulings { --kb-accent: #7a2e8c }.
  const style = ([light, dark]) => `:host{all:initial}.panel{--accent:var(--kb-accent,${light})}
.panel{position:fixed;z-index:2147483647;box-sizing:border-box;width:min(24rem,calc(100vw - 1rem));max-height:min(26rem,70vh);overflow:auto;padding:.7rem .9rem;
background:#fff;color:#1f2328;border:1px solid #8a8f96;border-radius:.6rem;box-shadow:0 .4rem 1.4rem #0005;font:15px/1.45 system-ui,sans-serif;text-align:left}
.panel[hidden]{display:none}h2{font-size:16px;margin:0 2.2rem .3rem 0}h3{font-size:15px;margin:.6rem 0 .1rem}p{margin:.15rem 0}a{color:var(--accent)}
a:focus-visible,button:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.by{font-size:13px;color:#5a626b}.translator,.community,.over{color:#8a4b00}.official{color:#1c6b3c}
button{position:absolute;top:.4rem;right:.4rem;width:2rem;height:2rem;border:0;background:none;color:inherit;font-size:20px;cursor:pointer}
@media(prefers-color-scheme:dark){.panel{--accent:var(--kb-accent,${dark});background:#1e2227;color:#e7e5e0;border-color:#5a626b}.by{color:#a9b0b8}.translator,.community,.over{color:#f0b96a}.official{color:#8fd6a8}}
@media print{.panel{display:none}}`;

  // What the script of a game brings, and its names: by their letters, and as paths of words.
  let data = null;
  const byLetters = new Map();
  const paths = new Map();
  const folded = new Map();
  function fold(word) {
    if (!folded.has(word)) {
      const lower = word.normalize("NFC").toLowerCase().normalize("NFC");
      const bases = (char) => [...char.normalize("NFKD")].filter((one) => !/\p{M}/u.test(one));
      const special = (char) => data.special[char] ?? char;
      const letter = (char) => data.special[char] ?? bases(char).map(special).join("");
      folded.set(word, [...lower].map(letter).join(""));
    }
    return folded.get(word);
  }
  const letters = (name) => fold(name).replace(/[^\p{L}\p{N}]/gu, "");
  const wordsOf = (text) => [...text.matchAll(WORD)];

  // ---- names ----
  function addPath(path, target) {
    const [first] = path;
    const key = path.join(" ");
    if (!paths.has(first)) paths.set(first, new Map());
    if (!paths.get(first).has(key)) paths.get(first).set(key, { path, target });
  }
  function index() {
    for (const longer of data.longer) addPath(longer.split(" "), null);
    for (const card of data.cards) {
      const versions = Object.entries(card.versions);
      for (const name of [card.name, ...card.others]) {
        if (!byLetters.has(letters(name))) byLetters.set(letters(name), { card });
        const path = wordsOf(name).map(([word]) => fold(word));
        if (path.length) addPath(path, card);
        for (const [label, version] of versions)
          byLetters.set(letters(`${name} ${version}`), { card, label });
      }
      for (const [label] of versions) byLetters.set(letters(label), { card, label });
    }
    byLetters.delete("");
  }
  // A word such as `constructor` is no key that every object has.
  const formsOf = (key) => (Object.hasOwn(data.forms, key) ? data.forms[key] : []);
  const owner = (word) => word.replace(/['’]s$/i, "");
  function meant(word) {
    const keys = [fold(word), fold(owner(word))];
    return new Set(keys.flatMap((key) => [key, ...formsOf(key)]));
  }
  // What an author's own mark names: as it stands, else in another form of its words.
  function named(name) {
    const exact = byLetters.get(letters(name));
    if (exact) return exact;
    const options = wordsOf(name).map(([word]) => meant(word));
    const found = options.length ? longest(options, 0, () => true) : null;
    return found?.target && found.path.length === options.length ? { card: found.target } : null;
  }
  // The longest name from a word on: {path, target}. `isNear(at)`: whether a word goes on with the
  // one before it.
  function longest(options, at, isNear) {
    let best = null;
    for (const first of options[at])
      for (const found of paths.get(first)?.values() || []) {
        const goesOn = (word, step) =>
          options[at + step]?.has(word) && (step === 0 || isNear(at + step));
        const isLonger = !best || found.path.length > best.path.length;
        if (isLonger && found.path.every(goesOn)) best = found;
      }
    return best;
  }
  // [{start, end, found}] in running text: a name begins with a capital; common words only inside a sentence.
  function mentions(text) {
    const places = wordsOf(text);
    const options = places.map(([word]) => meant(word));
    const endOf = (at) => places[at].index + places[at][0].length;
    const isNear = (at) =>
      /^[ \u00a0,.:&/!()'’–-]{0,3}$/.test(text.slice(endOf(at - 1), places[at].index));
    const list = [];
    for (let at = 0; at < places.length; at++) {
      if (!/^[\p{Lu}\p{N}]/u.test(places[at][0])) continue;
      const best = longest(options, at, isNear);
      if (!best) continue;
      const { path, target } = best;
      const start = places[at].index;
      at += path.length - 1;
      const key = path.join(" ");
      const before = text.slice(Math.max(0, start - 12), start);
      const isFirst = /(^|[.!?:…\n])[\s"„“«(\[*_>#•–-]*$/.test(before);
      const isRefused = data.notCards.includes(key) || (data.common.includes(key) && isFirst);
      if (!target || isRefused) continue;
      const last = places[at][0];
      const isPossessive = owner(target.name) !== target.name;
      const end = isPossessive ? endOf(at) : places[at].index + owner(last).length;
      const letter = /^[ \u00a0]\(?([A-Z])\)?(?![\p{L}\p{N}-])/u.exec(text.slice(end));
      const versions = Object.entries(target.versions);
      const [label] = versions.find(([, version]) => version === letter?.[1]) || [];
      const found = { card: target, label };
      list.push({ start, end: label ? end + letter[0].length : end, found });
    }
    return list;
  }

  // A ruling by its id, shown as a card with this ruling alone.
  function ruled(id) {
    const isIts = ([page]) => page.endsWith(`/rulings/${id}/index.html`);
    const number = data.rulings.findIndex(isIts);
    if (number < 0) return null;
    const [page, , name] = data.rulings[number];
    return { isRuling: true, card: { name, page, rulings: [[number, [], 1]] } };
  }

  // ---- marking ----
  // An element. Names with a hyphen are those of attributes, others of properties.
  function element(name, values, ...content) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(values))
      if (key.includes("-")) node.setAttribute(key, value);
      else node[key] = value;
    node.append(...content);
    return node;
  }
  const inLanguage = (address) => home + (data.ui === "en" ? "" : data.ui + "/") + address;
  const isMouse = (event) => event.pointerType === "mouse";
  function link(found, ...content) {
    const { card, label } = found;
    const about = { "data-kb-done": label || card.name, "aria-haspopup": "dialog" };
    const node = element(
      "a",
      { href: inLanguage(card.page), "aria-expanded": false, ...about },
      ...content,
    );
    Object.assign(node.style, { textDecoration: "underline dotted", color: "inherit" });
    node.addEventListener("pointerenter", (event) => isMouse(event) && open(node, found));
    node.addEventListener("pointerleave", (event) => isMouse(event) && closeSoon());
    node.addEventListener("focus", () => node.matches(":focus-visible") && open(node, found));
    node.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open(node, found);
      if (event.detail === 0) panel.querySelector("a").focus();
    });
    return node;
  }
  const MARK = /\[\[([^[\]|\n]{1,200})(?:\|([^[\]|\n]{1,300}))?\]\]/g;
  // A text cut into strings and links; without data the marks lose their brackets.
  function pieces(text) {
    const list = [];
    function addPlain(part) {
      let from = 0;
      for (const { start, end, found } of data && findsNames ? mentions(part) : []) {
        list.push(part.slice(from, start), link(found, part.slice(start, end)));
        from = end;
      }
      list.push(part.slice(from));
    }
    let from = 0;
    for (const mark of text.matchAll(MARK)) {
      const [whole, name, shown = name] = mark;
      addPlain(text.slice(from, mark.index));
      const found = data && named(name);
      if (data && !found) warnUnknown(name);
      list.push(found ? link(found, shown.trim()) : shown.trim());
      from = mark.index + whole.length;
    }
    addPlain(text.slice(from));
    return list;
  }
  // Fields of a form may have the names of its methods.
  const isSkipped = (node) => Element.prototype.closest.call(node, SKIPPED) !== null;
  function mark(root) {
    const given = root.querySelectorAll(
      ":is([data-kb-card],[data-kb-ruling]):not([data-kb-done], form)",
    );
    for (const node of data ? given : []) {
      const { kbCard, kbRuling } = node.dataset;
      const found = kbRuling ? ruled(kbRuling) : named(kbCard);
      node.dataset.kbDone = "";
      if (!found) warnUnknown(kbRuling || kbCard);
      if (found && !node.closest("a") && !node.querySelector("a,button"))
        node.append(link(found, ...node.childNodes));
    }
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts = [];
    for (let node = walk.nextNode(); node; node = walk.nextNode())
      if ((findsNames || node.data.includes("[[")) && !isSkipped(node.parentElement))
        texts.push(node);
    for (const node of texts) {
      const list = pieces(node.data);
      const hasLink = list.some((piece) => typeof piece !== "string");
      if (hasLink || list.join("") !== node.data) node.replaceWith(...list.filter(Boolean));
    }
  }

  // ---- the panel ----
  let [panel, opener, later] = [null, null, 0];
  function create() {
    const host = document.createElement("kb-rulings");
    const shadow = host.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style(data.colours));
    shadow.adoptedStyleSheets = [sheet];
    panel = element("div", { className: "panel", lang: data.ui, hidden: true });
    panel.setAttribute("role", "dialog");
    shadow.append(panel);
    document.body.append(host);
    panel.addEventListener("pointerenter", () => clearTimeout(later));
    panel.addEventListener("pointerleave", (event) => isMouse(event) && closeSoon());
    document.addEventListener("keydown", (event) => event.key === "Escape" && close(true));
    const leave = ({ target }) => target !== host && !opener?.contains(target) && close();
    document.addEventListener("pointerdown", leave);
    document.addEventListener("focusin", leave);
  }
  function closeSoon() {
    clearTimeout(later);
    later = setTimeout(close, 300);
  }
  function close(isBack = false) {
    clearTimeout(later);
    if (!opener) return;
    const isInside = panel.getRootNode().activeElement;
    panel.hidden = true;
    opener.setAttribute("aria-expanded", "false");
    // The focus opens nothing while its link is the opener.
    if (isBack && isInside) opener.focus();
    opener = null;
  }
  const outward = (address, text) =>
    element("a", { href: inLanguage(address), target: "_blank", rel: "noopener" }, text);
  function toRuling(number) {
    const [address, lang, title] = data.rulings[number];
    return Object.assign(outward(address, title), { lang });
  }
  const paragraph = (className, ...content) => element("p", { className }, ...content);
  function ruling(number) {
    const [, lang, , answer, kind, authority, status, successors] = data.rulings[number];
    const marks = [
      kind !== "ruling" && data.kind[kind],
      status !== "current" && data.status[status],
    ].filter(Boolean);
    const by = element("span", { className: authority }, data.authority[authority]);
    return [
      element("h3", {}, toRuling(number)),
      ...(successors ? [paragraph("over", data.words.over)] : []),
      ...(successors || []).map((one) => element("p", {}, data.words.later + ": ", toRuling(one))),
      element("p", { lang }, answer),
      paragraph("by", by, ...marks.map((mark) => " · " + mark)),
    ];
  }
  function open(node, { card, isRuling, label }) {
    clearTimeout(later);
    if (!panel) create();
    if (opener === node) return;
    close();
    opener = node;
    const name = label || card.name;
    const title = isRuling ? data.title : data.words.heading.replace("%(card)s", () => name);
    const isAbout = ([, labels]) => !label || labels.includes(label) || labels.includes(card.name);
    const rows = card.rulings.filter(isAbout);
    const sorted = [...(rows.length ? rows : card.rulings)].sort((one, other) => other[2] - one[2]);
    const cross = { onclick: () => close(true), "aria-label": data.words.close };
    const all = isRuling ? [] : [outward(card.page, data.words.all), " · "];
    panel.replaceChildren(
      element("h2", {}, title),
      element("button", cross, "×"),
      ...sorted.flatMap(([number]) => ruling(number)),
      paragraph("by", ...all, `${data.title} · ${data.date}`),
    );
    panel.setAttribute("aria-label", title);
    panel.hidden = false;
    node.setAttribute("aria-expanded", "true");
    place(node.getClientRects()[0] || node.getBoundingClientRect());
  }
  // Places the panel below a line, or above if there is more room.
  function place(line) {
    const { width, height } = panel.getBoundingClientRect();
    const isBelow = line.bottom + height + 8 < innerHeight || line.top < height + 8;
    const lowest = innerHeight - height - 8;
    const top = isBelow ? Math.min(line.bottom + 4, lowest) : line.top - height - 4;
    panel.style.left = `${Math.max(8, Math.min(line.left, innerWidth - width - 8))}px`;
    panel.style.top = `${Math.max(8, top)}px`;
  }

  // ---- start ----
  const ready = new Promise((done) =>
    document.readyState === "loading"
      ? document.addEventListener("DOMContentLoaded", done)
      : done(),
  );
  const load = (language) =>
    new Promise((done, fail) => {
      // An element of the page may have either name as its id.
      if (!(window.KB_EMBEDDED instanceof Map)) window.KB_EMBEDDED = new Map();
      const waiting = window.KB_EMBEDDED;
      if (typeof window.KB_EMBED !== "function")
        window.KB_EMBED = (name, value) => waiting.set(name, value);
      const ending = language && "-" + encodeURIComponent(language);
      const src = `${home}embed/${encodeURIComponent(game)}${ending}.js`;
      const onload = () => done(waiting.get(`${game}-${language}`));
      const onerror = () => fail(new Error(`embed.js: no rulings at ${src}`));
      document.head.append(element("script", { onload, onerror, src }));
    });
  const warn = (error) => console.warn(String(error));
  const warnUnknown = (name) => warn(`embed.js: no card or ruling ${name} in ${game}`);
  // In a language that the game does not have: in its own.
  const loaded = load(lang).catch((error) => {
    if (!lang) throw error;
    warn(error);
    return load("");
  });
  function markAll() {
    const { within } = options;
    const parts = within ? document.querySelectorAll(within) : [document.body];
    for (const part of parts) mark(part);
  }
  Promise.all([loaded, ready])
    .then(([value]) => {
      data = value;
      index();
      // For pages that change: mark(element) marks what came later.
      window.KBRulings = { mark };
      markAll();
      document.documentElement.dataset.kbRulings = "done";
    })
    .catch((error) => {
      warn(error);
      // Without rulings, no brackets stay in the reader's text.
      data = null;
      return ready.then(markAll);
    });
})();
