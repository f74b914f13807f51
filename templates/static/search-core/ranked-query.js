// Runs a query with words, as kb.search.ranked_query: candidates, their rating, and which to show.
"use strict";
(globalThis.KBSearchModules ??= {}).rankedQuery = (base, parts) => {
  const { buckets, forms, query, ranking } = parts;
  const { candidates: limit, phraseCandidates: phraseLimit, few, ofBest } = base.rankedQuery;
  const { mostPartial, certain, besideOpen } = base.rankedQuery;
  const { exact } = base.expansion;
  const { stated: STATED, apart: APART, words: WORDS } = base.confidence;
  const { mostApart, asWell, nearly, sure, unlikely } = base.confidence;
  const { leaves } = query;
  const keyOf = (node) => `${node.kind} ${node.text}`;
  const isPhrase = ({ kind }) => kind === "phrase";
  const docsOf = (list) => list.map(({ doc }) => doc);
  const union = (sets) => new Set(sets.flatMap((set) => [...set]));
  const intersection = (one, other) => new Set([...one].filter((doc) => other.has(doc)));

  // As what a ruling is ranked: a question that was answered is a ruling.
  function rankedKind(doc) {
    const [kind, status] = ["kind", "status"].map((name) => buckets.column(doc, name));
    return kind === "question" && status !== "unanswered" ? "ruling" : kind;
  }

  // The documents with a sure meaning of a slot; of a phrase, those with all of its words.
  function sureDocuments(slot) {
    if (isPhrase(slot)) return slot.sequence.map(sureDocuments).reduce(intersection);
    return union([...slot.sure].map(buckets.documents));
  }

  async function withPostings(slot) {
    const isNumber = (name) => name[0] === "#";
    const [names, terms] = [[...slotWeights(slot).keys()], lemmasOf(slot)];
    await Promise.all([
      buckets.loadPostings([...names, ...terms.filter(isNumber)]),
      forms.loadLemmas(terms.filter((name) => !isNumber(name))),
    ]);
    return slot;
  }

  async function expand(root, expander) {
    const positive = leaves(root);
    const isTelling = positive.some((node) => !expander.isOptional(node));
    const excluded = query.excludedLeaves(root);
    const nodes = new Map([...excluded, ...positive].map((node) => [keyOf(node), node]));
    const slots = [...nodes].map(async ([key, node]) => {
      const isRated = positive.includes(node);
      const slot = await expander.slot(node, isRated && isTelling).then(withPostings);
      // Excluded words are matched, never rated; corrections of slips exclude nothing.
      if (!isRated && slot.isMistyped) {
        slot.words.clear();
        slot.sure.clear();
      }
      return [key, Object.assign(slot, { isRated })];
    });
    return new Map(await Promise.all(slots));
  }

  // `accepts`: whether a document passes the filters.
  class RankedQuery {
    constructor(root, slots, expander, accepts) {
      Object.assign(this, { root, slots, expander, accepts });
      // The documents with every word, if not all of them are rated.
      this.full = [];
      // Whether documents with only some of the words are candidates too.
      this.isWide = false;
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

    // {ranked: [{doc, rating, match}], total, match, confidence, docs, slots, corrections, isTyped};
    // `ranked`: the documents to show, best first, partial matches after full ones; `total`: the
    // number of full matches; `docs`: all documents that match; `isTyped`: whether the best has
    // the words as they are typed.
    async answer() {
      const found = await this.rank();
      const about = { corrections: this.corrections(found.ranked), isTyped: this.isTyped(found) };
      return { ...found, slots: this.rated, ...about };
    }

    isTyped({ ranked: [first] }) {
      const required = new Set(this.required);
      const has = ({ kind }, weight) => (kind === "prefix" ? weight > 0 : weight >= exact);
      const best = first?.rating.best ?? [];
      return this.rated.every((slot, at) => !required.has(slot) || has(slot, best[at]));
    }

    async rank() {
      let { full, partial } = await this.rate();
      if (!full.length && this.rated.some(isPhrase)) {
        await this.takePhrasesByLemmas();
        ({ full, partial } = await this.rate());
      }
      if (full.length < this.enough && !this.isWide) {
        this.isWide = true;
        ({ full, partial } = await this.rate());
      }
      if (full.length >= this.enough) {
        const docs = this.full.length > full.length ? this.full : docsOf(full);
        const confidence = this.confidence(full);
        return { ranked: full, total: docs.length, match: "all", confidence, docs };
      }
      const least = ofBest * partial[0]?.rating.score;
      const shown = partial
        .slice(0, mostPartial)
        .filter(({ rating }) => rating.score >= least)
        .map((entry) => ({ ...entry, match: partialMatch(entry.rating) }));
      const ranked = [...full, ...shown];
      if (!full.length && !(shown.length && hasGround(shown[0].rating, this.rated)))
        return { ranked: [], total: 0, match: "none", confidence: "none", docs: [] };
      const [{ match }] = ranked;
      const confidence = this.confidence(ranked);
      return { ranked, total: full.length, match, confidence, docs: docsOf(ranked) };
    }

    // How sure the first document is to decide the query, as kb.search.confidence.
    confidence(ranked) {
      const [first, second] = ranked;
      const kindOf = ({ doc }) => rankedKind(doc);
      const statedBy = (entry) =>
        this.scorer.stated(entry.doc, this.hits.get(entry.doc), kindOf(entry));
      const { score } = first.rating;
      const secondScore = second?.rating.score ?? 0;
      const apart = score ? Math.min(mostApart, (score - secondScore) / score) : 0;
      const stated = statedBy(first);
      const words = Math.log(Math.max(this.required.length, 1));
      const certainty = STATED * stated + APART * apart + WORDS * words;
      const hasRival = () =>
        secondScore > (1 - nearly) * score && statedBy(second) >= asWell * stated;
      const isAsked = (entry) => kindOf(entry) === "question";
      // Whether a ruling follows the record of an open question closely.
      const isClose = (entry) => entry.rating.score >= besideOpen * score;
      const mayDecide = () =>
        isAsked(first) && ranked.slice(1).some((entry) => isClose(entry) && !isAsked(entry));
      const isUnsure =
        certainty >= sure
          ? first.match === "near" || hasRival() || mayDecide()
          : certainty >= unlikely || first.match === "all";
      // What a word means that no ruling has, nobody knows: it denies nothing.
      if (isUnsure || this.hasUnknownWord(first)) return "close";
      return certainty >= sure && !isAsked(first) ? "answer" : "none";
    }

    // Whether a required word is in no document of a document's game.
    hasUnknownWord({ doc: first, rating: { best } }) {
      const game = buckets.column(first, "game");
      const required = new Set(this.required);
      const isOfGame = (doc) => buckets.column(doc, "game") === game;
      return [...this.slots.values()].some(
        (slot, at) =>
          required.has(slot) && !best[at] && ![...sureDocuments(slot)].some(isOfGame),
      );
    }

    async takePhrasesByLemmas() {
      const slots = [...this.slots].map(async ([key, slot]) => {
        if (!slot.isRated || !isPhrase(slot)) return [key, slot];
        const other = await this.expander.byLemmas(slot).then(withPostings);
        return [key, Object.assign(other, { isRated: true })];
      });
      this.slots = new Map(await Promise.all(slots));
    }

    // The corrections of mistyped words, by the word as typed; none unless the best document has
    // all words of the query.
    corrections(ranked) {
      const best = ranked[0]?.rating.best ?? [];
      if (this.rated.some((slot, at) => slot.isNeeded && !best[at])) return new Map();
      const corrected = this.rated.filter((slot, at) => slot.corrected && best[at]);
      return new Map(corrected.map((slot) => [slot.text, slot.corrected]));
    }

    // The full and the partial matches among the candidates, best first.
    async rate() {
      const slots = [...this.slots.values()];
      const required = new Set(this.required);
      const weights = slots.map(slotWeights);
      const rarities = slots.map((slot) => (required.has(slot) ? this.rarity(slot) : 0));
      const docs = this.candidates(slots, weights, rarities);
      await buckets.loadDocuments("g", docs);
      const hits = hitsOf(slots, weights, docs);
      const scorer = new ranking.Scorer(slots, rarities);
      Object.assign(this, { scorer, hits });
      const numbers = new Map(slots.map((slot, at) => [slot, at]));
      const excluded = query.negations(this.root);
      const list = [];
      for (const doc of docs) {
        const rating = scorer.rate(doc, hits.get(doc), rankedKind(doc));
        const has = (node) => ranking.isPresent(rating.best[numbers.get(this.slotOf(node))]);
        const isExcluded = excluded.some(({ node }) => this.meets(node, has));
        if (rating.score > 0 && !isExcluded)
          list.push({ doc, rating, match: this.meets(this.root, has) ? "all" : "near" });
      }
      list.sort((one, other) => other.rating.score - one.rating.score || one.doc - other.doc);
      const isFull = ({ match }) => match === "all";
      return { full: list.filter(isFull), partial: list.filter((entry) => !isFull(entry)) };
    }

    // The parts that a full match must have: those needed, else those rated, else all.
    needed({ nodes }) {
      const positive = nodes.filter((node) => node.kind !== "not");
      const needed = positive.filter((node) => node.nodes || this.slotOf(node).isNeeded);
      const rated = positive.filter((node) => node.nodes || !this.slotOf(node).optional);
      return [needed, rated, positive].find(({ length }) => length);
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
      const hasPhrase = slots.some(isPhrase);
      // Whether a document has a phrase shows only when it is rated.
      this.full = hasPhrase || full.length < limit ? [] : full;
      const likely = best(full, weights, rarities, hasPhrase ? phraseLimit : limit);
      if (full.length < this.enough || hasPhrase) this.isWide = true;
      if (!this.isWide) return likely;
      const required = new Set(this.required);
      const names = weights.flatMap((map, at) => (required.has(slots[at]) ? [...map.keys()] : []));
      const any = union(names.map(buckets.documents));
      const nearby = best([...any].filter(this.accepts), weights, rarities, limit);
      return [...new Set([...likely, ...nearby])];
    }

    rarity(slot) {
      if (isPhrase(slot)) return slot.sequence.reduce((sum, word) => sum + this.rarity(word), 0);
      const highest = new Map();
      for (const term of slot.lemmas) {
        const lang = term[0] === "#" ? "" : term.slice(0, term.indexOf(":"));
        const frequency = lang ? forms.lemma(term).documents : buckets.documents(term).length;
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

  const lemmasOf = (slot) => (isPhrase(slot) ? slot.sequence.flatMap(lemmasOf) : [...slot.lemmas]);
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
        for (const doc of buckets.documents(name))
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
      for (const [doc, positions] of buckets.posting(name)) {
        if (!wanted.has(doc)) continue;
        if (!found.has(doc)) found.set(doc, new Map());
        const here = found.get(doc);
        for (const position of positions)
          if (weight > (here.get(position) || 0)) here.set(position, weight);
      }
    return found;
  }

  // A phrase hits where its words stand side by side in one segment.
  function phraseHits({ sequence }, number, wanted, found) {
    const words = sequence.map((word) => positionsOf(ranking.weightsOf(word), wanted));
    for (const [doc, starts] of words[0])
      for (const start of starts.keys()) {
        if (!words.every((positions, at) => positions.get(doc)?.has(start + at))) continue;
        const layout = buckets.layout(doc);
        const segment = layout.find((part) => start < part.start + part.length);
        if (start + sequence.length <= segment.start + segment.length)
          found.get(doc).push({ position: start, slot: number, weight: 1 });
      }
  }

  // Whether a partial match has most of the words, or is a guess.
  const partialMatch = ({ score, best }) =>
    score + Math.log(best.length) >= certain ? "most" : "near";

  // Whether a partial match of several words has any of them as typed, or an idea of it.
  function hasGround({ best }, slots) {
    const weights = slots.map((slot, at) => ({ slot, weight: best[at] }));
    const telling = weights.filter(({ slot }) => !slot.optional);
    const required = telling.length ? telling : weights;
    const present = required.filter(({ weight }) => weight >= base.expansion.idea);
    const slipped = present.filter(({ slot }) => slot.isSlipped).length;
    const isTyped = present.some(({ slot }) => !slot.isMistyped);
    return required.length <= 1 || isTyped || 2 * slipped >= required.length;
  }

  const run = (...about) => new RankedQuery(...about).answer();
  return { expand, run };
};
