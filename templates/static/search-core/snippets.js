// The words of a text that a query means, and the passage that shows them, as kb.search.snippets.
"use strict";
(globalThis.KBSearchModules ??= {}).snippets = (
  settings,
  { text: { fold, tokenize, parts }, postings },
) => {
  const { length: LENGTH, margin, before, context, window, near, far } = settings;
  const MAX_CACHED = 500;

  // Per word of the query: its terms, and the words of the texts that mean them.
  function wantedWords(expansions) {
    const needed = expansions.filter((expansion) => !expansion.optional || expansions.length === 1);
    const slots = needed.flatMap(({ kind, sequence, terms }) =>
      kind === "phrase" ? sequence : [terms],
    );
    return slots.map((terms) => ({
      terms,
      words: new Set(Object.keys(terms).flatMap(postings.wordsOf)),
    }));
  }

  // A text's words with all that a term may hold of each: every keystroke looks at the same few texts.
  const read = new Map();
  function tokensOf(text, lang) {
    const key = lang + text;
    let tokens = read.get(key);
    if (!tokens) {
      tokens = tokenize(text).map(({ start, end, text: word }) => {
        const variants = [word, ...parts(word)];
        const terms = ["#" + word, ...variants.map((form) => `${lang}=${fold(form)}`)];
        return { start, end, terms, words: variants.map((form) => lang + form.toLowerCase()) };
      });
      if (read.size > MAX_CACHED) read.clear();
      read.set(key, tokens);
    }
    return tokens;
  }

  // {start, end, word}: `word` is the number of the query's word.
  function matches(text, lang, wanted) {
    return tokensOf(text, lang)
      .map(({ start, end, terms, words }) => {
        const means = (slot) =>
          terms.some((term) => term in slot.terms) || words.some((word) => slot.words.has(word));
        return { start, end, word: wanted.findIndex(means) };
      })
      .filter(({ word }) => word >= 0);
  }
  const distinct = (list) => new Set(list.map(({ word }) => word)).size;

  // How much of the query a title has, and how near to each other its words stand in a text: 0 to 1.
  function closeness([, titles, texts], wanted) {
    let [titled, nearest] = [0, 0];
    for (const lang of wanted.length ? Object.keys(texts) : []) {
      titled = Math.max(titled, distinct(matches(titles[lang], lang, wanted)) / wanted.length);
      if (wanted.length > 1)
        nearest = Math.max(nearest, nearness(matches(texts[lang], lang, wanted), wanted.length));
    }
    return [titled, nearest];
  }

  // 1 when all words stand within `near` characters, falling to 0 at `far`.
  function nearness(list, count) {
    let best = 0;
    list.forEach((first, at) => {
      const seen = new Set();
      const last = list.slice(at, at + window).find(({ word }) => seen.add(word).size === count);
      if (last) best = Math.max(best, (far - (last.end - first.start)) / (far - near));
    });
    return Math.min(1, best);
  }

  // {lang, snippet} of the language that matched best; every second piece of a snippet is a match.
  function best([, titles, texts], wanted, languages) {
    const codes = Object.keys(texts);
    const candidates = codes.length > 1 ? codes.filter((lang) => languages.includes(lang)) : codes;
    let chosen = null;
    for (const lang of candidates) {
      const found = matches(texts[lang], lang, wanted);
      const inText = distinct(found);
      const inBoth = distinct([...found, ...matches(titles[lang], lang, wanted)]);
      const better =
        !chosen || inBoth > chosen.inBoth || (inBoth === chosen.inBoth && inText > chosen.inText);
      if (better) chosen = { lang, found, inBoth, inText };
    }
    const { lang, found } = chosen || { lang: codes[0], found: [] };
    return { lang, snippet: cut(texts[lang], found) };
  }

  // An end at a space, where there is one near.
  function wordEnd(text, end) {
    if (end >= text.length) return text.length;
    const space = text.slice(0, end).lastIndexOf(" ");
    return space > end - margin ? space : end;
  }

  // Where the stretch with the most different words of the query begins.
  function bestStart(text, found) {
    if (text.length <= LENGTH) return 0;
    let [start, most] = [0, 0];
    for (const first of found) {
      const last = first.start + LENGTH - margin;
      const inside = distinct(
        found.filter((match) => match.start >= first.start && match.end <= last),
      );
      if (inside > most) [most, start] = [inside, first.start];
    }
    return start < before ? 0 : text.slice(0, start - context).lastIndexOf(" ") + 1;
  }

  function cut(text, found) {
    const start = bestStart(text, found);
    const end = wordEnd(text, start + LENGTH);
    const pieces = [start ? "…" : ""];
    let position = start;
    for (const match of found.filter((match) => match.end <= end)) {
      if (match.start < position) continue;
      pieces[pieces.length - 1] += text.slice(position, match.start);
      pieces.push(text.slice(match.start, match.end), "");
      position = match.end;
    }
    pieces[pieces.length - 1] += text.slice(position, end) + (end < text.length ? "…" : "");
    return pieces;
  }

  return { best, closeness, wantedWords };
};
