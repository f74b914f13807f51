// The score of a document for a query: the formula of kb.search.ranking, over the hits of postings.
"use strict";
(globalThis.KBSearchModules ??= {}).ranking = (base, { expansion: { nameOf }, buckets }) => {
  const {
    ranking: settings,
    expansion: { present, idea },
  } = base;
  const { fields, saturation, coverage: COVERAGE, line: LINE, near: NEAR } = settings;
  const { precision, window: WINDOW, kinds, named: NAMED } = settings;
  const names = new Set(settings.names);
  const lines = new Set(settings.lines);
  const passages = new Set(settings.passages);
  const stating = new Set(settings.stating);

  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const rarity = (documents, frequency) =>
    Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));

  // The hits of a slot: Map name of a posting -> weight.
  function weightsOf(slot) {
    const weights = new Map(slot.ideas.map((name) => [name, idea]));
    for (const [lang, words] of slot.words)
      for (const [word, weight] of words) weights.set(nameOf(lang, word), weight);
    return weights;
  }

  // Rates documents for one query.
  class Scorer {
    constructor(slots, rarities) {
      Object.assign(this, { slots, rarities });
      this.total = sum(rarities) || 1;
    }

    part(heaviest) {
      const parts = heaviest.map((weight, slot) => this.rarities[slot] * weight);
      return sum(parts) / this.total;
    }

    // `hits`: [{position, slot, weight}] of a document in the order of positions.
    // {score, best}: `best` has each slot's heaviest hit.
    rate(doc, hits, kind) {
      const zeros = () => this.slots.map(() => 0);
      const [frequency, best] = [zeros(), zeros()];
      let [line, near] = [0, 0];
      for (const { field, length, hits: here } of segmented(buckets.layout(doc), hits)) {
        const heaviest = zeros();
        for (const { slot, weight } of here) {
          frequency[slot] += fields[field] * weight;
          heaviest[slot] = Math.max(heaviest[slot], weight);
        }
        heaviest.forEach((weight, slot) => (best[slot] = Math.max(best[slot], weight)));
        if (lines.has(field))
          line = Math.max(line, this.part(heaviest) * precisionOf(here, length));
        else if (this.slots.length > 1 && passages.has(field))
          near = Math.max(near, this.nearness(here));
      }
      const coverage = this.part(best);
      const often = frequency.map((count) => count / (count + saturation));
      const words = this.part(best.map((weight, slot) => weight * often[slot]));
      const total = words + COVERAGE * coverage * coverage + LINE * line * line + NEAR * near;
      return { score: total * (kinds[kind] ?? 1), best };
    }

    // How much of the query a document states; arguments as of `rate`.
    stated(doc, hits, kind) {
      const zeros = () => this.slots.map(() => 0);
      const together = zeros();
      let most = 0;
      const segments = [...segmented(buckets.layout(doc), hits)];
      const isNamed = ({ field }) => kind === "example" && names.has(field);
      const slotsOf = ({ hits: here }) => here.map(({ slot }) => slot);
      const named = new Set(segments.filter(isNamed).flatMap(slotsOf));
      for (const { field, length, hits: here } of segments) {
        const heaviest = zeros();
        for (const { slot, weight } of here)
          heaviest[slot] = Math.max(heaviest[slot], named.has(slot) ? weight * NAMED : weight);
        if (lines.has(field))
          most = Math.max(most, this.part(heaviest) * precisionOf(here, length));
        if (stating.has(field))
          heaviest.forEach((weight, slot) => (together[slot] = Math.max(together[slot], weight)));
      }
      return Math.max(most, this.part(together));
    }

    // The part of the total that the best window of words has.
    nearness(hits) {
      let best = 0;
      hits.forEach((first, at) => {
        const heaviest = this.slots.map(() => 0);
        for (let next = at; next < hits.length; next++) {
          const { position, slot, weight } = hits[next];
          if (position - first.position > WINDOW) break;
          heaviest[slot] = Math.max(heaviest[slot], weight);
        }
        best = Math.max(best, this.part(heaviest));
      });
      return best;
    }
  }

  // The factor of a title or question of some words: the more of them the query has, the more.
  const precisionOf = (hits, length) =>
    1 - precision + precision * Math.min(1, hits.length / length);

  // The segments with hits, and these hits.
  function* segmented(layout, hits) {
    let at = 0;
    for (const { field, start, length } of layout) {
      const first = at;
      while (at < hits.length && hits[at].position < start + length) at++;
      if (at > first) yield { field, length, hits: hits.slice(first, at) };
      if (at === hits.length) return;
    }
  }

  const isPresent = (weight) => weight >= present;
  return { Scorer, isPresent, rarity, weightsOf };
};
