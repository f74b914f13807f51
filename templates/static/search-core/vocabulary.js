// The words of the texts, as kb.search.vocabulary: which begin with letters or look like another.
"use strict";
(globalThis.KBSearchModules ??= {}).vocabulary = ({ gram }, buckets, { fold, parts }) => {
  const alphabetic = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
  const isIn = (lang) => (entry) => entry.inTexts && entry.lang === lang;
  const has = (word, lang) => (buckets.row("t", word) || []).some(isIn(lang));

  // The words that begin with some letters, in order.
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

  // The words that begin as a word does, with the part of the n-grams that they share: [word, part].
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

  return { alike, alphabetic, has, starting, tokens };
};
