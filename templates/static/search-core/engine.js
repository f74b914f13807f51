// The search of the browser: KBSearch(base, load).answer(options). It touches no page, so that a
// worker can run it. `base`: the data of base.js; `load(file, name)`: a promise of a bucket's data.
"use strict";
globalThis.KBSearch = function KBSearch(base, load) {
  const modules = globalThis.KBSearchModules;
  if (base.version !== modules.version) throw new Error("the index is of another build");
  // Each module takes the base and the modules before it: those that read words, then the steps.
  const readers = ["text", "query", "buckets", "forms", "postings", "expansion"];
  const steps = ["ranking", "rankedQuery", "keyboards", "cards", "filters", "snippets"];
  const parts = { load };
  for (const name of [...readers, ...steps]) parts[name] = modules[name](base, parts);
  const { buckets, cards, expansion, filters, forms, keyboards, postings, query } = parts;
  const { rankedQuery, snippets, text } = parts;
  const [FEW_BLOCKS, FEW_LAYOUTS, FEW_RULINGS, PAUSE] = [8, 2, 256, 100];
  const AHEAD = ["t", "x", ...base.order.map((lang) => `w-${lang}-`), "s"];
  const NO_MATCH = { ranked: [], docs: [], match: "none", slots: [], corrections: new Map() };

  const values = (list, name) =>
    list.filter(filters.isOn(name)).map(({ value }) => value.toLowerCase());

  function gamesOf(list) {
    const games = values(list, "game");
    return games.length ? games : Object.keys(base.games);
  }

  // The languages to search: those that the query asks for, among those of its games.
  function languagesOf(list) {
    const wanted = values(list, "lang");
    const spoken = new Set(gamesOf(list).flatMap((game) => base.games[game] || []));
    return base.order.filter(
      (lang) => spoken.has(lang) && (!wanted.length || wanted.includes(lang)),
    );
  }

  // Requests the buckets that most queries need together.
  function prefetch(words, languages) {
    for (const word of words) postings.documents(`${languages[0]}=${text.fold(word)}`);
    buckets.requestAll("d", FEW_BLOCKS);
    buckets.requestAll("g", FEW_LAYOUTS);
  }

  // Makes the last word a prefix if it is unfinished, since somebody is typing; whether it did. A
  // word that the reader's language continues and does not know is unfinished, unless the words
  // before it are of another language.
  function completeLast(root, typed, languages, ui) {
    const leaf = query.leaves(root).at(-1);
    const isWord = leaf && leaf.kind === "word" && leaf.text.length >= base.query.minPrefix;
    if (!isWord || /\p{Nd}/u.test(leaf.text) || !typed.endsWith(leaf.text)) return false;
    const folded = text.fold(leaf.text);
    const continues = (lang) => forms.starting(folded, lang).length > 0;
    const written = expansion.likelyLanguages(wordsOf(root).slice(0, -1), languages);
    const reads = written.includes(ui) && continues(ui) ? [ui] : languages;
    const isKnown = reads.some((lang) => forms.isKnown(leaf.text, lang));
    const isContinued = reads.some(continues);
    buckets.settle();
    if (isKnown || !isContinued) return false;
    leaf.kind = "prefix";
    return true;
  }

  // {ranked, match, slots, corrections} of the documents that pass the filters.
  function ranked(root, expander, accepts, browse) {
    if (root) return rankedQuery.run(root, expander, accepts);
    if (!browse) return NO_MATCH;
    const docs = [...Array(base.count).keys()].filter(accepts);
    const list = docs.map((doc) => ({ doc, rating: { score: 0 } }));
    return { ...NO_MATCH, ranked: list, docs, match: docs.length ? "all" : "none" };
  }

  function hit({ doc, rating: { score } }, wanted, languages, ui) {
    const record = buckets.record(doc);
    const [id, titles] = record;
    const [game, kind, authority, status] = ["game", "kind", "authority", "status"].map((name) =>
      buckets.column(doc, name),
    );
    const address = base.address.replace("{game}", game).replace("{id}", id);
    const marks = { kind, authority, status };
    const shown = snippets.best(record, wanted, languages, ui);
    return { key: `${game}/${id}`, address, game, score, titles, ...marks, ...shown };
  }

  // The query with its slips corrected; empty without slips.
  function corrected(typed, corrections) {
    let [better, end] = ["", 0];
    for (const token of text.tokenize(typed)) {
      better += typed.slice(end, token.start) + (corrections.get(token.text) ?? token.text);
      end = token.end;
    }
    better += typed.slice(end);
    return better === typed ? "" : better;
  }

  const wordsOf = (root) => query.leaves(root).flatMap((leaf) => leaf.words || [leaf.text]);

  function find(options) {
    const { limit = 10, ui = "", browse = false } = options;
    const added = options.filters || [];
    const cleaned = text.clean(options.text);
    const typed = query.parse(cleaned);
    const languages = languagesOf([...typed.filters, ...added]);
    prefetch(wordsOf(typed.root), languages);
    const isTyping = options.typing && !/\s$/u.test(options.text);
    const isUnfinished = isTyping && completeLast(typed.root, cleaned, languages, ui);
    const searchedFor = typed.root && !isUnfinished ? keyboards.read(cleaned, languages) : null;
    const { root, filters: own } = searchedFor ? query.parse(searchedFor) : typed;
    let all = [...own, ...added];
    const words = wordsOf(root);
    const likely = expansion.likelyLanguages(words, languages);
    if (isTyping && searchedFor) completeLast(root, searchedFor, languages, ui);
    const expander = new expansion.Expander(languages, likely, ui);
    const search = (some) => {
      const accepts = filters.accepts(some, languages);
      return ranked(root, expander, accepts, some.length > 0 || browse);
    };
    let found = buckets.attempt(() => search(all));
    const answering = found?.ranked.length ? buckets.column(found.ranked[0].doc, "game") : "";
    const named = buckets.attempt(() =>
      cards.named(words.flatMap(text.wordsOf), likely, gamesOf(all), answering),
    );
    buckets.settle();
    // For a card's name and nothing else: the rulings that name the card.
    const sole = values(all, "card").length ? [] : named.filter((card) => card.sole);
    if (sole.some(({ rulings }) => rulings)) {
      const about = [...all, ...sole.map(({ name }) => ({ name: "card", value: name }))];
      const narrowed = search(about);
      if (narrowed.ranked.length) [all, found] = [about, { ...narrowed, match: "all" }];
    } else if (sole.length && found.match === "near") found = NO_MATCH;
    const isHidden = found.match === "none" && named.some(({ rulings }) => rulings);
    const hiddenBy = isHidden ? reasonOf(all, search) : "";
    const docsOf = (some) => search(some).docs;
    const facets = options.facets === false ? {} : filters.facetCounts(all, found.docs, docsOf);
    const shown = found.ranked.slice(0, limit);
    for (const { doc } of shown) buckets.record(doc);
    buckets.settle();
    const wanted = snippets.wantedWords(found.slots);
    return {
      total: found.docs.length,
      match: found.match,
      suggestion: corrected(searchedFor || cleaned, found.corrections),
      searchedFor: searchedFor || "",
      cards: named,
      hiddenBy,
      facets,
      hits: shown.map((entry) => ({
        ...hit(entry, wanted, languages, ui),
        undated: filters.isUndated(all, entry.doc),
      })),
    };
  }

  // What hides the rulings on a card: the filters, or that they are no longer in force.
  function reasonOf(list, search) {
    const isFound = (some) => search(some).ranked.length > 0;
    const isFiltered = list.length > 0 && isFound([]);
    const isEnded = !isFiltered && isFound([{ name: "status", value: "any" }]);
    buckets.settle();
    return isFiltered ? "filter" : isEnded ? "standing" : "";
  }

  let asked = 0;
  // options: text; filters [{name, value}] that the page adds to the query's own; limit; typing: the
  // last word may be unfinished; browse: an empty text finds all; ui: the interface's language;
  // facets: false to leave out their counts. Gives null if it is no longer wanted.
  async function answer(options, isWanted = () => true) {
    const number = ++asked;
    const isTyping = options.typing || !(options.text || options.browse);
    const found = await buckets.resolve(() => find(options), isWanted);
    // Somebody who types will ask for more: load all of a small base ahead.
    if (base.count <= FEW_RULINGS && isTyping && !isCostly())
      setTimeout(() => buckets.loadAhead(AHEAD, () => number === asked).catch(() => {}), PAUSE);
    return found;
  }

  // Whether the reader's connection is too slow or too dear for loading ahead.
  function isCostly() {
    const { saveData, effectiveType = "4g" } = globalThis.navigator?.connection || {};
    return saveData || effectiveType !== "4g";
  }

  return { answer, ...parts };
};

// A search that outlives its build: if a bucket is gone, a newer build has replaced that of the page.
// Then the base is read again, and the question is asked once more. `read(isAgain)`: a promise of the
// data of base.js, past every cache if it is read again.
globalThis.KBSearchSession = function KBSearchSession(read, load) {
  const open = (isAgain) => read(isAgain).then((base) => globalThis.KBSearch(base, load));
  let engine = open(false);
  return async function answer(options, isWanted) {
    const current = engine;
    try {
      return await (await current).answer(options, isWanted);
    } catch {
      // Another question may have opened it again already.
      if (engine === current) engine = open(true);
      return (await engine).answer(options, isWanted);
    }
  };
};
