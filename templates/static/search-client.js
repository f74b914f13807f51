// Shared by search page and search boxes: the engine, the words, recent searches, links.
// window.KBFind. The engine runs in a worker, or here where a page is opened from a file.
(function () {
  "use strict";
  if (window.KBFind) return;
  const { bucketsBeside, counted, element, fold, keep, keptList, loadData } = window.KB_PAGE;
  const { loadScript, pageAt, root, ui, verdictTile } = window.KB_PAGE;
  const files = window.KB_BUILT.search;
  const below = (address) => `${root}/${address}`;
  // A worker has another folder than the page.
  const full = (address) => new URL(below(address), document.baseURI).href;
  const RECENT = "kb.recent";
  const MAX_RECENT = 8;
  const ENDS = 5;
  const [NO_WORKER, NO_SIGN_OF_LIFE] = [2500, 3500];

  // ---- the engine ----
  // `engine(options, isWanted)`: a promise of an answer.
  let engine = location.protocol === "file:" || !window.Worker ? engineHere() : engineInWorker();

  function engineHere() {
    const base = below(files.base);
    const again = () => `${base.replace(/\?.*/, "")}?again=${Date.now()}`;
    const read = (isAgain) => loadData(isAgain ? again() : base);
    const answer = loadScript(below(files.core)).then(() =>
      window.KBSearchSession(read, bucketsBeside(base)),
    );
    // A later question reports the failure.
    answer.catch(() => {});
    return async (options, isWanted) => (await answer)(options, isWanted);
  }

  // The worker that the search page has started; that of another build is of no use.
  function startedWorker() {
    const { worker, files: own, isBroken } = window.KB_WORKER || {};
    const isOurs = ["worker", "core", "base"].every((name) => own?.[name] === full(files[name]));
    if (worker && (isBroken || !isOurs)) worker.terminate();
    return isBroken || !isOurs ? null : worker;
  }
  function newWorker() {
    // A worker takes long to start, so its first file is requested before it runs.
    const prefetch = { rel: "prefetch", as: "script", href: full(files.base) };
    document.head.append(element("link", prefetch));
    const worker = new Worker(full(files.worker));
    worker.postMessage({ base: full(files.base), core: full(files.core) });
    return worker;
  }

  function engineInWorker() {
    const worker = startedWorker() || newWorker();
    // The question that waits for an answer: the worker answers only the last one.
    let asked = null;
    let [waiting, latest] = [0, 0];
    function settle(name, value) {
      clearTimeout(waiting);
      asked?.[name](value);
      asked = null;
    }
    // If the worker does not start or hangs, the page searches itself. Each bucket that the worker
    // loads is a sign of life.
    function replace() {
      worker.terminate();
      engine = engineHere();
      if (asked) settle("done", engine(asked.options, asked.isWanted));
    }
    function watch(time) {
      clearTimeout(waiting);
      if (asked) waiting = setTimeout(replace, time);
    }
    worker.onerror = replace;
    worker.onmessage = ({ data }) => {
      if (data.alive || data.number !== asked?.number) watch(NO_SIGN_OF_LIFE);
      else if (data.error) settle("fail", new Error(data.error));
      else settle("done", data.answer);
    };
    return (options, isWanted) =>
      new Promise((done, fail) => {
        settle("done", null);
        asked = { number: ++latest, options, isWanted, done, fail };
        watch(NO_WORKER);
        worker.postMessage({ number: asked.number, options });
      });
  }

  // The engine's answer; null if another question was asked meanwhile.
  let questions = 0;
  async function ask(options) {
    const number = ++questions;
    typed = wordsIn(options.text);
    const isWanted = () => number === questions;
    const answer = await engine({ ui, ...options }, isWanted);
    return isWanted() ? answer : null;
  }

  // ---- words ----
  const client = { ask };
  // The search page has the words itself.
  const loaded = window.KB_WORDS ? null : loadScript(below(files.words[ui]));
  client.ready = Promise.resolve(loaded).then(() => {
    client.words = window.KB_WORDS;
    return client;
  });
  const filled = (name, values) =>
    client.words[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const found = (count) => counted(client.words.found, count);
  // How many rulings are full matches; "" if none is.
  function matching({ partial, total }) {
    if (!total) return "";
    return partial ? counted(client.words.full, total) : found(total);
  }
  // The hits, full matches apart from the partial ones that follow them.
  function parted({ hits, total }) {
    return [hits.slice(0, total || hits.length), hits.slice(total || hits.length)];
  }

  // ---- elements ----
  // Whether a matching word is one that was typed, in any form, or means the same: forms of a word
  // begin alike.
  const ALIKE = 0.6;
  let typed = [];
  function isTyped(match) {
    const isForm = (word, other) => {
      const length = Math.max(2, Math.round(ALIKE * Math.min(word.length, other.length)));
      return word.slice(0, length) === other.slice(0, length);
    };
    return wordsIn(match).some((word) => typed.some((other) => isForm(word, other)));
  }
  // A passage of a result: every second piece is a match.
  const mark = (match) => element(isTyped(match) ? "mark" : "mark.synonym", match);
  const marked = (pieces, tag = "p") =>
    element(
      tag,
      pieces.map((piece, at) => piece && (at % 2 ? mark(piece) : piece)),
    );
  // A card without rulings has no page of its own.
  const cardPage = ({ game, name, address }) =>
    pageAt(address || "go/index.html?" + new URLSearchParams({ game, card: name }));
  function pageOf(hit) {
    const text = hit.lang === ui ? "" : `text-${hit.lang}`;
    // Who has read the answer in the list is led to it, not to another sentence.
    const sentence = hit.decides && "fragmentDirective" in document ? sentenceOf(hit) : "";
    return pageAt(hit.address) + (text || sentence ? `#${text}${sentence}` : "");
  }
  // A fragment by which the browser goes to the shown sentence and marks it: its first and last words.
  function sentenceOf(hit) {
    const found = hit.elsewhere.join("").replaceAll("…", "").trim().split(/\s+/);
    const ends = found.length > 2 * ENDS ? [found.slice(0, ENDS), found.slice(-ENDS)] : [found];
    const encoded = ends.map((part) => encodeURIComponent(part.join(" ")).replaceAll("-", "%2D"));
    return `:~:text=${encoded}`;
  }
  function badges({ lang, titles, kind, authority, status, undated }) {
    const { words } = client;
    const language = words.languages[lang] || lang;
    const foundIn = Object.hasOwn(titles, ui) ? filled("foundin", { language }) : language;
    // Titles may begin with the kind: Example: two pilots.
    const isTitled = titles[lang].startsWith(words.kind[kind]);
    // Of an open question that is all there is to say.
    const isOpen = kind === "question" && status === "unanswered";
    const nodes = [
      lang !== ui && element("span.found-in", foundIn),
      kind !== "ruling" && !isTitled && !isOpen && element("span.badge.kind", words.kind[kind]),
      authority !== "official" &&
        !isOpen &&
        element(`span.badge.authority.${authority}`, words.authority[authority]),
      status !== "current" && element(`span.badge.status.${status}`, words.status[status]),
      undated && element("span.badge", words.undated),
    ];
    return nodes.filter(Boolean).flatMap((node) => [node, " "]);
  }
  const verdict = (hit) => verdictTile(client.words.verdict, hit);
  const rulings = (card) => (card.rulings ? found(card.rulings) : client.words.noruling);

  // ---- terms ----
  const WORDS = /[\p{L}\p{N}]+/gu;
  const wordsIn = (text) => fold(text).match(WORDS) || [];
  const stem = (word) => (word.length > 5 ? word.slice(0, -2) : word);
  let [folded, glossary] = [null, null];
  // Loads the terms, after the first answer, which needs none.
  function loadTerms() {
    glossary ??= loadScript(below(files.terms[ui]));
    return glossary;
  }
  // The folded names of each term, all at once: one by one they hold up a phone.
  function foldedNames() {
    const names = window.KB_TERMS.map((term) => [...term[2], ...term[4]].join("|"));
    return fold(names.join("\n")).split("\n");
  }
  // The terms with a name that has every typed word, in nearly any form.
  function terms(text, wantedGame, limit) {
    const typed = wordsIn(text).map(stem);
    if (!window.KB_TERMS || typed.join("").length < 3) return [];
    folded ??= foldedNames();
    const isIn = (name) => typed.every((start) => name.includes(start));
    const rated = window.KB_TERMS.flatMap(([game, id, names, meaning], at) => {
      if ((wantedGame && game !== wantedGame) || !isIn(folded[at])) return [];
      const rest = folded[at]
        .split("|")
        .map((name) => name.match(WORDS) || [])
        .filter((name) => typed.every((start) => name.some((word) => word.startsWith(start))))
        .map((name) => name.length - typed.length);
      const href = pageAt(`${game}/glossary/index.html#${id}`);
      return rest.length ? [{ game, names, meaning, href, rest: Math.min(...rest) }] : [];
    });
    return rated.sort((one, other) => one.rest - other.rest).slice(0, limit);
  }

  // ---- recent searches, only on this device ----
  const recent = () => keptList(RECENT, (query) => typeof query === "string");
  const forget = () => keep(RECENT, "[]");
  function remember(query) {
    if (!query) return;
    const queries = [query, ...recent().filter((other) => other !== query)];
    keep(RECENT, JSON.stringify(queries.slice(0, MAX_RECENT)));
  }

  // A card's name in the reader's script, with the original in brackets.
  const readsLatin = new Intl.Locale(ui).maximize().script === "Latn";
  const cardName = ({ name, foreign }) =>
    foreign && /[a-z]/i.test(foreign) === readsLatin ? `${foreign} (${name})` : name;

  Object.assign(client, { badges, cardName, cardPage, filled, forget, found, loadTerms });
  Object.assign(client, { marked, matching, pageOf, parted, recent, remember, rulings, terms });
  Object.assign(client, { verdict });
  window.KBFind = client;
})();
