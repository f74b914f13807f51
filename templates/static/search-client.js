// Shared by search page and search boxes: the engine, the words, recent searches, links.
// window.KBFind. The engine runs in a worker, or here where a page is opened from a file.
(function () {
  "use strict";
  if (window.KBFind) return;
  const ui = document.documentElement.lang;
  const files = window.KB_BUILT.search;
  const below = (address) => `${document.body.dataset.root}/${address}`;
  // A worker has another folder than the page.
  const full = (address) => new URL(below(address), document.baseURI).href;
  const RECENT = "kb.recent";
  const MAX_RECENT = 8;
  const ENDS = 5;
  const [NO_WORKER, NO_SIGN_OF_LIFE] = [2500, 3500];

  function loadScript(address) {
    return new Promise((done, fail) => {
      const node = document.createElement("script");
      node.src = below(address);
      node.onload = () => done(node);
      node.onerror = () => fail(new Error(address));
      document.head.append(node);
    });
  }

  // ---- the engine ----
  // `engine(options, isWanted)`: a promise of an answer.
  let engine = location.protocol === "file:" || !window.Worker ? engineHere() : engineInWorker();

  function engineHere() {
    const folder = files.base.replace(/[^/]*$/, "");
    window.KB_SHARD = (name, data) => (document.currentScript.data = data);
    const load = (file) => loadScript(folder + file).then((script) => script.data);
    const baseFile = files.base.slice(folder.length);
    const read = (isAgain) => load(isAgain ? `base.js?again=${Date.now()}` : baseFile);
    const answer = loadScript(files.core).then(() => window.KBSearchSession(read, load));
    // A later question reports the failure.
    answer.catch(() => {});
    return async (options, isWanted) => (await answer)(options, isWanted);
  }

  // A worker takes long to start, so its first files are requested before it runs.
  function prefetch(address) {
    const link = document.createElement("link");
    Object.assign(link, { rel: "prefetch", as: "script", href: full(address) });
    document.head.append(link);
  }

  // The worker that the search page has started; that of another build is of no use.
  function startedWorker() {
    const { worker, files: own, isBroken } = window.KB_WORKER || {};
    const isOurs = ["worker", "core", "base"].every((name) => own?.[name] === full(files[name]));
    if (worker && (isBroken || !isOurs)) worker.terminate();
    return isBroken || !isOurs ? null : worker;
  }
  function newWorker() {
    prefetch(files.base);
    const worker = new Worker(full(files.worker));
    worker.postMessage({ base: full(files.base), core: full(files.core) });
    return worker;
  }

  function engineInWorker() {
    const worker = startedWorker() || newWorker();
    const asked = new Map();
    let [waiting, latest] = [0, 0];
    // If the worker does not start or hangs, the page searches itself. Each bucket that the worker
    // loads is a sign of life.
    function replace() {
      clearTimeout(waiting);
      worker.terminate();
      engine = engineHere();
      for (const { options, isWanted, done, fail } of asked.values())
        engine(options, isWanted).then(done, fail);
      asked.clear();
    }
    const watch = (time) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => (asked.size ? replace() : 0), time);
    };
    worker.onerror = replace;
    worker.onmessage = ({ data }) => {
      watch(NO_SIGN_OF_LIFE);
      const question = asked.get(data.number);
      if (data.alive || !question) return;
      clearTimeout(waiting);
      asked.delete(data.number);
      if (data.error) question.fail(new Error(data.error));
      else question.done(data.answer);
    };
    return (options, isWanted) =>
      new Promise((done, fail) => {
        const number = ++latest;
        // The worker answers only the last question.
        for (const question of asked.values()) question.done(null);
        asked.clear();
        asked.set(number, { options, isWanted, done, fail });
        watch(NO_WORKER);
        worker.postMessage({ number, options });
      });
  }

  // The engine's answer; null if another question was asked meanwhile.
  let questions = 0;
  function ask(options) {
    const number = ++questions;
    const isWanted = () => number === questions;
    return engine({ ui, ...options }, isWanted).then((answer) =>
      isWanted() ? answer : null,
    );
  }

  // ---- words ----
  const plural = new Intl.PluralRules(ui);
  const { format: number } = new Intl.NumberFormat(ui);
  const FORMS = { one: 0, few: 1 };
  const client = { ask, words: null, ready: null };
  // The search page has the words itself.
  const loaded = window.KB_WORDS
    ? Promise.resolve()
    : loadScript(files.words[ui] || files.words.en);
  client.ready = loaded.then(() => {
    client.words = window.KB_WORDS;
    return client;
  });

  function counted(name, count) {
    const forms = client.words[name];
    const at = FORMS[plural.select(count)] ?? forms.length - 1;
    return forms[Math.min(at, forms.length - 1)].replace("{n}", number(count));
  }
  const filled = (name, values) =>
    client.words[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);

  // ---- elements ----
  function element(name, text, kind) {
    const node = document.createElement(name);
    if (text) node.textContent = text;
    if (kind) node.className = kind;
    return node;
  }
  // A passage of a result: every second piece is a match.
  function marked(pieces, kind) {
    const node = element("p", "", kind);
    pieces.forEach((piece, at) => piece && node.append(at % 2 ? element("mark", piece) : piece));
    return node;
  }
  // Addresses of pages.
  const page = (address) => window.KB_PAGE.pageAt(address);
  // A card without rulings has no page of its own.
  const cardPage = ({ game, name, address }) =>
    address ? page(address) : page("go/index.html?" + new URLSearchParams({ game, card: name }));
  function pageOf(hit) {
    const text = hit.lang === ui ? "" : `text-${hit.lang}`;
    const sentence = hit.elsewhere && "fragmentDirective" in document ? sentenceOf(hit) : "";
    return page(hit.address) + (text || sentence ? `#${text}${sentence}` : "");
  }
  // A fragment by which the browser goes to the shown sentence and marks it: its first and last words.
  function sentenceOf(hit) {
    const found = hit.elsewhere.join("").replaceAll("…", "").trim().split(/\s+/);
    const ends = found.length > 2 * ENDS ? [found.slice(0, ENDS), found.slice(-ENDS)] : [found];
    const encoded = ends.map((part) => encodeURIComponent(part.join(" ")).replaceAll("-", "%2D"));
    return `:~:text=${encoded}`;
  }
  function badges(hit) {
    const { words } = client;
    const found = [];
    if (hit.lang !== ui) {
      const language = words.languages[hit.lang] || hit.lang;
      const isTranslated = Object.hasOwn(hit.titles, ui);
      const text = isTranslated ? filled("foundin", { language }) : language;
      found.push(element("span", text, "found-in"));
    }
    // Titles may begin with the kind: Example: two pilots.
    const kind = words.kind[hit.kind];
    const title = hit.titles ? hit.titles[hit.lang] : hit.title;
    if (hit.kind !== "ruling" && !(title || "").startsWith(kind))
      found.push(element("span", kind, "badge kind"));
    for (const [name, usual] of [
      ["authority", "official"],
      ["status", "current"],
    ])
      if (hit[name] !== usual)
        found.push(element("span", words[name][hit[name]], `badge ${name} ${hit[name]}`));
    if (hit.undated) found.push(element("span", words.undated, "badge"));
    return found.flatMap((node) => [node, " "]);
  }
  const rulings = (card) => (card.rulings ? counted("found", card.rulings) : client.words.noruling);

  // ---- terms ----
  const fold = (text) =>
    text
      .normalize("NFKD")
      .replace(/[\p{M}\p{Cf}]/gu, "")
      .toLowerCase()
      .replaceAll("ł", "l");
  const wordsIn = (text) => fold(text).match(/[\p{L}\p{N}]+/gu) || [];
  const stem = (word) => (word.length > 5 ? word.slice(0, -2) : word);
  let [folded, glossary] = [null, null];
  // Loads the terms, after the first answer, which needs none.
  function loadTerms() {
    glossary = glossary || loadScript(files.terms[ui] || files.terms.en);
    return glossary;
  }
  // The terms with a name that has every typed word, in nearly any form.
  function terms(text, game, limit) {
    const typed = wordsIn(text).map(stem);
    if (!window.KB_TERMS || typed.join("").length < 3) return [];
    folded = folded || window.KB_TERMS.map((term) => [...term[2], ...term[4]].map(wordsIn));
    const rated = [];
    window.KB_TERMS.forEach(([owner, id, names, meaning], at) => {
      if (game && owner !== game) return;
      const rest = folded[at]
        .filter((name) => typed.every((start) => name.some((word) => word.startsWith(start))))
        .map((name) => name.length - typed.length);
      if (rest.length) rated.push({ game: owner, id, names, meaning, rest: Math.min(...rest) });
    });
    rated.sort((one, other) => one.rest - other.rest);
    return rated.slice(0, limit).map((term) => {
      return { ...term, href: page(`${term.game}/glossary/index.html#${term.id}`) };
    });
  }

  // A link to the page for proposals, with the question or its only card filled in.
  function question({ match, cards }, title, game) {
    const isCard = match === "none" && cards.length === 1;
    const given = isCard ? { card: cards[0].name } : { title };
    const wanted = new URLSearchParams({ what: "question", game, ...given });
    const text = client.words[isCard ? "askcard" : "propose"];
    return { href: page(`propose/index.html?${wanted}`), text };
  }

  // ---- recent searches, only on this device ----
  function recent() {
    try {
      const queries = JSON.parse(localStorage.getItem(RECENT) || "[]");
      return queries.filter((query) => typeof query === "string");
    } catch (error) {
      return [];
    }
  }
  function remember(query) {
    if (!query) return;
    const queries = [query, ...recent().filter((other) => other !== query)];
    try {
      localStorage.setItem(RECENT, JSON.stringify(queries.slice(0, MAX_RECENT)));
    } catch (error) {
      // Private mode: nothing is kept.
    }
  }
  function forget() {
    try {
      localStorage.removeItem(RECENT);
    } catch (error) {
      // Nothing was kept.
    }
  }

  // A card's name in the reader's script, with the original in brackets.
  const readsLatin = new Intl.Locale(ui).maximize().script === "Latn";
  const cardName = ({ name, foreign }) =>
    foreign && /[a-z]/i.test(foreign) === readsLatin ? `${foreign} (${name})` : name;

  Object.assign(client, { badges, cardName, cardPage, counted, element, filled, fold, forget });
  Object.assign(client, { loadTerms, marked, number, page, pageOf, recent, remember });
  Object.assign(client, { question, rulings, terms, ui });
  window.KBFind = client;
})();
