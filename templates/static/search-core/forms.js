// The table of forms, as kb.language.FormTable, and the words of the texts, as kb.search.vocabulary.
"use strict";
(globalThis.KBSearchModules ??= {}).forms = (base, { buckets, text }) => {
  const { languages } = base;
  const { cached, fold, owner, parts, allowed, distance } = text;
  const [MAX_ENTRIES, MAX_LISTS] = [5000, 50];
  const alphabetic = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

  // ---- forms and their lemmas ----
  // Loads the forms of some words, which the functions below read.
  function load(words) {
    const owners = words.map(owner).filter(Boolean);
    const folded = [...words, ...owners].map((word) => fold(word.toLowerCase()));
    return buckets.load("w", folded);
  }
  // The entries of a folded form: [{lang, inTexts, isSister, form, lemmas}].
  const entries = cached(MAX_ENTRIES, (folded) => {
    const found = new Map();
    const stems = buckets.rowsAt("w", folded)?.stems ?? new Map();
    for (let end = 0; end <= folded.length; end++)
      for (const { stem, lang, isSister, lemma: own, endings, inTexts } of stems.get(folded.slice(0, end)) ?? [])
        for (const ending of endings().get(folded.slice(end)) ?? []) {
          const form = stem + ending;
          const key = `${lang} ${form}`;
          if (!found.has(key))
            found.set(key, { lang, inTexts: inTexts.includes(ending), isSister, form, lemmas: [] });
          found.get(key).lemmas.push(own);
        }
    return [...found.values()];
  });
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

  const namesIn = (lemmas) =>
    lemmas.filter((lemma) => lemma[0] === "^").map((lemma) => lemma.slice(1));

  // {documents, words} of `lang:lemma`: how many documents have it, and the words of the texts that may
  // mean it; they lie where the bare lemma would.
  function bare(name) {
    const word = name.replace(/^[a-z]+:[\^~+]*/, "");
    return fold(word) || word;
  }
  const loadLemmas = (names) => buckets.load("w", names.map(bare));
  const lemma = (name) =>
    buckets.rowsAt("w", bare(name))?.lemmas.get(name) ?? { documents: 0, words: [] };

  // The numbers of the cards with a folded word in their names.
  const cardsWith = (word) => buckets.rowsAt("w", word)?.cards.get(word) ?? [];
  async function namesWith(prefix) {
    await buckets.loadWith("w", prefix);
    const words = buckets.rowsWith("w", prefix).flatMap(({ cards }) => [...cards.keys()]);
    return words.filter((word) => word.startsWith(prefix));
  }

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
    const others = [word.slice(1), word[1] + word[0] + word.slice(2)];
    const tails = [word.slice(1), word];
    await Promise.all([buckets.loadWith("w", word[0]), buckets.load("s", tails)]);
    for (const tail of tails)
      for (const letter of buckets.rowsAt("s", tail)?.get(tail) ?? "") others.push(letter + tail);
    const respelled = [...new Set(others)].filter((form) => form[0] !== word[0]);
    await buckets.load("w", respelled);
    const letters = lettersOf(word);
    const apartInLength = (form) => Math.abs(form.length - word.length);
    const nearest = (one, other) =>
      one.distance - other.distance ||
      other.inTexts - one.inTexts ||
      apartInLength(one.word) - apartInLength(other.word) ||
      alphabetic(one.word, other.word);
    function nearIn(lang) {
      const isInTexts = (form) => entriesOf(form, lang).some((entry) => entry.inTexts);
      const meant = respelled.filter(isInTexts);
      const near = meant.map((form) => ({ word: form, distance: 2, inTexts: true, lang }));
      for (const [form, inTexts] of wordsWith(`${lang} ${word[0]}`)) {
        if (apartInLength(form) > most || bits(letters ^ lettersOf(form)) > 2 * most) continue;
        const apart = distance(word, form, most);
        if (apart <= most) near.push({ word: form, distance: apart, inTexts, lang });
      }
      return near.sort(nearest).slice(0, limit);
    }
    return wanted.flatMap(nearIn);
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
  // Map word -> whether the texts have it, of the folded words of a language with a prefix, whose
  // buckets are loaded; key: language and prefix, separated by a space.
  const wordsWith = cached(MAX_LISTS, (key) => {
    const [wanted, prefix] = key.split(" ");
    const words = new Map();
    for (const { stems } of buckets.rowsWith("w", prefix))
      for (const [stem, several] of stems)
        if (stem.startsWith(prefix) || prefix.startsWith(stem))
          for (const { lang, endings, inTexts } of several)
            if (lang === wanted)
              for (const [ending, spellings] of endings()) {
                const word = stem + ending;
                if (word.startsWith(prefix))
                  words.set(word, words.get(word) || spellings.some((end) => inTexts.includes(end)));
              }
    return words;
  });
  const loadWith = (prefix) => buckets.loadWith("w", prefix);
  // The words that begin with a prefix, whose buckets are loaded; `ofTexts`: those of the texts.
  const continuing = (prefix, lang, ofTexts = false) =>
    [...wordsWith(`${lang} ${prefix}`)].flatMap(([word, inTexts]) =>
      inTexts || !ofTexts ? word : [],
    );
  async function starting(prefix, lang) {
    await loadWith(prefix);
    return continuing(prefix, lang, true);
  }

  // Words as segments hold them: folded, hyphenated ones with their pieces.
  const tokens = (words) => words.flatMap((word) => [word, ...parts(word)].map(fold));

  return {
    alphabetic,
    analyze,
    cardsWith,
    continuing,
    isKnown,
    lemma,
    load,
    loadLemmas,
    loadWith,
    namesIn,
    namesWith,
    similar,
    starting,
    textLemmas,
    tokens,
    unfolded,
  };
};
