// The search of the browser: KBSearch(base, load).answer(options). It touches no page, so that a
// worker can run it. `base`: the data of base.js; `load(file, name)`: a promise of a bucket's data.
// A question is answered in three steps, each of which loads what it needs: the meanings of its words,
// the rulings that have them, and the texts of those that are shown.
"use strict";
globalThis.KBSearch = function KBSearch(base, load) {
  const modules = globalThis.KBSearchModules;
  if (base.version !== modules.version) throw new Error("the index is of another build");
  // Each module takes the base and the modules before it: those that read words, then the steps.
  const readers = ["text", "query", "buckets", "forms", "postings", "expansion"];
  const steps = ["ranking", "rankedQuery", "keyboards", "cards", "filters", "snippets"];
  const parts = { load };
  for (const name of [...readers, ...steps]) parts[name] = modules[name](base, parts);
  const { buckets, cards, expansion, filters, forms, keyboards, query } = parts;
  const { rankedQuery, snippets, text } = parts;
  const FEW_LAYOUTS = 2;
  const NOTHING = { ranked: [], docs: [], total: 0, match: "none", confidence: "none" };
  const NO_MATCH = { ...NOTHING, slots: [], corrections: new Map(), isTyped: false };
  // What a query without words finds, or a card's name: exactly what was asked for, which is headed
  // as what it is.
  function exact(ranked, docs, heading) {
    const all = ranked.map((entry) => ({ ...entry, match: "all" }));
    const about = { match: "all", confidence: "answer", heading, isTyped: true };
    return { ranked: all, docs, total: docs.length, ...about };
  }

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

  const wordsOf = (root) => query.leaves(root).flatMap((leaf) => leaf.words || [leaf.text]);

  // ---- the words ----
  // Makes the last word a prefix if it is unfinished, since somebody is typing; whether it did. A
  // word that the reader's language continues and does not know is unfinished, unless the words
  // before it are of another language.
  async function completeLast(root, typed, languages, ui) {
    const leaf = query.leaves(root).at(-1);
    const isWord = leaf && leaf.kind === "word" && leaf.text.length >= base.query.minPrefix;
    if (!isWord || /\p{Nd}/u.test(leaf.text) || !typed.endsWith(leaf.text)) return false;
    const folded = text.fold(leaf.text);
    const [continuations] = await Promise.all([
      Promise.all(languages.map((lang) => forms.starting(folded, lang))),
      forms.load(wordsOf(root)),
    ]);
    const continuing = languages.filter((_, at) => continuations[at].length);
    const written = expansion.likelyLanguages(wordsOf(root).slice(0, -1), languages);
    const reads = written.includes(ui) && continuing.includes(ui) ? [ui] : languages;
    if (!continuing.length || reads.some((lang) => forms.isKnown(leaf.text, lang))) return false;
    leaf.kind = "prefix";
    return true;
  }

  // The query as it is searched for: another one than `typed` if it is typed on another keyboard.
  async function understand(options) {
    const { filters: added = [], ui = "" } = options;
    const typed = await cards.quoted(text.clean(options.text), base.order);
    const parsed = query.parse(typed);
    const languages = languagesOf([...parsed.filters, ...added]);
    const isTyping = options.typing && !/\s$/u.test(options.text);
    const [isUnfinished] = await Promise.all([
      isTyping && completeLast(parsed.root, typed, languages, ui),
      forms.load(parsed.root ? text.wordsOf(typed) : []),
      buckets.loadKind("d"),
      buckets.loadKind("g", FEW_LAYOUTS),
    ]);
    const isComplete = parsed.root && !isUnfinished;
    const searchedFor = (isComplete && (await keyboards.read(typed, languages))) || "";
    const { root, filters: own } = searchedFor ? query.parse(searchedFor) : parsed;
    const words = wordsOf(root);
    await forms.load(words);
    const likely = expansion.likelyLanguages(words, languages);
    if (isTyping && searchedFor) await completeLast(root, searchedFor, languages, ui);
    return { typed, searchedFor, root, filters: [...own, ...added], words, languages, likely };
  }

  // ---- the rulings ----
  // {found, named, filters, hiddenBy, facets}: the ranked rulings and the cards of a query. For a card's
  // name and nothing else, the rulings that name the card.
  async function match({ root, filters: typed, words, languages, likely }, options) {
    const { browse, facets = true, ui = "" } = options;
    const expander = new expansion.Expander(languages, likely, ui);
    const expanded = rankedQuery.expand(root, expander);
    async function search(list) {
      const [slots, accepts] = await Promise.all([expanded, filters.accepts(list, languages)]);
      if (root) return rankedQuery.run(root, slots, expander, accepts);
      if (!list.length && !browse) return NO_MATCH;
      const docs = [...Array(base.count).keys()].filter(accepts);
      if (!docs.length) return NO_MATCH;
      const ranked = docs.map((doc) => ({ doc, rating: { score: 0 } }));
      return { ...NO_MATCH, ...exact(ranked, docs, "") };
    }

    let list = typed;
    let [found, meanings] = await Promise.all([
      search(list),
      cards.meanings(words.flatMap(text.wordsOf), likely),
    ]);
    const answering = found.ranked.length ? buckets.column(found.ranked[0].doc, "game") : "";
    const named = cards.named(meanings, gamesOf(list), answering);
    const all = values(list, "card").length ? [] : named.filter((card) => card.sole);
    const exactly = all.filter((card) => card.exact && card.rulings);
    const sole = exactly.length ? exactly : all;
    if (sole.some(({ rulings }) => rulings)) {
      const about = [...list, ...sole.map(({ name }) => ({ name: "card", value: name }))];
      const narrowed = await search(about);
      if (narrowed.ranked.length)
        [list, found] = [about, { ...narrowed, ...exact(narrowed.ranked, narrowed.docs, "named") }];
    } else if (sole.length && found.match === "near") found = NO_MATCH;
    const isHidden = found.match === "none" && named.some(({ rulings }) => rulings);
    const isExcluded = found.match !== "all" && (await excludesAll(root, list, languages, expander));
    const docsOf = async (some) => (await search(some)).docs;
    return {
      found,
      named,
      filters: list,
      hiddenBy: isExcluded ? "exclusion" : isHidden ? await reasonOf(list, docsOf) : "",
      facets: facets ? await filters.facetCounts(list, found.docs, docsOf) : {},
    };
  }

  // Whether the rulings with all words of a query are those that it excludes.
  async function excludesAll(root, list, languages, expander) {
    const wanted = query.negations(root).length ? query.withoutExclusions(root) : null;
    if (!wanted) return false;
    const slots = await rankedQuery.expand(wanted, expander);
    const accepts = await filters.accepts(list, languages);
    return (await rankedQuery.run(wanted, slots, expander, accepts)).match === "all";
  }

  // What hides the rulings on a card: the filters, or that they are no longer in force.
  async function reasonOf(list, docsOf) {
    if (list.length && (await docsOf([])).length) return "filter";
    return (await docsOf([{ name: "status", value: "any" }])).length ? "standing" : "";
  }

  // ---- the texts ----
  function hit({ doc, rating: { score }, match }, wanted, { filters: list, languages, ui }) {
    const record = buckets.record(doc);
    const [id, titles, , , , verdict, when] = record;
    const [game, kind, authority] = ["game", "kind", "authority"].map((name) =>
      buckets.column(doc, name),
    );
    const status = filters.standing(doc);
    const address = base.address.replace("{game}", game).replace("{id}", id);
    const undated = filters.isUndated(list, doc);
    const marks = { kind, authority, status, verdict, when, undated };
    const shown = snippets.best(record, wanted, languages, ui);
    // Of an open question no sentence decides.
    shown.decides &&= kind !== "question";
    return { key: `${game}/${id}`, address, game, score, match, titles, ...marks, ...shown };
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

  // options: text; filters [{name, value}] that the page adds to the query's own; limit; typing: the
  // last word may be unfinished; browse: an empty text finds all; ui: the interface's language;
  // facets: false to leave out their counts. Gives null if it is no longer wanted.
  async function answer(options, isWanted = () => true) {
    const { limit = 10, ui = "" } = options;
    const understood = await understand(options);
    if (!isWanted()) return null;
    const { found, named, hiddenBy, facets, filters: list } = await match(understood, options);
    if (!isWanted()) return null;
    const shown = found.ranked.slice(0, limit);
    await buckets.loadDocuments(
      "x",
      shown.map(({ doc }) => doc),
    );
    if (!isWanted()) return null;
    const { typed, searchedFor, languages } = understood;
    const wanted = snippets.wantedWords(found.slots);
    return {
      total: found.total,
      partial: found.ranked.filter((entry) => entry.match !== "all").length,
      match: found.match,
      confidence: found.confidence,
      heading: found.heading ?? found.confidence,
      isTyped: found.isTyped,
      suggestion: corrected(searchedFor || typed, found.corrections),
      searchedFor,
      cards: named,
      hiddenBy,
      facets,
      hits: shown.map((entry) => hit(entry, wanted, { filters: list, languages, ui })),
    };
  }

  return { answer, ...parts };
};
