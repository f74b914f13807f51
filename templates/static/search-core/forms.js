// The table of forms, as kb.language.FormTable, and the words of the texts, as kb.search.vocabulary.
"use strict";
(globalThis.KBSearchModules ??= {}).forms = (languages, { gram }, buckets, text) => {
  const { fold, owner, parts, allowed, distance } = text;
  const alphabetic = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
  function compare(one, other) {
    const at = one.findIndex((value, index) => value !== other[index]);
    return at < 0 ? 0 : one[at] - other[at];
  }
  const rules = new Map();
  for (const [code, { suffixes, respellings }] of Object.entries(languages))
    rules.set(code, {
      suffixes,
      respellings: respellings.map(([pattern, by]) => [new RegExp(pattern), by]),
    });

  // The entries of a folded form, as buckets.js reads them.
  const entries = (folded) => buckets.row("t", folded) || [];
  const entriesOf = (folded, lang) => entries(folded).filter((entry) => entry.lang === lang);

  function stem(word, lang) {
    const { suffixes, respellings } = rules.get(lang) || rules.get("en");
    let stem = word;
    if (stem.length > 5)
      for (const [pattern, replacement] of respellings) stem = stem.replace(pattern, replacement);
    const suffix = suffixes.find(
      (ending) => stem.endsWith(ending) && stem.length - ending.length >= 3,
    );
    return suffix ? stem.slice(0, -suffix.length) : stem;
  }

  // {lemmas, how}; how a word is known: "exact", "folded", "sister", or not at all: "stem".
  function analyze(word, lang) {
    const lower = word.toLowerCase();
    const folded = fold(lower);
    const known = entriesOf(folded, lang);
    const exact = known.find((entry) => entry.form === lower);
    if (exact) return { lemmas: exact.lemmas, how: exact.isSister ? "sister" : "exact" };
    const alike = known.length || !owner(lower) ? known : entriesOf(fold(owner(lower)), lang);
    if (alike.length)
      return {
        lemmas: [...new Set(alike.flatMap((entry) => entry.lemmas))],
        how: alike[0].isSister ? "sister" : "folded",
      };
    return { lemmas: ["~" + stem(folded, lang)], how: "stem" };
  }

  // The lemmas of a folded word of the texts: those of all its spellings there.
  function textLemmas(folded, lang) {
    const known = entriesOf(folded, lang).filter((entry) => entry.inTexts);
    if (!known.length) return analyze(folded, lang).lemmas;
    return [...new Set(known.flatMap((entry) => entry.lemmas))];
  }

  // Whether a folded word stands in a card's name.
  const isOfName = (folded) => entries(folded).some(({ lemmas }) => lemmas.includes("^" + folded));

  const isKnown = (word, lang) => analyze(word, lang).how !== "stem";

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
  function similar(word, wanted, limit) {
    const most = allowed(word);
    if (!most) return [];
    const near = new Map(wanted.map((lang) => [lang, new Map()]));
    const add = (lang, form, apart, known) => {
      const words = near.get(lang);
      const before = words && words.get(form);
      if (words && (!before || apart < before.distance))
        words.set(form, { word: form, distance: apart, inTexts: known, lang });
    };
    const letters = lettersOf(word);
    for (const lang of wanted)
      for (const [form, inTexts] of buckets.rowsWith(`w-${lang}-`, word[0])) {
        if (Math.abs(form.length - word.length) > most) continue;
        if (bits(letters ^ lettersOf(form)) > 2 * most) continue;
        const apart = distance(word, form, most);
        if (apart <= most) add(lang, form, apart, inTexts);
      }
    // With another first letter, only words of the texts that differ in nothing else.
    for (const form of [word.slice(1), word[1] + word[0] + word.slice(2)])
      if (form !== word && form[0] !== word[0])
        for (const entry of entries(form)) if (entry.inTexts) add(entry.lang, form, 2, true);
    for (const tail of [word.slice(1), word])
      for (const head of (buckets.row("s", tail) || "").split(" ").filter(Boolean)) {
        const [lang, letter] = head.split(":");
        if (letter !== word[0]) add(lang, letter + tail, 2, true);
      }
    buckets.settle();
    const rank = (form) => [
      form.distance,
      form.inTexts ? 0 : 1,
      Math.abs(form.word.length - word.length),
    ];
    const nearest = (one, other) =>
      compare(rank(one), rank(other)) || alphabetic(one.word, other.word);
    return wanted.flatMap((lang) => [...near.get(lang).values()].sort(nearest).slice(0, limit));
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
  function starting(prefix, lang) {
    const rows = [...buckets.rowsWith(`w-${lang}-`, prefix)];
    return rows.filter(([, inTexts]) => inTexts).map(([word]) => word);
  }

  const cached = new Map();
  function grams(word) {
    let found = cached.get(word);
    if (!found) {
      const marked = "^" + word;
      const starts = Array.from({ length: Math.max(1, marked.length - gram + 1) }, (_, at) => at);
      found = new Set(starts.map((at) => marked.slice(at, at + gram)));
      cached.set(word, found);
    }
    return found;
  }

  // Words with the same beginning, with their share of common n-grams: [word, share].
  function alike(folded, lang, least, limit) {
    if (folded.length < gram) return [];
    const wanted = grams(folded);
    const rated = [];
    for (const word of starting(folded.slice(0, gram - 1), lang)) {
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
    similar,
    starting,
    textLemmas,
    tokens,
    unfolded,
  };
};
