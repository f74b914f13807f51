// Shared by search page and search boxes: the engine, the words, recent searches, links.
// window.KBFind. The engine runs in a worker, or here where a page is opened from a file.
(function () {
  "use strict";
  if (window.KBFind) return;
  const { counted, element, fold, isFile, keep, keptList, loadScript } = window.KB_PAGE;
  const { number, offline, openSearch, pageAt, root, ui } = window.KB_PAGE;
  const { absent, foldedWords, markWords, verdictOf, wordsIn } = window.KBMarks;
  const files = window.KB_BUILT.search;
  const below = (address) => `${root}/${address}`;
  // A worker has another folder than the page.
  const full = (address) => new URL(below(address), document.baseURI).href;
  const RECENT = "kb.recent";
  const MAX_RECENT = 8;
  const ENDS = 5;

  // ---- the engine: a function of options and isWanted that gives the promise of an answer ----
  function engineHere() {
    const opened = openSearch({ core: below(files.core), base: below(files.base) });
    // The question reports the failure.
    opened.catch(() => {});
    return async (options, isWanted) => (await opened).answer(options, isWanted);
  }

  // The worker that the search page has started; that of another build is of no use.
  function startedWorker() {
    const { worker, files: own } = window.KB_WORKER || {};
    const isOurs = ["worker", "core", "base"].every((name) => own?.[name] === full(files[name]));
    window.KB_WORKER = null;
    if (isOurs) return worker;
    worker?.terminate();
    return null;
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
    let [asked, latest] = [null, 0];
    function settle(name, value) {
      asked?.[name](value);
      asked = null;
    }
    // If the worker does not start, the page searches itself.
    worker.onerror = () => {
      engine = engineHere();
      if (asked) settle("done", engine(asked.options, asked.isWanted));
    };
    worker.onmessage = ({ data: { number, answer, error } }) => {
      if (error) {
        worker.terminate();
        engine = null;
        settle("fail", new Error(error));
      } else if (number === asked?.number) settle("done", answer);
    };
    return (options, isWanted) =>
      new Promise((done, fail) => {
        settle("done", null);
        asked = { number: ++latest, options, isWanted, done, fail };
        worker.postMessage({ number: latest, options });
      });
  }

  // The engine's answer; null if another question was asked meanwhile. After a failure, as without a
  // network, the next question starts another engine.
  const start = () => (isFile ? engineHere() : engineInWorker());
  let [engine, questions] = [start(), 0];
  // How long in ms after its first answer the search is kept for use without a network.
  const KEPT = 3000;
  async function ask(options) {
    const question = ++questions;
    typed = wordsIn(options.text);
    const isWanted = () => question === questions;
    try {
      engine ??= start();
      const answer = await engine({ ui, ...options }, isWanted);
      if (question === 1) setTimeout(offline.keepSearch, KEPT);
      return isWanted() ? answer : null;
    } catch (error) {
      engine = null;
      throw error;
    }
  }

  // ---- words ----
  const client = { ask, askWider };
  // The search page has the words itself.
  const loaded = window.KB_WORDS ? null : loadScript(below(files.words[ui]));
  client.ready = Promise.resolve(loaded).then(() => {
    client.words = window.KB_WORDS;
    return client;
  });
  const filled = (name, values) =>
    client.words[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const found = (count) => counted(client.words.found, count);
  // How many rulings are full matches, below a heading; "" if none is.
  const NAMES_RULINGS = ["close", "named"];
  function matching({ confidence, total }, heading) {
    if (!total || confidence === "none") return "";
    return NAMES_RULINGS.includes(heading) ? number(total) : found(total);
  }
  // Topics are those of one game.
  const isOfAllGames = ({ name }) => !["game", "topic"].includes(name);
  // {found, others}: the answer, and what other games have, if the best ruling of those that the
  // filters name lacks a typed word or has another form; null if another question was asked meanwhile.
  async function askWider(options) {
    const found = await ask(options);
    const games = options.filters.filter(({ name }) => name === "game").map(({ value }) => value);
    const own = games.filter((game) => Object.hasOwn(client.words.games, game));
    const isSure = found?.isTyped || found?.isEmpty || found?.heading === "answer";
    if (!found || isSure || !own.length) return found && { found, others: null };
    const filters = options.filters.filter(isOfAllGames);
    const everywhere = await ask({ ...options, filters, facets: false });
    return everywhere && { found, others: inOtherGames(everywhere, found, own) };
  }
  // {label, game} of what other games have where the answer of the game `own`, or of several, lacks the
  // words as typed; null if nothing better. `game`: one that has words that the own ones have not, "" for
  // all games; `everywhere`: the answer of all games.
  function inOtherGames(everywhere, ofOne, own) {
    const { cards, confidence, hits, isTyped, total, words } = everywhere;
    const isOwn = (game) => own.includes(game);
    const lacking = words.filter(({ nearby }) => !nearby.some(isOwn));
    const having = (other) => lacking.filter(({ games }) => games.includes(other));
    const [other] = [...new Set([hits[0]?.game, ...lacking.flatMap(({ games }) => games)])]
      .filter((id) => having(id).length)
      .sort((one, two) => having(two).length - having(one).length);
    if (other) {
      const named = cards.find((card) => card.sole && card.game === other)?.name;
      const missing = named ?? having(other).map(({ text }) => text).join(", ");
      const { games } = client.words;
      const names = own.map((game) => games[game]).join(", ");
      const label = filled("elsewhere", { words: missing, game: games[other], own: names });
      return { label, game: other };
    }
    const [first, ofOwn] = [hits[0], ofOne.hits[0]];
    if (!first || (ofOwn && (!isTyped || first.game === ofOwn.game))) return null;
    const count = total && confidence !== "none" ? [found(total)] : [];
    return { label: [client.words.allgames, ...count].join(" · "), game: "" };
  }
  // That no ruling has some words: "" if each is in one.
  function unknownWords(answer) {
    const words = absent(answer);
    return words && filled("absent", { words });
  }
  // The name of the words that head an answer to a text, such as a rule's number: 113.5.
  const NUMBER = /^\D{0,3}\d+(\.\d+)*$/;
  const isSingle = ({ length }) => length === 1;
  function headingOf({ heading, isExcluded, isTyped, match, words }, text) {
    if (isExcluded) return "excluded";
    if (match === "all" && NUMBER.test(text)) return "numbers";
    // A word alone asks nothing that a ruling could miss.
    const isWord = isTyped && heading === "close" && [words, wordsIn(text)].some(isSingle);
    return isWord ? "results" : heading;
  }
  // That no ruling passes some filters: "" if each lets one pass.
  function unmatched({ unmatched: filters }) {
    const written = filters.map(({ name, value }) => `${name}:${value}`).join(", ");
    return written && filled("unmatched", { filter: written });
  }
  // The hits, full matches apart from the partial ones that follow them.
  function parted({ hits, total }) {
    return [hits.slice(0, total || hits.length), hits.slice(total || hits.length)];
  }

  // ---- elements ----
  // The words of the last question.
  let typed = [];
  const marked = (pieces, tag = "p") => element(tag, markWords(pieces, typed));
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
  function badges(hit) {
    const { lang, titles, undated } = hit;
    const { words } = client;
    // A title of the language alone is marked itself.
    const isElsewhere = lang !== ui && Object.hasOwn(titles, ui);
    const language = words.languages[lang] || lang;
    return [
      ...(isElsewhere ? [element("span.found-in", filled("foundin", { language })), " "] : []),
      ...window.KB_PAGE.badges(words, hit, titles[lang]),
      ...(undated ? [element("span.badge", words.undated), " "] : []),
    ];
  }
  const verdict = (hit) => verdictOf(client.words.verdict, hit, typed);
  const rulings = (card) => (card.rulings ? found(card.rulings) : client.words.noruling);

  // ---- terms ----
  const [viewed] = keptList("kb.viewed", (row) => typeof row?.key === "string");
  const lastRead = viewed?.key.split("/")[0];
  const isOther = ({ game }) => Number(game !== lastRead);
  const nearest = (one, other) =>
    one.rank - other.rank || isOther(one) - isOther(other) || one.rest - other.rest;
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
  // The terms with a name that has every typed word, in nearly any form: first those with the typed
  // name, then those with a name that begins with it; the first name of a term before its others.
  function terms(text, wantedGame, limit) {
    const whole = wordsIn(text).join(" ");
    const typed = wordsIn(text).map(stem);
    if (!window.KB_TERMS || typed.join("").length < 3) return [];
    folded ??= foldedNames();
    const isIn = (name) => typed.every((start) => name.includes(start));
    function rate(name, at) {
      const words = foldedWords(name);
      if (!typed.every((start) => words.some((word) => word.startsWith(start)))) return [];
      const written = words.join(" ");
      const alike = written === whole ? 0 : written.startsWith(whole) ? 1 : 2;
      return [{ rank: 2 * alike + Math.min(at, 1), rest: words.length - typed.length }];
    }
    const rated = window.KB_TERMS.flatMap(([game, id, names, meaning], at) => {
      if ((wantedGame && game !== wantedGame) || !isIn(folded[at])) return [];
      const [best] = folded[at].split("|").flatMap(rate).sort(nearest);
      const href = pageAt(`${game}/glossary/index.html#${id}`);
      return best ? [{ game, names, meaning, href, ...best }] : [];
    });
    return rated.sort(nearest).slice(0, limit);
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

  Object.assign(client, { badges, cardName, cardPage, filled, forget, headingOf, loadTerms });
  Object.assign(client, { marked, matching, pageOf, parted, recent, remember, rulings, terms });
  Object.assign(client, { unknownWords, unmatched, verdict });
  window.KBFind = client;
})();
