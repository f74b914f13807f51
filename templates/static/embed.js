// Rulings on other people's pages: one script tag, nothing stored, nothing sent but the request for the data.
// <script src="https://rulings.example.org/embed.js" data-game="swtcg" data-lang="pl" defer></script>
// Marks [[Card]], [[Card|words]] and data-kb-card; with data-find also names in running text.
// data-within: a selector of the parts to look into (default: the whole page).
(function () {
  "use strict";
  // By the getter itself: in the page's texts an image named `currentScript` may stand for it.
  const own = Object.getOwnPropertyDescriptor(Document.prototype, "currentScript").get.call(
      document,
    ),
    options = own.dataset,
    home = new URL(".", own.src).href;
  const game = options.game || "",
    lang = (options.lang || "").toLowerCase().split("-")[0];
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

  let data = null,
    byLetters = null,
    paths = null;
  const folded = new Map();
  function fold(word) {
    let done = folded.get(word);
    if (done === undefined) {
      const lower = word.normalize("NFC").toLowerCase().normalize("NFC");
      const letter = (char) =>
        data.special[char] ??
        [...char.normalize("NFKD")]
          .filter((one) => !/\p{M}/u.test(one))
          .map((one) => data.special[one] ?? one)
          .join("");
      done = [...lower].map(letter).join("");
      folded.set(word, done);
    }
    return done;
  }
  const letters = (name) => fold(name).replace(/[^\p{L}\p{N}]/gu, "");
  const wordsOf = (text) => [...text.matchAll(WORD)];

  // ---- names ----
  function index() {
    byLetters = new Map();
    paths = new Map();
    const add = (path, target) => {
      const key = path.join(" "),
        first = path[0];
      if (!paths.has(first)) paths.set(first, new Map());
      if (!paths.get(first).has(key)) paths.get(first).set(key, { path, target });
    };
    for (const longer of data.longer) add(longer.split(" "), null);
    for (const card of data.cards) {
      for (const name of [card.name, ...card.others]) {
        if (!byLetters.has(letters(name))) byLetters.set(letters(name), { card });
        const path = wordsOf(name).map(([word]) => fold(word));
        if (path.length) add(path, card);
        for (const [label, version] of Object.entries(card.versions))
          byLetters.set(letters(`${name} ${version}`), { card, label });
      }
      for (const label of Object.keys(card.versions))
        byLetters.set(letters(label), { card, label });
    }
    byLetters.delete("");
  }
  // A word such as `constructor` is no key that every object has.
  const formsOf = (key) => (Object.hasOwn(data.forms, key) ? data.forms[key] : []);
  const meant = (word) => {
    const key = fold(word),
      bare = /['’]s$/i.test(word) ? fold(word.slice(0, -2)) : key;
    return new Set([key, ...formsOf(key), bare, ...formsOf(bare)]);
  };
  // What an author's own mark names: as it stands, else in another form of its words.
  function named(name) {
    const exact = byLetters.get(letters(name));
    if (exact) return exact;
    const words = wordsOf(name);
    if (!words.length) return null;
    const found = longest(
      name,
      words.map(([word]) => meant(word)),
      0,
    );
    return found && found.length === words.length && found.target ? { card: found.target } : null;
  }
  function longest(text, options, at, places) {
    let best = null;
    for (const first of options[at])
      for (const { path, target } of (paths.get(first) || new Map()).values())
        if (
          (!best || path.length > best.length) &&
          path.every(
            (word, step) =>
              options[at + step] &&
              options[at + step].has(word) &&
              (!places || !step || near(text, places, at + step)),
          )
        )
          best = { length: path.length, target, path };
    return best;
  }
  const near = (text, places, at) => {
    const between = text.slice(places[at - 1].index + places[at - 1][0].length, places[at].index);
    return between.length <= 3 && /^[ \u00a0,.:&/!()'’–-]*$/.test(between);
  };
  // [{start, end, found}] in running text: a name begins with a capital; common words only inside a sentence.
  function mentions(text) {
    const places = wordsOf(text),
      options = places.map(([word]) => meant(word)),
      list = [];
    for (let at = 0; at < places.length; at++) {
      if (!/^[\p{Lu}\p{N}]/u.test(places[at][0])) continue;
      const best = longest(text, options, at, places);
      if (!best) continue;
      const last = places[at + best.length - 1],
        start = places[at].index;
      const key = best.path.join(" ");
      const opens = /(^|[.!?:…\n])[\s"„“«(\[*_>#•–-]*$/.test(
        text.slice(Math.max(0, start - 12), start),
      );
      const refused = data.notCards.includes(key) || (data.common.includes(key) && opens);
      if (best.target && !refused) {
        let end =
            last.index +
            last[0].length -
            (/['’]s$/i.test(last[0]) && !/['’]s$/i.test(best.target.name) ? 2 : 0),
          label;
        const letter = /^[ \u00a0]\(?([A-Z])\)?(?![\p{L}\p{N}-])/u.exec(text.slice(end));
        if (letter)
          label = Object.keys(best.target.versions).find(
            (one) => best.target.versions[one] === letter[1],
          );
        if (label) end += letter[0].length;
        list.push({ start, end, found: { card: best.target, label } });
      }
      at += best.length - 1;
    }
    return list;
  }

  // A ruling by its id, shown as a card with this ruling alone.
  function ruled(id) {
    const number = data.rulings.findIndex(([page]) => page.endsWith(`/rulings/${id}/index.html`));
    if (number < 0) return null;
    const [page, , title] = data.rulings[number];
    return { isRuling: true, card: { name: title, page, rulings: [[number, [], 1]] } };
  }

  // ---- marking ----
  const inLanguage = (address) => home + (data.ui === "en" ? "" : data.ui + "/") + address;
  function link(found, content) {
    const node = document.createElement("a");
    node.href = inLanguage(found.card.page);
    node.dataset.kbDone = found.label || found.card.name;
    node.setAttribute("aria-haspopup", "dialog");
    node.setAttribute("aria-expanded", "false");
    node.style.textDecoration = "underline dotted";
    node.style.color = "inherit";
    node.append(...content);
    node.addEventListener(
      "pointerenter",
      (event) => event.pointerType === "mouse" && open(node, found),
    );
    node.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && closeSoon());
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
  function pieces(text) {
    const list = [];
    let end = 0;
    const plain = (part) => {
      let from = 0;
      if (data && "find" in options)
        for (const one of mentions(part)) {
          list.push(part.slice(from, one.start), [one.found, part.slice(one.start, one.end)]);
          from = one.end;
        }
      list.push(part.slice(from));
    };
    for (const mark of text.matchAll(MARK)) {
      plain(text.slice(end, mark.index));
      const found = data && named(mark[1]),
        words = (mark[2] || mark[1]).trim();
      if (data && !found) warnUnknown(mark[1]);
      list.push(found ? [found, words] : words);
      end = mark.index + mark[0].length;
    }
    plain(text.slice(end));
    return list.filter((piece) => piece.length);
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
        node.append(link(found, [...node.childNodes]));
    }
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT),
      texts = [];
    for (let node = walk.nextNode(); node; node = walk.nextNode())
      if (("find" in options || node.data.includes("[[")) && !isSkipped(node.parentElement))
        texts.push(node);
    for (const node of texts) {
      const list = pieces(node.data);
      if (list.some((piece) => typeof piece !== "string") || list.join("") !== node.data)
        node.replaceWith(
          ...list.map((piece) => (typeof piece === "string" ? piece : link(piece[0], [piece[1]]))),
        );
    }
  }

  // ---- the panel ----
  let panel = null,
    opener = null,
    later = 0;
  function element(name, text, kind) {
    const node = document.createElement(name);
    if (text) node.textContent = text;
    if (kind) node.className = kind;
    return node;
  }
  function outward(address, text) {
    const node = element("a", text);
    node.href = inLanguage(address);
    node.target = "_blank";
    node.rel = "noopener";
    return node;
  }
  function toRuling(number) {
    const [address, spoken, title] = data.rulings[number],
      node = outward(address, title);
    node.lang = spoken;
    return node;
  }
  function create() {
    const host = document.createElement("kb-rulings"),
      shadow = host.attachShadow({ mode: "open" }),
      sheet = new CSSStyleSheet();
    sheet.replaceSync(style(data.colours));
    shadow.adoptedStyleSheets = [sheet];
    panel = element("div", "", "panel");
    panel.setAttribute("role", "dialog");
    panel.lang = data.ui;
    panel.hidden = true;
    shadow.append(panel);
    document.body.append(host);
    panel.addEventListener("pointerenter", () => clearTimeout(later));
    panel.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && closeSoon());
    document.addEventListener(
      "keydown",
      (event) => event.key === "Escape" && !panel.hidden && close(true),
    );
    document.addEventListener("pointerdown", (event) => {
      if (!event.composedPath().includes(host) && !(opener && opener.contains(event.target)))
        close();
    });
    document.addEventListener(
      "focusin",
      (event) => event.target !== host && opener && !opener.contains(event.target) && close(),
    );
  }
  const closeSoon = () => {
    clearTimeout(later);
    later = setTimeout(close, 300);
  };
  function close(back) {
    clearTimeout(later);
    if (!panel || panel.hidden) return;
    const inside = panel.getRootNode().activeElement;
    panel.hidden = true;
    opener.setAttribute("aria-expanded", "false");
    if (back === true && inside) opener.focus();
    opener = null;
  }
  function open(node, found) {
    clearTimeout(later);
    if (!panel) create();
    if (opener === node) return;
    close();
    opener = node;
    const close_ = element("button", "×");
    close_.setAttribute("aria-label", data.words.close);
    close_.addEventListener("click", () => close(true));
    const title = found.isRuling
      ? data.title
      : data.words.heading.replace("%(card)s", () => found.label || found.card.name);
    const rows = found.card.rulings.filter(
      ([, labels]) =>
        !found.label || labels.some((label) => label === found.label || label === found.card.name),
    );
    const several = rows.length ? rows : found.card.rulings;
    panel.replaceChildren(element("h2", title), close_);
    panel.setAttribute("aria-label", title);
    for (const [number] of [...several].sort((one, other) => other[2] - one[2])) {
      const [, spoken, , answer, kind, authority, status, later] = data.rulings[number];
      const heading = element("h3"),
        words = element("p", answer),
        by = element("p", "", "by");
      heading.append(toRuling(number));
      words.lang = spoken;
      by.append(element("span", data.authority[authority], authority));
      for (const more of [
        kind !== "ruling" && data.kind[kind],
        status !== "current" && data.status[status],
      ])
        if (more) by.append(" · " + more);
      panel.append(heading);
      if (later) panel.append(element("p", data.words.over, "over"));
      for (const successor of later || []) {
        const line = element("p", data.words.later + ": ");
        line.append(toRuling(successor));
        panel.append(line);
      }
      panel.append(words, by);
    }
    const foot = element("p", `${data.title} · ${data.date}`, "by");
    if (!found.isRuling) foot.prepend(outward(found.card.page, data.words.all), " · ");
    panel.append(foot);
    panel.hidden = false;
    node.setAttribute("aria-expanded", "true");
    const line = node.getClientRects()[0] || node.getBoundingClientRect(),
      box = panel.getBoundingClientRect();
    const below = line.bottom + box.height + 8 < innerHeight || line.top < box.height + 8;
    panel.style.left = Math.max(8, Math.min(line.left, innerWidth - box.width - 8)) + "px";
    panel.style.top =
      Math.max(
        8,
        below ? Math.min(line.bottom + 4, innerHeight - box.height - 8) : line.top - box.height - 4,
      ) + "px";
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
      const tag = document.createElement("script"),
        ending = language && "-" + encodeURIComponent(language);
      tag.src = `${home}embed/${encodeURIComponent(game)}${ending}.js`;
      tag.onload = () => done(waiting.get(`${game}-${language}`));
      tag.onerror = () => fail(new Error(`embed.js: no rulings at ${tag.src}`));
      document.head.append(tag);
    });
  const warn = (error) => console.warn(String(error));
  const warnUnknown = (name) => warn(`embed.js: no card or ruling ${name} in ${game}`);
  // In a language that the game does not have: in its own.
  const loaded = load(lang).catch((error) => {
    if (!lang) throw error;
    warn(error);
    return load("");
  });
  function markAll(root) {
    const parts = options.within
      ? [...root.querySelectorAll(options.within)]
      : [root === document ? document.body : root];
    for (const part of parts) mark(part);
  }
  Promise.all([loaded, ready])
    .then(([value]) => {
      data = value;
      index();
      // For pages that change: mark(element) marks what came later.
      window.KBRulings = { mark };
      markAll(document);
      document.documentElement.dataset.kbRulings = "done";
    })
    .catch((error) => {
      warn(error);
      // Without rulings, no brackets stay in the reader's text.
      data = null;
      return ready.then(() => markAll(document));
    });
})();
