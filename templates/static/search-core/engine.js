// The search of the browser: KBSearch(base, load).answer(options). It touches no page, so that a
// worker can run it. `base`: the data of base.js; `load(file, name)`: a promise of a bucket's data.
// A question is answered in three steps, each of which loads what it needs: the meanings of its words,
// the rulings that have them, and the texts of those that are shown.
"use strict";
globalThis.KBSearch = function KBSearch(base, load) {
  const modules = globalThis.KBSearchModules;
  if (base.version !== modules.version) throw new Error("the index is of another build");
  // Each module takes the base and the modules before it: those that read words, then the steps.
  const readers = ["text", "query", "buckets", "forms", "expansion"];
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
  // While somebody types, a last word of one or two letters may become any: it waits for a space.
  const BEGUN_WORD = /(^|[\s(])-?\p{L}{1,2}$/u;

  // Makes the last word a prefix if it is unfinished; whether it is. A word that the reader's language
  // continues and does not know is unfinished, unless the words before it are of another language. It
  // may become a form that the texts do not have, too: the shortest of each language.
  async function completeLast(root, typed, languages, ui) {
    const leaf = query.leaves(root).at(-1);
    const isWord = leaf && leaf.kind === "word" && leaf.text.length >= base.query.minPrefix;
    if (!isWord || /\p{Nd}/u.test(leaf.text) || !typed.endsWith(leaf.text)) return false;
    const folded = text.fold(leaf.text);
    await Promise.all([forms.loadWith(folded), forms.load(wordsOf(root))]);
    const longer = languages
      .map((lang) => ({ lang, words: forms.continuing(folded, lang) }))
      .filter(({ words }) => words.length);
    const continuing = longer.map(({ lang }) => lang);
    const written = expansion.likelyLanguages(wordsOf(root).slice(0, -1), languages);
    const reads = written.includes(ui) && continuing.includes(ui) ? [ui] : languages;
    if (!continuing.length || reads.some((lang) => forms.isKnown(leaf.text, lang))) return false;
    const shorter = (one, other) => (other.length < one.length ? other : one);
    const meant = longer.map(({ lang, words }) => ({ lang, word: words.reduce(shorter) }));
    Object.assign(leaf, { kind: "prefix", meant });
    return true;
  }

  // The query as it is searched for: another one than `typed` if it is typed on another keyboard.
  // `isTyping`: its last word may still grow; `isUnfinished`: nobody can say yet what it will be.
  async function understand(options) {
    const { filters: added = [], ui = "" } = options;
    const isTyping = Boolean(options.typing) && !/\s$/u.test(options.text);
    const typed = text.clean(options.text);
    const begun = isTyping ? text.clean(typed.replace(BEGUN_WORD, "$1")) : typed;
    const isBegun = begun !== typed;
    const [finished] = await Promise.all([
      cards.quoted(begun, base.order),
      forms.load(text.wordsOf(begun)),
      buckets.loadKind("d"),
      buckets.loadKind("g", FEW_LAYOUTS),
    ]);
    const parsed = query.parse(finished, base.games);
    const languages = languagesOf([...parsed.filters, ...added]);
    const complete = (root, typed) => isTyping && !isBegun && completeLast(root, typed, languages, ui);
    const isPrefix = await complete(parsed.root, finished);
    const isComplete = parsed.root && !isPrefix;
    const searchedFor = (isComplete && (await keyboards.read(finished, languages))) || "";
    const { root, filters: own } = searchedFor ? query.parse(searchedFor) : parsed;
    await expansion.divide(root, base.order);
    const words = wordsOf(root);
    const likely = expansion.likelyLanguages(words, languages);
    const isContinued = searchedFor && (await complete(root, searchedFor));
    const state = {
      isTyping: isTyping && !isBegun,
      isUnfinished: Boolean(isPrefix || isContinued),
      isBare: !root && !own.length,
    };
    return { typed, searchedFor, root, filters: [...own, ...added], words, languages, likely, ...state };
  }

  // ---- the rulings ----
  // {found, named, filters, hiddenBy, isExcluded, facets, unmatched, words}: the ranked rulings and the
  // cards of a query. For a card's name and nothing else, the rulings that name the card. `unmatched`:
  // without a ruling, the filters that none passes.
  async function match({ root, filters: typed, words, languages, likely, isBare }, options) {
    const { browse, facets = true, ui = "" } = options;
    const expander = new expansion.Expander(languages, likely, ui);
    const expanded = rankedQuery.expand(root, expander);
    async function search(list) {
      const [slots, accepts] = await Promise.all([expanded, filters.accepts(list, languages)]);
      if (root) return rankedQuery.run(root, slots, expander, accepts);
      if (isBare && !browse) return NO_MATCH;
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
    const asked = found.ranked.length ? [] : typed.filter(({ negated }) => !negated);
    const isUnmatched = await Promise.all(asked.map(findsNothing));
    return {
      found,
      named,
      filters: list,
      unmatched: asked.filter((_, at) => isUnmatched[at]),
      words: root ? await gamesOfWords(await expanded) : [],
      hiddenBy: isHidden && !isExcluded ? await reasonHidden(list, docsOf) : "",
      isExcluded,
      facets: facets ? await filters.facetCounts(list, found.docs, docsOf) : {},
    };
  }

  // The games in which each word that matters stands in a text or a card's name, as typed or,
  // `nearby`, in another form of about its length, a mistyped one with another ending or one slip:
  // [{text, games, nearby}].
  const [ENDING, LONG] = [3, 7];
  async function gamesOfWords(slots) {
    const words = [...slots.values()].filter(
      ({ isRated, kind, optional }) => isRated && kind === "word" && !optional,
    );
    async function found(slot) {
      const typed = text.fold(slot.text);
      await forms.load([typed]);
      const numbers = forms.cardsWith(typed);
      await buckets.loadDocuments("c", numbers);
      const ofCards = numbers.map((number) => buckets.card(number)[0]);
      const names = [...slot.words].flatMap(([lang, weights]) =>
        [...weights.keys()].map((word) => ({ word, name: expansion.nameOf(lang, word) })),
      );
      function gamesWith(isMeant) {
        const meant = names.filter(({ word }) => isMeant(word));
        const docs = meant.flatMap(({ name }) => buckets.documents(name));
        return [...new Set([...ofCards, ...docs.map((doc) => buckets.column(doc, "game"))])];
      }
      const isOneLetterOff = (word) =>
        word.length === typed.length &&
        [...word].filter((letter, at) => letter !== typed[at]).length === 1;
      function isNearby(word) {
        // A long word with one slip is hardly another word.
        if (typed.length >= LONG && (slot.isSlipped || isOneLetterOff(word))) return true;
        const [short, long] = [word, typed].map(({ length }) => length).sort((x, y) => x - y);
        const kept = slot.isMistyped ? Math.max(long, ENDING * 2) - ENDING : 1;
        return long - short <= ENDING && word.slice(0, kept) === typed.slice(0, kept);
      }
      const games = gamesWith((word) => word === typed);
      return { text: slot.text, games, nearby: gamesWith(isNearby) };
    }
    return Promise.all(words.map(found));
  }

  async function findsNothing(filter) {
    const passes = await filters.accepts([filter, { name: "status", value: "any" }], base.order);
    return ![...Array(base.count).keys()].some(passes);
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
  async function reasonHidden(list, docsOf) {
    if (list.length && (await docsOf([])).length) return "filter";
    return (await docsOf([{ name: "status", value: "any" }])).length ? "standing" : "";
  }

  // ---- the texts ----
  const loadRulings = (docs) =>
    Promise.all(["d", "x"].map((kind) => buckets.loadDocuments(kind, docs)));
  // What readers see of a ruling, which is loaded. `ends`: of the answers in the texts.
  function ruling(doc) {
    const [id, titles, texts, ends, names, verdict, when] = buckets.record(doc);
    const [game, kind, authority] = ["game", "kind", "authority"].map((name) =>
      buckets.column(doc, name),
    );
    const [status, undated] = [filters.standing(doc), filters.isUndated(doc)];
    const marks = { kind, authority, status, undated, verdict, when };
    return { key: `${game}/${id}`, id, game, titles, texts, ends, names, ...marks };
  }
  function hit({ doc, rating: { score }, match }, wanted, { filters: list, languages, ui }) {
    const { id, texts, ends, names, ...about } = ruling(doc);
    const { game, status, titles } = about;
    const address = base.address.replace("{game}", game).replace("{id}", id);
    const shown = snippets.best({ titles, texts, ends, names }, wanted, languages, ui);
    // Of an open question no sentence decides.
    shown.decides &&= status !== "unanswered";
    const undated = about.undated && list.some(filters.isOn("asof"));
    return { ...about, address, score, match, undated, ...shown };
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
  // last word may be unfinished; browse: without words and filters of its own a query finds all that
  // the page's filters let pass; ui: the interface's language; facets: false to leave out their counts.
  // Gives null if it is no longer wanted. `isWaiting`: nothing is searched for yet.
  async function answer(options, isWanted = () => true) {
    const { limit = 10, ui = "" } = options;
    const understood = await understand(options);
    if (!isWanted()) return null;
    const { found, named, filters: list, ...about } = await match(understood, options);
    if (!isWanted()) return null;
    const shown = found.ranked.slice(0, limit);
    await buckets.loadDocuments(
      "x",
      shown.map(({ doc }) => doc),
    );
    if (!isWanted()) return null;
    const { typed, searchedFor, languages, isTyping, isUnfinished, isBare } = understood;
    const wanted = snippets.wantedWords(found.slots);
    return {
      total: found.total,
      partial: found.ranked.filter((entry) => entry.match !== "all").length,
      match: found.match,
      confidence: found.confidence,
      heading: found.heading ?? found.confidence,
      isTyped: found.isTyped,
      isTyping,
      isUnfinished,
      isWaiting: isBare && Boolean(options.typing) && !options.browse,
      suggestion: corrected(searchedFor || typed, found.corrections),
      searchedFor,
      // The words that matter.
      subject: found.slots
        .filter(({ optional }) => !optional)
        .map((slot) => slot.text)
        .join(" "),
      cards: named,
      isEmpty: isBare,
      ...about,
      hits: shown.map((entry) => hit(entry, wanted, { filters: list, languages, ui })),
    };
  }

  return { answer, count: base.count, loadRulings, ruling, ...parts };
};
