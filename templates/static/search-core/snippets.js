// Cuts the passages of a ruling that show why it matches, as kb.search.snippets.
"use strict";
(globalThis.KBSearchModules ??= {}).snippets = (base, { text, forms }) => {
  const { length: LENGTH, margin, nearStart, context, minName, readingOrder } = base.snippets;
  const { present } = base.expansion;
  const MAX_CACHED = 500;
  // A sentence ends with its block too; it goes on if a number or a small letter follows the full
  // stop: "п. 113.5".
  const SENTENCE_END = /[.!?…][”’»")]* (?![\p{Nd}\p{Ll}])|\n/gu;

  // The folded words that a query means: Map lang -> Map word -> number of its slot.
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

  // The folded words of a text, cached since every keystroke reads the same few texts.
  const tokensOf = text.cached(MAX_CACHED, (line) =>
    text.tokenize(line).map(({ start, end, text: word }) => {
      return { start, end, words: forms.tokens([word]) };
    }),
  );

  // {start, end, word}: `word` is the number of the query's word; `names`: words of card names.
  function matches(line, lang, wanted, names) {
    const numbers = [wanted.get(""), wanted.get(lang), names].filter((map) => map?.size);
    const numberOf = (word) => numbers.find((map) => map.has(word))?.get(word);
    const found = [];
    for (const { start, end, words } of numbers.length ? tokensOf(line) : []) {
      const word = words.map(numberOf).find((number) => number !== undefined);
      if (word !== undefined) found.push({ start, end, word });
    }
    return found;
  }
  const wordsOf = (list) => list.map(({ word }) => word);
  const distinct = (list) => new Set(list).size;

  // The words that name a card of the query: Map folded word -> number of the query's word. If another
  // name shares no word with the label, as a translation, each of its words counts.
  const nameTokens = (name) => forms.tokens(text.wordsOf(name));
  function cardNames(cards, wanted) {
    const numbers = new Map([...wanted.values()].flatMap((map) => [...map]));
    const names = new Map();
    for (const [label, ...others] of cards) {
      const meant = nameTokens(label).filter((word) => numbers.has(word));
      for (const word of meant) names.set(word, numbers.get(word));
      for (const other of meant.length ? others : []) {
        const words = nameTokens(other);
        if (words.some((word) => meant.includes(word))) continue;
        for (const word of words)
          if (word.length >= minName) names.set(word, numbers.get(meant[0]));
      }
    }
    return names;
  }

  // {lang, snippet, answer, elsewhere, decides} in the language with the best match; if several match
  // alike, the first that a reader of `ui` reads. Every second piece of a passage is a match;
  // `elsewhere`: the sentence after the answer with the most words of the query that title and answer
  // lack, or null; `decides`: it also has all words that title and answer have.
  function best({ titles, texts, ends, names: named }, wanted, languages, ui) {
    const codes = Object.keys(texts);
    const spoken = codes.filter((lang) => languages.includes(lang));
    const preferred = [ui, ...(readingOrder[ui] ?? readingOrder[""])];
    const names = cardNames(named, wanted);
    let chosen = null;
    for (const lang of spoken.length ? spoken : codes) {
      const found = matches(texts[lang], lang, wanted, names);
      const titled = wordsOf(matches(titles[lang], lang, wanted, names));
      const count = distinct([...wordsOf(found), ...titled, ...names.values()]);
      const place = preferred.includes(lang) ? preferred.indexOf(lang) : preferred.length;
      const isBetter = chosen && (count - chosen.count || chosen.place - place) > 0;
      if (!chosen || isBetter) chosen = { lang, found, titled, count, place };
    }
    const { lang, found, titled } = chosen;
    const [line, end] = [texts[lang], ends[lang]];
    const shown = new Set([...titled, ...wordsOf(inside(found, 0, end))]);
    const rest = inside(found, end, Infinity);
    const isElsewhere = rest.some(({ word }) => !shown.has(word));
    const place = isElsewhere ? sentence(line, rest, shown, end) : null;
    return {
      lang,
      snippet: passage(line, found, ...bounds(line, found)),
      answer: passage(line, found, 0, end, ""),
      elsewhere: place && ofSentence(line, rest, ...place),
      decides: place !== null && isMore(new Set(wordsOf(inside(rest, ...place))), shown),
    };
  }
  const isMore = (words, shown) =>
    shown.size > 0 && words.size > shown.size && [...shown].every((word) => words.has(word));
  const inside = (list, start, end) =>
    list.filter((match) => match.start >= start && match.end <= end);

  // The sentence after `first` with the most words that are not shown, then the most words.
  function sentence(line, found, shown, first) {
    const stops = [...line.matchAll(SENTENCE_END)].filter(({ index }) => index >= first);
    const ends = [...stops.map((stop) => stop.index + stop[0].length), line.length];
    let [chosen, most, start] = [null, [-1, -1], first];
    for (const end of ends) {
      const words = wordsOf(inside(found, start, end));
      const count = [distinct(words.filter((word) => !shown.has(word))), distinct(words)];
      if ((count[0] - most[0] || count[1] - most[1]) > 0) [chosen, most] = [[start, end], count];
      start = end;
    }
    return chosen;
  }

  // A sentence; of a long one the window with the most words of the query.
  function ofSentence(line, found, start, last) {
    const end = line.slice(0, last).trimEnd().length;
    if (end - start <= LENGTH) return passage(line, found, start, end, "");
    const own = inside(found, start, end);
    return passage(line, own, ...bounds(line.slice(0, end), own, start));
  }

  // The last space near an end, else the end.
  function wordEnd(line, end) {
    if (end >= line.length) return line.length;
    const space = line.slice(0, end).lastIndexOf(" ");
    return space > end - margin ? space : end;
  }

  // Start and end of the window after `first` with the most words of the query.
  function bounds(line, found, first = 0) {
    if (line.length - first <= LENGTH) return [first, wordEnd(line, first + LENGTH)];
    let [start, most] = [first, 0];
    for (const match of found) {
      const last = match.start + LENGTH - margin;
      const inside = found.filter((other) => other.start >= match.start && other.end <= last);
      const count = distinct(wordsOf(inside));
      if (count > most) [most, start] = [count, match.start];
    }
    if (start < first + nearStart) start = first;
    else {
      const space = line.slice(first, start - context).lastIndexOf(" ");
      start = space < 0 ? first : first + space + 1;
    }
    return [start, wordEnd(line, start + LENGTH)];
  }

  // The pieces of a line from `start` to `end`; `cut` stands at an end where the line goes on.
  function passage(line, found, start, end, cut = "…") {
    while (start < end && /\s/u.test(line[start])) start++;
    const pieces = [start ? cut : ""];
    let position = start;
    for (const match of found.filter((match) => match.end <= end)) {
      if (match.start < position) continue;
      pieces[pieces.length - 1] += line.slice(position, match.start);
      pieces.push(line.slice(match.start, match.end), "");
      position = match.end;
    }
    pieces[pieces.length - 1] += line.slice(position, end) + (end < line.length ? cut : "");
    return pieces.map((piece) => piece.replaceAll("\n", " "));
  }

  return { best, wantedWords };
};
