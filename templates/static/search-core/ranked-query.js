// Runs a query with words, as kb.search.ranked_query: candidates, their rating, and which to show.
"use strict";
(globalThis.KBSearchModules ??= {}).rankedQuery = (base, { buckets, query, postings, ranking }) => {
  const { candidates: limit, phraseCandidates: phraseLimit, few, ofBest } = base.rankedQuery;
  const { mostPartial, certain } = base.rankedQuery;
  const { leaves } = query;
  const keyOf = (node) => `${node.kind} ${node.text}`;
  const isPhrase = ({ kind }) => kind === "phrase";
  const docsOf = (list) => list.map(({ doc }) => doc);
  const union = (sets) => new Set(sets.flatMap((set) => [...set]));
  const intersection = (one, other) => new Set([...one].filter((doc) => other.has(doc)));

  // The documents with a sure meaning of a slot; of a phrase, those with all of its words.
  function sureDocuments(slot) {
    if (isPhrase(slot)) return slot.sequence.map(sureDocuments).reduce(intersection);
    return union([...slot.sure].map(postings.documents));
  }

  // `accepts`: whether a document passes the filters.
  class RankedQuery {
    constructor(root, expander, accepts) {
      Object.assign(this, { root, expander, accepts });
      this.slots = new Map();
      const positive = leaves(root);
      this.isTelling = positive.some((node) => !expander.isOptional(node));
      let isWhole = true;
      for (const node of [...positive, ...query.excludedLeaves(root)]) {
        if (this.slots.has(keyOf(node))) continue;
        isWhole = buckets.attempt(() => this.expand(node, positive.includes(node))) && isWhole;
      }
      if (!isWhole) buckets.settle();
    }

    // Excluded words are matched, never rated; corrections of slips exclude nothing.
    expand(node, isRated) {
      const slot = this.expander.slot(node, isRated && this.isTelling);
      slot.isRated = isRated;
      if (!isRated && slot.isMistyped) {
        slot.words.clear();
        slot.sure.clear();
      }
      this.slots.set(keyOf(node), slot);
      return true;
    }

    slotOf(node) {
      return this.slots.get(keyOf(node));
    }
    get rated() {
      return [...this.slots.values()].filter((slot) => slot.isRated);
    }
    get required() {
      const required = this.rated.filter((slot) => !slot.optional);
      return required.length ? required : this.rated;
    }
    get enough() {
      return this.required.length < few ? 1 : few;
    }

    // {ranked: [{doc, rating, full}], match, docs, slots, corrections}; `ranked`: the documents to
    // show, best first; `docs`: all documents with this kind of match.
    answer() {
      const found = this.rank();
      const corrections = this.corrections(found.ranked);
      return { ...found, slots: this.rated, corrections };
    }

    rank() {
      let { full, partial } = this.rate();
      const phrases = this.rated.filter(isPhrase);
      if (!full.length && phrases.length) {
        for (const slot of phrases)
          this.slots.set(
            keyOf(slot),
            Object.assign(this.expander.byLemmas(slot), { isRated: true }),
          );
        buckets.settle();
        ({ full, partial } = this.rate());
      }
      if (full.length < this.enough && !this.isWide) {
        this.isWide = true;
        ({ full, partial } = this.rate());
      }
      if (full.length >= this.enough) {
        const docs = this.full.length > full.length ? this.full : docsOf(full);
        return { ranked: full, match: "all", docs };
      }
      const least = ofBest * partial[0]?.rating.score;
      const shown = partial.slice(0, mostPartial).filter(({ rating }) => rating.score >= least);
      const kind = match([...full, ...shown], this.rated);
      const ranked = kind === "none" ? [] : [...full, ...shown];
      return { ranked, match: kind, docs: docsOf(ranked) };
    }

    // The corrections of mistyped words, by the word as typed; none unless the best document has
    // all words of the query.
    corrections(ranked) {
      const best = ranked[0]?.rating.best ?? [];
      if (this.rated.some((slot, at) => !slot.optional && !best[at])) return new Map();
      const corrected = this.rated.filter((slot, at) => slot.corrected && best[at]);
      return new Map(corrected.map((slot) => [slot.text, slot.corrected]));
    }

    rate() {
      const slots = [...this.slots.values()];
      const required = new Set(this.required);
      const rarities = slots.map((slot) => (required.has(slot) ? this.rarity(slot) : 0));
      const weights = slots.map(slotWeights);
      for (const names of weights) for (const name of names.keys()) postings.documents(name);
      buckets.settle();
      const docs = this.candidates(slots, weights, rarities);
      const hits = hitsOf(slots, weights, docs);
      for (const doc of docs) buckets.layout(doc);
      buckets.settle();
      const { likely } = this.expander;
      const own = likely.length === 1 ? likely[0] : "";
      const scorer = new ranking.Scorer(slots, rarities, own, ranking.rarity(base.count, 1));
      const numbers = new Map(slots.map((slot, at) => [slot, at]));
      const excluded = query.negations(this.root);
      const list = [];
      for (const doc of docs) {
        const own = base.games[buckets.column(doc, "game")][0];
        const rating = scorer.rate(doc, hits.get(doc), buckets.column(doc, "kind"), own);
        const has = (node) => ranking.isPresent(rating.best[numbers.get(this.slotOf(node))]);
        const isExcluded = excluded.some(({ node }) => this.meets(node, has));
        if (rating.score > 0 && !isExcluded)
          list.push({ doc, rating, full: this.meets(this.root, has) });
      }
      list.sort((one, other) => other.rating.score - one.rating.score || one.doc - other.doc);
      return { full: list.filter(({ full }) => full), partial: list.filter(({ full }) => !full) };
    }

    // The parts that a full match must have: all but the optional ones, if there are others.
    needed({ nodes }) {
      const positive = nodes.filter((node) => node.kind !== "not");
      const needed = positive.filter((node) => node.nodes || !this.slotOf(node).optional);
      return needed.length ? needed : positive;
    }

    // Whether a document, of which `has` tells which leaves it has, is a full match.
    meets(node, has) {
      if (node.kind === "or") return node.nodes.some((part) => this.meets(part, has));
      if (node.kind === "not") return !this.meets(node.node, has);
      if (node.kind !== "and") return has(node);
      const unwanted = node.nodes.filter((part) => part.kind === "not");
      return [...this.needed(node), ...unwanted].every((part) => this.meets(part, has));
    }

    // The documents with every word that matters; a phrase is taken for its words.
    everyWord(node) {
      if (node.kind === "or") return union(node.nodes.map((part) => this.everyWord(part)));
      if (node.kind === "not") return new Set();
      if (node.kind !== "and") return sureDocuments(this.slotOf(node));
      const needed = this.needed(node).map((part) => this.everyWord(part));
      const having = needed.length
        ? needed.reduce(intersection)
        : new Set(Array(base.count).keys());
      for (const part of node.nodes)
        if (part.kind === "not" && !leaves(part.node).some(isPhrase))
          for (const doc of this.everyWord(part.node)) having.delete(doc);
      return having;
    }

    // The documents to rate: those with every word and, if these are few, the best with any word.
    candidates(slots, weights, rarities) {
      const full = [...this.everyWord(this.root)].filter(this.accepts);
      buckets.settle();
      const hasPhrase = slots.some(isPhrase);
      // Whether a document has a phrase shows only when it is rated.
      this.full = hasPhrase || full.length < limit ? [] : full;
      const likely = best(full, weights, rarities, hasPhrase ? phraseLimit : limit);
      if (full.length < this.enough || hasPhrase) this.isWide = true;
      if (!this.isWide) return likely;
      const required = new Set(this.required);
      const names = weights.flatMap((map, at) => (required.has(slots[at]) ? [...map.keys()] : []));
      const any = union(names.map(postings.documents));
      const nearby = best([...any].filter(this.accepts), weights, rarities, limit);
      return [...new Set([...likely, ...nearby])];
    }

    rarity(slot) {
      if (isPhrase(slot)) return slot.sequence.reduce((sum, word) => sum + this.rarity(word), 0);
      const highest = new Map();
      for (const term of slot.lemmas) {
        const lang = term[0] === "#" ? "" : term.slice(0, term.indexOf(":"));
        const frequency = lang ? postings.frequency(term) : postings.documents(term).length;
        highest.set(lang, Math.max(highest.get(lang) || 0, frequency));
      }
      const documents = (lang) => base.documents[lang] ?? base.count;
      const rarities = [...highest]
        .filter(([, frequency]) => frequency)
        .map(([lang, frequency]) => ranking.rarity(documents(lang), frequency));
      if (rarities.length) return Math.min(...rarities);
      return ranking.rarity(documents(this.expander.likely[0] || ""), 1);
    }
  }

  // Names of postings -> weight; for a phrase, of all of its words.
  function slotWeights(slot) {
    if (!isPhrase(slot)) return ranking.weightsOf(slot);
    return new Map(slot.sequence.flatMap((word) => [...ranking.weightsOf(word)]));
  }

  // The `most` best of some documents, by the weights of their words.
  function best(docs, weights, rarities, most) {
    if (docs.length <= most) return docs;
    const sums = new Map(docs.map((doc) => [doc, 0]));
    weights.forEach((names, slot) => {
      const heaviest = new Map();
      for (const [name, weight] of names)
        for (const doc of postings.documents(name))
          if (sums.has(doc) && weight > (heaviest.get(doc) || 0)) heaviest.set(doc, weight);
      for (const [doc, weight] of heaviest) sums.set(doc, sums.get(doc) + rarities[slot] * weight);
    });
    return docs.sort((one, other) => sums.get(other) - sums.get(one) || one - other).slice(0, most);
  }

  // The hits of documents, by document, in the order of positions.
  function hitsOf(slots, weights, docs) {
    const wanted = new Set(docs);
    const found = new Map(docs.map((doc) => [doc, []]));
    slots.forEach((slot, number) => {
      if (isPhrase(slot)) return phraseHits(slot, number, wanted, found);
      const byDocument = positionsOf(weights[number], wanted);
      for (const [doc, positions] of byDocument)
        for (const [position, weight] of positions)
          found.get(doc).push({ position, slot: number, weight });
    });
    for (const hits of found.values())
      hits.sort((one, other) => one.position - other.position || one.slot - other.slot);
    return found;
  }

  // Map doc -> Map position -> the heaviest weight there.
  function positionsOf(names, wanted) {
    const found = new Map();
    for (const [name, weight] of names)
      postings.eachDocument(name, wanted, (doc, positions) => {
        if (!found.has(doc)) found.set(doc, new Map());
        const here = found.get(doc);
        for (const position of positions)
          if (weight > (here.get(position) || 0)) here.set(position, weight);
      });
    return found;
  }

  // A phrase hits where its words stand side by side in one segment.
  function phraseHits({ sequence }, number, wanted, found) {
    const words = sequence.map((word) => positionsOf(ranking.weightsOf(word), wanted));
    for (const [doc, starts] of words[0])
      for (const start of starts.keys()) {
        if (!words.every((positions, at) => positions.get(doc)?.has(start + at))) continue;
        const layout = buckets.layout(doc);
        const segment = layout && layout.find((part) => start < part.start + part.length);
        if (segment && start + sequence.length <= segment.start + segment.length)
          found.get(doc).push({ position: start, slot: number, weight: 1 });
      }
  }

  // The kind of match of some ranked documents, which their first one decides.
  // A partial match of several words that has none as typed, nor any idea of one, is none.
  function match(ranked, slots) {
    if (!ranked.length) return "none";
    const [first] = ranked;
    if (first.full) return "all";
    const weights = slots.map((slot, at) => ({ slot, weight: first.rating.best[at] }));
    const telling = weights.filter(({ slot }) => !slot.optional);
    const required = telling.length ? telling : weights;
    const isTyped = ({ slot, weight }) => weight >= base.expansion.idea && !slot.isMistyped;
    if (required.length > 1 && !required.some(isTyped)) return "none";
    const certainty = first.rating.score + Math.log(first.rating.best.length);
    return certainty >= certain ? "most" : "near";
  }

  const run = (root, expander, accepts) => new RankedQuery(root, expander, accepts).answer();
  return { run };
};
