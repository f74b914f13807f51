// Turns the filters of a query into a test of documents, as kb.search.filters; counts the facets. The
// columns of all documents are loaded.
"use strict";
(globalThis.KBSearchModules ??= {}).filters = (base, { buckets, text, forms }) => {
  const { ever, noLonger, facets, ended, upcoming } = base.filters;
  const { fold, wordsOf } = text;
  const { column } = buckets;
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
  async function documentsWith(terms) {
    await buckets.loadPostings(terms);
    return new Set(terms.flatMap((term) => [...buckets.documents(term)]));
  }
  const has = (docs) => (doc) => docs.has(doc);
  const isOn = (name) => (filter) => filter.name === name && !filter.negated;
  const valuesOf = (doc, name) => [column(doc, name) ?? []].flat();

  const ofDate = (isWanted) => (value) => (doc) => {
    const date = column(doc, "date");
    return Boolean(date) && isWanted(date, dateKey(value, "01"));
  };
  // The filters that do more than compare a value with the column of their name.
  const TESTS = {
    source: async (value) => has(await documentsWith(["@source:" + value])),
    id: async (value) => has(await documentsWith(["@id:" + value, "@formerly:" + value])),
    card: async (value, languages) => has(await documentsAbout(value, languages)),
    before: ofDate((date, day) => date < day),
    after: ofDate((date, day) => date >= day),
    asof: (value) => (doc) =>
      column(doc, "begins") <= dateKey(value, "31") && dateKey(value, "31") < column(doc, "ends"),
    rules: (value) => (doc) => {
      const rules = valuesOf(doc, "rules");
      return !rules.length || rules.includes(value);
    },
  };

  // How a ruling stands on a day, as kb.records.validity.standing.
  function standing(doc, day = today()) {
    const [status, begins, ends] = ["status", "begins", "ends"].map((name) => column(doc, name));
    if (status === "superseded" && begins <= day && day < ends) return "current";
    if (noLonger.includes(status)) return status;
    return begins > day ? upcoming : ends <= day ? ended : status;
  }

  // The documents with a card of this name, as it stands or with its words inflected.
  async function documentsAbout(value, languages) {
    const folded = fold(value).replaceAll(",", " ").trim();
    const exact = await documentsWith([CARD + folded]);
    if (exact.size || !folded) return exact;
    const words = wordsOf(value);
    await Promise.all([forms.load(words), buckets.loadWith("v", CARD + folded[0])]);
    const lemmasOf = (word) => languages.flatMap((lang) => forms.analyze(word, lang).lemmas);
    const typed = words.map((word) => new Set(["^" + fold(word), ...lemmasOf(word)]));
    const isMeant = (term) => {
      const words = wordsOf(term.slice(CARD.length)).map(fold);
      return words.length === typed.length && words.every((word, at) => typed[at].has("^" + word));
    };
    const names = buckets.rowsWith("v", CARD + folded[0]).flatMap((rows) => [...rows.keys()]);
    const terms = names.filter((term) => term.startsWith(CARD + folded[0]));
    return documentsWith(terms.filter(isMeant));
  }

  // A test of documents, or a promise of one.
  function test({ name, value }, languages) {
    if (COMBINED.includes(name) && !isDate(value)) return () => false;
    const wanted = name === "source" ? value : value.toLowerCase();
    if (Object.hasOwn(TESTS, name)) return TESTS[name](wanted, languages);
    return (doc) => valuesOf(doc, name).includes(wanted);
  }

  // Whether a document passes all filters. Values of one filter are alternatives.
  async function accepts(filters, languages) {
    const all = [];
    const alternatives = {};
    for (const filter of filters) {
      const { name, value, negated } = filter;
      if (name === "status" && value.toLowerCase() === "any") continue;
      const passes = await test(filter, languages);
      if (negated) all.push((doc) => !passes(doc));
      else if (COMBINED.includes(name)) all.push(passes);
      else (alternatives[name] ??= []).push(passes);
    }
    for (const group of Object.values(alternatives))
      all.push((doc) => group.some((passes) => passes(doc)));
    if (!["status", "asof"].some((name) => filters.some(isOn(name)))) {
      const outOfForce = [...noLonger, ended, upcoming];
      const day = today();
      all.push((doc) => !outOfForce.includes(standing(doc, day)));
    }
    return (doc) => all.every((passes) => passes(doc));
  }

  // Whether nobody knows when a document came into force.
  const isUndated = (doc) => column(doc, "begins") === ever;

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

  // A field is counted without its own filters. `find(filters)` promises the documents.
  async function facetCounts(filters, docs, find) {
    const counted = facets.map(async (name) => {
      const others = filters.filter((filter) => !isOn(name)(filter));
      return [name, counts(name, others.length < filters.length ? await find(others) : docs)];
    });
    return Object.fromEntries(await Promise.all(counted));
  }

  return { accepts, facetCounts, isOn, isUndated, standing };
};
