// Which documents a query means and how well each answers it, as kb.search.scoring.
"use strict";
(globalThis.KBSearchModules ??= {}).rank = (
  base,
  { shards, postings, query: { leaves, negations } },
) => {
  const { k1, b, few, exactBonus, least, ofBest, phraseWeight, coverageWeight } = base.scoring;
  const { column } = shards;
  const { frequency, posting, positions } = postings;
  const EPSILON = 1e-9;

  const lengthNorm = (doc) => k1 * (1 - b + (b * column(doc, "length")) / base.average);
  const saturation = (weight, doc) => (weight * (k1 + 1)) / (weight + lengthNorm(doc));
  const inverseFrequency = (count) => Math.log(1 + (base.count - count + 0.5) / (count + 0.5));
  const rarity = (expansion) =>
    inverseFrequency(Math.max(0, ...Object.keys(expansion.terms).map(frequency)));
  const isForm = (term) => term.indexOf("=") > 0 && term.indexOf("=") < 4;
  const allDocuments = () => new Map(Array.from({ length: base.count }, (_, doc) => [doc, 0]));

  function scoreWord(expansion) {
    const weight = rarity(expansion);
    const byForm = new Map();
    const byLemma = new Map();
    for (const [term, factor] of Object.entries(expansion.terms)) {
      const scores = isForm(term) ? byForm : byLemma;
      const { docs, weights } = posting(term);
      docs.forEach((doc, at) => {
        const score = factor * weight * saturation(weights[at], doc);
        if (score > (scores.get(doc) || 0)) scores.set(doc, score);
      });
    }
    shards.settle();
    for (const [doc, score] of byForm)
      byLemma.set(doc, Math.max(score, byLemma.get(doc) || 0) + exactBonus * score);
    return byLemma;
  }

  // The documents with all words of a phrase in order, with the number of times.
  function phraseCounts(sequence) {
    const documentsOf = (terms) =>
      new Set(Object.keys(terms).flatMap((term) => [...posting(term).docs]));
    let documents = null;
    for (const terms of sequence) {
      const having = documentsOf(terms);
      documents = documents ? new Set([...documents].filter((doc) => having.has(doc))) : having;
    }
    shards.settle();
    let starts = null;
    sequence.forEach((terms, offset) => {
      const here = new Map();
      for (const term of Object.keys(terms))
        for (const [doc, list] of positions(term, documents)) {
          if (!here.has(doc)) here.set(doc, new Set());
          for (const position of list) here.get(doc).add(position - offset);
        }
      if (!starts) starts = here;
      else
        for (const [doc, before] of starts)
          starts.set(doc, new Set([...before].filter((start) => here.get(doc)?.has(start))));
    });
    shards.settle();
    return [...(starts || [])].map(([doc, list]) => [doc, list.size]).filter(([, count]) => count);
  }

  function scorePhrase({ sequence }) {
    const counts = phraseCounts(sequence);
    const weight = inverseFrequency(counts.length) * sequence.length;
    const scores = new Map(
      counts.map(([doc, count]) => [doc, weight * saturation(1 + count, doc)]),
    );
    shards.settle();
    return scores;
  }
  const scoreLeaf = (expansion) =>
    expansion.kind === "phrase" ? scorePhrase(expansion) : scoreWord(expansion);

  // Scores the documents of one query. `expand` gives the expansion of a leaf.
  class Scorer {
    constructor(root, expansions, expand) {
      this.root = root;
      this.expand = expand;
      this.needed = expansions.filter((expansion) => !expansion.optional);
      this.cache = new Map();
    }

    leaf(expansion) {
      if (!this.cache.has(expansion)) this.cache.set(expansion, scoreLeaf(expansion));
      return this.cache.get(expansion);
    }

    // The documents that a negated part excludes: by forms and lemmas, never by guesses at slips.
    excluded({ node }) {
      const expansions = leaves(node).map(this.expand);
      return expansions.some((expansion) => expansion.corrected)
        ? []
        : [...this.evaluate(node).keys()];
    }

    evaluate(node) {
      if (node.kind === "not") return new Map();
      if (node.kind === "or") return this.anyOf(node.nodes);
      if (node.kind === "and") return this.allOf(node.nodes);
      return this.leaf(this.expand(node));
    }

    anyOf(nodes) {
      const scores = new Map();
      for (const node of nodes)
        for (const [doc, score] of this.evaluate(node))
          scores.set(doc, (scores.get(doc) || 0) + score);
      return scores;
    }

    allOf(nodes) {
      const positive = nodes.filter((node) => node.kind !== "not");
      const needed = positive.filter((node) => node.nodes || !this.expand(node).optional);
      const parts = (needed.length ? needed : positive).map((node) => this.evaluate(node));
      parts.sort((one, other) => one.size - other.size);
      const scores = parts.length ? new Map(parts[0]) : allDocuments();
      for (const part of parts.slice(1))
        for (const [doc, score] of scores) {
          if (part.has(doc)) scores.set(doc, score + part.get(doc));
          else scores.delete(doc);
        }
      for (const node of nodes)
        if (node.kind === "not") for (const doc of this.excluded(node)) scores.delete(doc);
      return scores;
    }

    full() {
      this.fullMatches ??= this.root ? this.evaluate(this.root) : allDocuments();
      return this.fullMatches;
    }

    // Documents that have most of the words, weighted by rarity.
    partial(accepts) {
      if (this.needed.length < 2) return new Map();
      const excluded = new Set(negations(this.root).flatMap((node) => this.excluded(node)));
      const weights = this.needed.map((expansion) =>
        expansion.kind === "phrase" ? phraseWeight : rarity(expansion),
      );
      const whole = weights.reduce((sum, weight) => sum + weight, 0);
      const coverage = new Map();
      const scores = new Map();
      this.needed.forEach((expansion, at) => {
        for (const [doc, score] of this.leaf(expansion)) {
          coverage.set(doc, (coverage.get(doc) || 0) + weights[at] / whole);
          scores.set(doc, (scores.get(doc) || 0) + score);
        }
      });
      const docs = [...scores.keys()].filter((doc) => !excluded.has(doc) && accepts(doc));
      const best = docs.reduce((most, doc) => Math.max(most, coverage.get(doc)), 0);
      const threshold = Math.max(least, ofBest * best) - EPSILON;
      const kept = docs.filter((doc) => coverage.get(doc) >= threshold);
      return new Map(
        kept.map((doc) => [doc, coverageWeight * coverage.get(doc) + scores.get(doc)]),
      );
    }

    // {scores, relaxed}: full matches, always above the partial ones that are added where they are few.
    matches(accepts) {
      const full = new Map([...this.full()].filter(([doc]) => accepts(doc)));
      shards.settle();
      if (!this.root || full.size >= few || (full.size && this.needed.length < few))
        return { scores: full, relaxed: false };
      const scores = this.partial(accepts);
      shards.settle();
      for (const doc of full.keys()) scores.delete(doc);
      const relaxed = scores.size > 0;
      const above = [...scores.values()].reduce((most, score) => Math.max(most, score), 0);
      for (const [doc, score] of full) scores.set(doc, 2 * above + score);
      return { scores, relaxed };
    }
  }

  return { Scorer, phraseCounts };
};
