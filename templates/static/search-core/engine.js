// The search of the browser: KBSearch(base, load).answer(options). It touches no page, so that a
// worker can run it. `base`: the data of base.js; `load(file, name)`: a promise of a shard's data.
"use strict";
globalThis.KBSearch = function KBSearch(base, load) {
  const modules = globalThis.KBSearchModules;
  const { reranked, titleBonus, nearBonus, kinds } = base.scoring;
  const FEW_BLOCKS = 8;
  const text = modules.text(base.text);
  const query = modules.query(base.query, text);
  const shards = modules.shards(base, load);
  const forms = modules.forms(base.languages, shards, text);
  const postings = modules.postings(shards, text);
  const parts = { shards, text, query, forms, postings };
  const expansion = modules.expansion(base.expansion, base.languages, parts);
  const rank = modules.rank(base, parts);
  const filters = modules.filters(base.filters, parts);
  const snippets = modules.snippets(base.snippets, parts);
  const order = Object.keys(base.languages);

  const values = (list, name) =>
    list
      .filter((filter) => filter.name === name && !filter.negated)
      .map((filter) => filter.value.toLowerCase());

  // The languages to look into: those of the games that are asked for, or the ones that are.
  function languagesOf(list) {
    const [games, wanted] = [values(list, "game"), values(list, "lang")];
    const known = (games.length ? games : Object.keys(base.games)).flatMap(
      (game) => base.games[game] || [],
    );
    return order.filter(
      (lang) => known.includes(lang) && (!wanted.length || wanted.includes(lang)),
    );
  }

  // Requests at once what will be needed: postings of a word stand under its folded form.
  function prefetch(words, languages) {
    for (const word of words)
      if (!languages.some((lang) => expansion.isStopWord(word, lang)))
        postings.frequency(`${languages[0]}=${word}`);
    if (base.columns.length <= FEW_BLOCKS) shards.requestColumns();
  }

  // While one types, the last word may be unfinished.
  function completeLast(leaf, typed, languages) {
    const isWord = leaf && leaf.kind === "word" && leaf.text.length >= base.query.minPrefix;
    if (!isWord || /\p{Nd}/u.test(leaf.text) || !typed.endsWith(leaf.text)) return;
    const known = languages.some((lang) => expansion.isKnown(leaf.text, lang));
    shards.settle();
    const continued = forms.starting(text.fold(leaf.text), languages, 1);
    if (!known && languages.some((lang) => continued[lang].length)) leaf.kind = "prefix";
  }

  // Every leaf of the query goes as far as it can before anything is loaded.
  function expandAll(leaves, expander) {
    const expansions = new Map();
    const expand = (node) => {
      const key = `${node.kind} ${node.text}`;
      if (!expansions.has(key)) expansions.set(key, expander.expand(node));
      return expansions.get(key);
    };
    for (const node of leaves) shards.attempt(() => expand(node));
    shards.settle();
    for (const phrase of expansions.values())
      if (phrase.kind === "phrase" && !rank.phraseCounts(phrase.sequence).length) {
        expander.expandPhraseByLemmas(phrase);
        shards.settle();
      }
    return { expand, list: [...expansions.values()] };
  }

  // The best documents are ordered again by their titles and the nearness of the words.
  function ordered(scores, wanted, limit) {
    const ranked = [...scores].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
    for (const [doc] of ranked.slice(0, Math.max(limit, reranked))) shards.record(doc);
    shards.settle();
    const top = ranked.slice(0, reranked).map(([doc, score]) => {
      const [titled, near] = snippets.closeness(shards.record(doc), wanted);
      const factor =
        (1 + titleBonus * titled + nearBonus * near) * (kinds[shards.column(doc, "kind")] || 1);
      return { doc, score: score * factor };
    });
    top.sort((one, other) => other.score - one.score || one.doc - other.doc);
    const least = top.length ? top.at(-1).score : 0;
    const rest = ranked
      .slice(reranked)
      .map(([doc, score]) => ({ doc, score: Math.min(score, least) }));
    return [...top, ...rest].slice(0, limit);
  }

  function hit({ doc, score }, wanted, languages) {
    const record = shards.record(doc);
    const [id, titles] = record;
    const game = shards.column(doc, "game");
    return {
      key: `${game}/${id}`,
      address: base.address.replace("{game}", game).replace("{id}", id),
      game,
      score,
      titles,
      kind: shards.column(doc, "kind"),
      authority: shards.column(doc, "authority"),
      status: shards.column(doc, "status"),
      ...snippets.best(record, wanted, languages),
    };
  }

  // The query without its slips; empty where it has none.
  function suggestion(typed, expansions) {
    let better = typed;
    for (const { text: word, corrected } of expansions)
      if (corrected) better = better.replace(word, () => corrected);
    return better === typed ? "" : better;
  }

  function find(options) {
    const { root, filters: own } = query.parse(options.text);
    const all = [...own, ...(options.filters || [])];
    const languages = languagesOf(all);
    const leaves = query.leaves(root);
    const words = leaves
      .flatMap((leaf) => leaf.words || [leaf.text])
      .filter((word) => !expansion.isNumber(word));
    prefetch(words, languages);
    const likely = expansion.likelyLanguages(words, languages);
    if (options.typing) completeLast(leaves.at(-1), options.text, languages);
    const { expand, list } = expandAll(leaves, new expansion.Expander(languages, likely));
    const scorer = new rank.Scorer(root, list, expand);
    const browses = root || all.length || options.browse;
    const matches = (some) => scorer.matches(filters.accepts(some, languages));
    const { scores, relaxed } = browses ? matches(all) : { scores: new Map(), relaxed: false };
    const facets = filters.facetCounts(all, [...scores.keys()], (some) =>
      root || some.length || options.browse ? [...matches(some).scores.keys()] : [],
    );
    const wanted = snippets.wantedWords(list);
    return {
      total: scores.size,
      relaxed,
      suggestion: suggestion(options.text, list),
      facets,
      hits: ordered(scores, wanted, options.limit || 10).map((entry) =>
        hit(entry, wanted, languages),
      ),
    };
  }

  // options: text; filters [{name, value}] that the page adds to the query's own; limit; typing: the
  // last word may be unfinished; browse: without a text all are found. Gives null when it is no longer wanted.
  const answer = (options, isWanted) => shards.resolve(() => find(options), isWanted);

  return { answer, ...parts };
};
