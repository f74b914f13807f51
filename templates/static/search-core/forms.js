// The table of word forms, as kb.language.FormTable: lemmas, prefixes and similar words.
"use strict";
(globalThis.KBSearchModules ??= {}).forms = (languages, buckets, text, { alphabetic }) => {
  const { fold, owner, allowed, distance } = text;
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

  // {lemmas, how}; how: "exact" with its diacritics, "folded" without them, "stem" where no form is known.
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

  // What a folded word of the texts can mean: all that its spellings there do.
  function textLemmas(folded, lang) {
    const known = entriesOf(folded, lang).filter((entry) => entry.inTexts);
    if (!known.length) return analyze(folded, lang).lemmas;
    return [...new Set(known.flatMap((entry) => entry.lemmas))];
  }

  // Whether a folded word is one of a card's name.
  const isOfName = (folded) => entries(folded).some(({ lemmas }) => lemmas.includes("^" + folded));

  const isKnown = (word, lang) => analyze(word, lang).how !== "stem";

  // Which letters a word has, as bits: some share one. A slip changes two at most.
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

  // Known words that a mistyped one may stand for, the nearest first: {word, distance, inTexts, lang}.
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
    // Of words with another first letter only those of the texts that differ in it alone.
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
    list.sort((one, other) => origin(other) - origin(one) || alphabetic(one.form, other.form));
    return list.length ? list[0].form : word;
  }

  return { analyze, textLemmas, isKnown, isOfName, similar, unfolded };
};
