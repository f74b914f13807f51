// The table of forms, as kb.language.FormTable, and the words of the texts, as kb.search.vocabulary.
"use strict";
(globalThis.KBSearchModules ??= {}).forms = (base, { buckets, text }) => {
  const { languages } = base;
  const { gram } = base.vocabulary;
  const { cached, fold, owner, parts, allowed, distance } = text;
  const MAX_GRAMS = 20000;
  const alphabetic = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

  // ---- forms and their lemmas ----
  // Loads the forms of some words, which the functions below read.
  function load(words) {
    const owners = words.map(owner).filter(Boolean);
    const folded = [...words, ...owners].map((word) => fold(word.toLowerCase()));
    return buckets.load("t", folded);
  }
  // The entries of a folded form, as buckets.js reads them.
  const entries = (folded) => buckets.row("t", folded) || [];
  const entriesOf = (folded, lang) => entries(folded).filter((entry) => entry.lang === lang);

  function stem(word, lang) {
    const { suffixes, respellings } = languages[lang] || languages.en;
    let stem = word;
    if (stem.length > 5)
      for (const [pattern, by] of respellings) stem = stem.replace(new RegExp(pattern), by);
    const isSuffix = (end) => stem.endsWith(end) && stem.length - end.length >= 3;
    const suffix = suffixes.find(isSuffix) ?? "";
    return stem.slice(0, stem.length - suffix.length);
  }

  // {lemmas, others, how}; `others`: lemmas that a word without diacritics may have besides its own;
  // how it is known: "exact", "folded", "sister", or not at all: "stem".
  const lemmasOf = (list) => [...new Set(list.flatMap((entry) => entry.lemmas))];
  function analyze(word, lang) {
    const lower = word.toLowerCase();
    const folded = fold(lower);
    const known = entriesOf(folded, lang);
    const exact = known.find((entry) => entry.form === lower);
    if (exact) {
      const all = lower === folded ? lemmasOf(known) : [];
      const others = all.filter((lemma) => !exact.lemmas.includes(lemma));
      return { lemmas: exact.lemmas, others, how: exact.isSister ? "sister" : "exact" };
    }
    const alike = known.length || !owner(lower) ? known : entriesOf(fold(owner(lower)), lang);
    if (alike.length)
      return {
        lemmas: lemmasOf(alike),
        others: [],
        how: alike[0].isSister ? "sister" : "folded",
      };
    return { lemmas: ["~" + stem(folded, lang)], others: [], how: "stem" };
  }

  // The lemmas of a folded word of the texts: those of all its spellings there.
  function textLemmas(folded, lang) {
    const known = entriesOf(folded, lang).filter((entry) => entry.inTexts);
    if (!known.length) return analyze(folded, lang).lemmas;
    return lemmasOf(known);
  }

  // The words of card names among lemmas.
  const namesIn = (lemmas) =>
    lemmas.filter((lemma) => lemma[0] === "^").map((lemma) => lemma.slice(1));

  // Whether a folded word stands in a card's name.
  const isOfName = (folded) => entries(folded).some(({ lemmas }) => lemmas.includes("^" + folded));

  const isKnown = (word, lang) => analyze(word, lang).how !== "stem";

  // ---- corrections ----
  // The letters of a word as bits; letters may share a bit. A slip changes two bits at most.
  function lettersOf(word) {
    let set = 0;
    for (let at = 0; at < word.length; at++) set |= 1 << (word.charCodeAt(at) & 31);
    return set;
  }
  function bits(set) {
    let count = 0;
    for (let rest = set; rest; rest &= rest - 1) count++;
    return count;
  }

  // The corrections of a mistyped word, the nearest first: {word, distance, inTexts, lang}.
  async function similar(word, wanted, limit) {
    const most = allowed(word);
    if (!most) return [];
    // With another first letter, only words of the texts that differ in nothing else: without the
    // first letter, or with the second one before it; or with a letter in its place or before it.
    const respelled = [word.slice(1), word[1] + word[0] + word.slice(2)];
    const others = respelled.filter((form) => form[0] !== word[0]);
    const tails = [word.slice(1), word];
    await Promise.all([
      ...wanted.map((lang) => buckets.loadWith(`w-${lang}-`, word[0])),
      buckets.load("t", others),
      buckets.load("s", tails),
    ]);
    const near = new Map();
    const add = (lang, form, apart, inTexts) => {
      const key = `${lang} ${form}`;
      const isNearer = !near.has(key) || apart < near.get(key).distance;
      if (isNearer) near.set(key, { word: form, distance: apart, inTexts, lang });
    };
    const letters = lettersOf(word);
    for (const lang of wanted)
      for (const [form, inTexts] of buckets.rowsWith(`w-${lang}-`, word[0])) {
        if (Math.abs(form.length - word.length) > most) continue;
        if (bits(letters ^ lettersOf(form)) > 2 * most) continue;
        const apart = distance(word, form, most);
        if (apart <= most) add(lang, form, apart, inTexts);
      }
    for (const form of others)
      for (const entry of entries(form)) if (entry.inTexts) add(entry.lang, form, 2, true);
    for (const tail of tails)
      for (const head of (buckets.row("s", tail) || "").split(" ").filter(Boolean)) {
        const [lang, letter] = head.split(":");
        if (letter !== word[0]) add(lang, letter + tail, 2, true);
      }
    const apartInLength = (form) => Math.abs(form.word.length - word.length);
    const nearest = (one, other) =>
      one.distance - other.distance ||
      other.inTexts - one.inTexts ||
      apartInLength(one) - apartInLength(other) ||
      alphabetic(one.word, other.word);
    const sorted = [...near.values()].sort(nearest);
    return wanted.flatMap((lang) => sorted.filter((form) => form.lang === lang).slice(0, limit));
  }

  // A folded word as the texts write it, else as the language does.
  function unfolded(word, lang) {
    const list = entriesOf(word, lang);
    const origin = (entry) => entry.inTexts - entry.isSister;
    list.sort(
      (one, other) =>
        origin(other) - origin(one) ||
        one.form.length - other.form.length ||
        alphabetic(one.form, other.form),
    );
    return list.length ? list[0].form : word;
  }

  // ---- the words of the texts ----
  // The words of the texts that begin with a prefix, in order.
  async function starting(prefix, lang) {
    await buckets.loadWith(`w-${lang}-`, prefix);
    const rows = [...buckets.rowsWith(`w-${lang}-`, prefix)];
    return rows.filter(([, inTexts]) => inTexts).map(([word]) => word);
  }

  const grams = cached(MAX_GRAMS, (word) => {
    const marked = "^" + word;
    const pieces = marked.split("").map((_, at) => marked.slice(at, at + gram));
    return new Set(pieces.slice(0, Math.max(1, marked.length - gram + 1)));
  });

  // Words with the same beginning, with their share of common n-grams: [word, share].
  async function alike(folded, lang, least, limit) {
    if (folded.length < gram) return [];
    const wanted = grams(folded);
    const rated = [];
    for (const word of await starting(folded.slice(0, gram - 1), lang)) {
      if (word === folded) continue;
      const other = grams(word);
      let shared = 0;
      for (const piece of wanted) if (other.has(piece)) shared++;
      const part = (2 * shared) / (wanted.size + other.size);
      if (part >= least) rated.push([word, part]);
    }
    rated.sort((one, other) => other[1] - one[1] || alphabetic(one[0], other[0]));
    return rated.slice(0, limit);
  }

  // Words as segments hold them: folded, hyphenated ones with their pieces.
  const tokens = (words) => words.flatMap((word) => [word, ...parts(word)].map(fold));

  return {
    alike,
    alphabetic,
    analyze,
    isKnown,
    isOfName,
    load,
    namesIn,
    similar,
    starting,
    textLemmas,
    tokens,
    unfolded,
  };
};
