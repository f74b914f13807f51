// Turns the filters of a query into a test of documents, as kb.search.filters; counts the facets.
"use strict";
(globalThis.KBSearchModules ??= {}).filters = (
  { ever, noLonger, facets },
  { buckets, postings, text, forms },
) => {
  const { column } = buckets;
  const { fold, tokenize } = text;
  const CARD = "@card:";
  const COMBINED = ["before", "after", "asof"];
  function isDate(value) {
    const isWritten = /^\d{4}(-\d\d){0,2}$/.test(value);
    const day = new Date(isWritten ? value : NaN);
    // Some browsers read the 30th of February as a day of March.
    return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value);
  }
  const dateKey = (date, missing) => [...date.split("-"), missing, missing].slice(0, 3).join("");
  const today = () => new Date().toISOString().slice(0, 10).replaceAll("-", "");
  const documentsWith = (term) => new Set(postings.documents(term));
  const has = (docs) => (doc) => docs.has(doc);
  const valuesOf = (doc, name) => [column(doc, name) ?? []].flat();

  // The filters that do more than compare a value with the column of their name.
  const TESTS = {
    source: (value) => has(documentsWith("@source:" + value)),
    card: (value, languages) => has(documentsAbout(value, languages)),
    before: (value) => (doc) =>
      Boolean(column(doc, "date")) && column(doc, "date") < dateKey(value, "01"),
    after: (value) => (doc) =>
      Boolean(column(doc, "date")) && column(doc, "date") >= dateKey(value, "01"),
    asof: (value) => (doc) => {
      const day = dateKey(value, "31");
      return column(doc, "begins") <= day && day < column(doc, "ends");
    },
    rules: (value) => (doc) => {
      const rules = valuesOf(doc, "rules");
      return !rules.length || rules.includes(value);
    },
  };

  // The documents with a card of this name, as it stands or with its words inflected.
  function documentsAbout(value, languages) {
    const folded = fold(value).replaceAll(",", " ").trim();
    const exact = documentsWith(CARD + folded);
    buckets.settle();
    if (exact.size || !folded) return exact;
    const lemmasOf = (word) => languages.flatMap((lang) => forms.analyze(word, lang).lemmas);
    const typed = tokenize(value).map(
      ({ text: word }) => new Set(["^" + fold(word), ...lemmasOf(word)]),
    );
    const isMeant = (term) => {
      const words = tokenize(term.slice(CARD.length)).map((token) => fold(token.text));
      return words.length === typed.length && words.every((word, at) => typed[at].has("^" + word));
    };
    const terms = [...buckets.rowsWith("t", CARD + folded[0])].map(([term]) => term);
    buckets.settle();
    const docs = terms.filter(isMeant).flatMap((term) => [...documentsWith(term)]);
    buckets.settle();
    return new Set(docs);
  }

  function test({ name, value }, languages) {
    if (COMBINED.includes(name) && !isDate(value)) return () => false;
    const wanted = name === "source" ? value : value.toLowerCase();
    if (Object.hasOwn(TESTS, name)) return TESTS[name](wanted, languages);
    return (doc) => valuesOf(doc, name).includes(wanted);
  }

  // Whether a document passes all filters. Values of one filter are alternatives.
  function accepts(filters, languages) {
    const all = [];
    const alternatives = new Map();
    for (const filter of filters) {
      if (filter.name === "status" && filter.value.toLowerCase() === "any") continue;
      const passes = test(filter, languages);
      if (filter.negated) all.push((doc) => !passes(doc));
      else if (COMBINED.includes(filter.name)) all.push(passes);
      else alternatives.set(filter.name, [...(alternatives.get(filter.name) || []), passes]);
    }
    for (const group of alternatives.values())
      all.push((doc) => group.some((passes) => passes(doc)));
    if (!filters.some(({ name, negated }) => !negated && ["status", "asof"].includes(name)))
      all.push(
        (doc) => !noLonger.includes(column(doc, "status")) && column(doc, "ends") > today(),
      );
    buckets.settle();
    return (doc) => all.every((passes) => passes(doc));
  }

  // Whether the filters ask for a day, and nobody knows when a document came into force.
  const isUndated = (filters, doc) =>
    filters.some(({ name, negated }) => name === "asof" && !negated) &&
    column(doc, "begins") === ever;

  // How many documents have each value of a field, the most frequent first.
  function counts(name, docs) {
    const counted = new Map();
    for (const doc of docs)
      for (const value of valuesOf(doc, name)) {
        const key = name === "topic" ? `${column(doc, "game")}/${value}` : value;
        counted.set(key, (counted.get(key) || 0) + 1);
      }
    return [...counted].sort(
      (one, other) => other[1] - one[1] || forms.alphabetic(one[0], other[0]),
    );
  }

  // A field is counted without its own filters. `find(filters)` gives the documents.
  function facetCounts(filters, docs, find) {
    const isOn = (name) => (filter) => filter.name === name && !filter.negated;
    const counted = facets.map((name) => {
      const found = filters.some(isOn(name))
        ? find(filters.filter((filter) => !isOn(name)(filter)))
        : docs;
      return [name, counts(name, found)];
    });
    buckets.settle();
    return Object.fromEntries(counted);
  }

  return { accepts, facetCounts, isUndated };
};
