// The words of a text that a query means, and the passage that shows them, as kb.search.snippets.
"use strict";
(globalThis.KBSearchModules ??= {}).snippets = (settings, present, { text, vocabulary }) => {
  const { length: LENGTH, margin, nearStart, context } = settings;
  const MAX_CACHED = 500;

  // The folded words of the texts that a query means: Map lang -> Map word -> number of its slot.
  function wantedWords(slots) {
    const required = slots.filter((slot) => !slot.optional);
    const chosen = required.length ? required : slots;
    const words = chosen.flatMap((slot) => (slot.kind === "phrase" ? slot.sequence : [slot]));
    const wanted = new Map();
    words.forEach((slot, number) => {
      for (const [lang, weights] of slot.words) {
        if (!wanted.has(lang)) wanted.set(lang, new Map());
        const numbers = wanted.get(lang);
        for (const [word, weight] of weights)
          if (weight >= present && !numbers.has(word)) numbers.set(word, number);
      }
    });
    return wanted;
  }

  // A text's words, folded: every keystroke looks at the same few texts.
  const read = new Map();
  function tokensOf(line) {
    let tokens = read.get(line);
    if (!tokens) {
      tokens = text.tokenize(line).map(({ start, end, text: word }) => {
        return { start, end, words: vocabulary.tokens([word]) };
      });
      if (read.size > MAX_CACHED) read.clear();
      read.set(line, tokens);
    }
    return tokens;
  }

  // {start, end, word}: `word` is the number of the query's word.
  function matches(line, lang, wanted) {
    const numbers = [wanted.get(""), wanted.get(lang)].filter(Boolean);
    const numberOf = (word) => numbers.find((map) => map.has(word))?.get(word);
    const found = [];
    for (const { start, end, words } of numbers.length ? tokensOf(line) : []) {
      const word = words.map(numberOf).find((number) => number !== undefined);
      if (word !== undefined) found.push({ start, end, word });
    }
    return found;
  }
  const distinct = (list) => new Set(list.map(({ word }) => word)).size;

  // {lang, snippet, answer} of the language that matched best, where several match alike that of the
  // interface; every second piece of a snippet is a match.
  function best([, titles, texts, answers], wanted, languages, ui) {
    const codes = Object.keys(texts);
    const spoken = codes.filter((lang) => languages.includes(lang));
    let chosen = null;
    for (const lang of spoken.length ? spoken : codes) {
      const found = matches(texts[lang], lang, wanted);
      const inBoth = distinct([...found, ...matches(titles[lang], lang, wanted)]);
      const rank = [inBoth, distinct(found), lang === ui ? 1 : 0];
      const at = chosen ? rank.findIndex((value, index) => value !== chosen.rank[index]) : 0;
      if (!chosen || (at >= 0 && rank[at] > chosen.rank[at])) chosen = { lang, found, rank };
    }
    const { lang, found } = chosen;
    const answer = texts[lang].slice(0, answers[lang]);
    return { lang, snippet: cut(texts[lang], found), answer };
  }

  // An end at a space, where there is one near.
  function wordEnd(line, end) {
    if (end >= line.length) return line.length;
    const space = line.slice(0, end).lastIndexOf(" ");
    return space > end - margin ? space : end;
  }

  // Where the stretch with the most different words of the query begins.
  function bestStart(line, found) {
    if (line.length <= LENGTH) return 0;
    let [start, most] = [0, 0];
    for (const first of found) {
      const last = first.start + LENGTH - margin;
      const inside = distinct(
        found.filter((match) => match.start >= first.start && match.end <= last),
      );
      if (inside > most) [most, start] = [inside, first.start];
    }
    return start < nearStart ? 0 : line.slice(0, start - context).lastIndexOf(" ") + 1;
  }

  function cut(line, found) {
    const start = bestStart(line, found);
    const end = wordEnd(line, start + LENGTH);
    const pieces = [start ? "…" : ""];
    let position = start;
    for (const match of found.filter((match) => match.end <= end)) {
      if (match.start < position) continue;
      pieces[pieces.length - 1] += line.slice(position, match.start);
      pieces.push(line.slice(match.start, match.end), "");
      position = match.end;
    }
    pieces[pieces.length - 1] += line.slice(position, end) + (end < line.length ? "…" : "");
    return pieces;
  }

  return { best, wantedWords };
};
