// The cards that a query names, as kb.search.cards.
"use strict";
(globalThis.KBSearchModules ??= {}).cards = (base, { buckets, text, query, forms, expansion }) => {
  const { maxCards: most, maxName, shortQuery, minPrefix, maxJoined } = base.cards;
  const [MAX_SIMILAR, MAX_READ] = [5, 5000];
  const { fold, wordsOf } = text;
  const { orWords } = query;

  // The words of a name, and those of its spelling without hyphens.
  function nameWords(name) {
    const spellings = [...new Set([name, withoutHyphens(name)])];
    return spellings.map((spelling) => {
      const words = wordsOf(spelling).map(fold);
      const telling = words.filter((word) => !expansion.isStopWord(word, "en"));
      return new Set(telling.length ? telling : words);
    });
  }
  // R2-D2 -> R2D2
  const withoutHyphens = (name) =>
    text.tokenize(name).reduceRight((rest, { start, end, text: word }) => {
      return rest.slice(0, start) + (text.parts(word)[0] ?? word) + rest.slice(end);
    }, name);
  const isLatin = (name) => /[a-z]/i.test(name);
  const cardOf = text.cached(MAX_READ, (number) => {
    const [game, name, rulings, page, ...others] = buckets.card(number);
    const names = [name, ...others].flatMap(nameWords);
    const address = page ? base.cardAddress.replace("{game}", game).replace("{id}", page) : null;
    const foreign = others.find((other) => isLatin(other) !== isLatin(name)) || "";
    return { number, game, name, foreign, rulings, address, names };
  });
  async function namesAmong(words) {
    await forms.load(words);
    return words.filter((word) => forms.cardsWith(word).length);
  }

  // The words, those side by side as one if names have it: obi wan -> obiwan. Inflected words get the
  // hyphen that the name has: obi wana -> obi-wana.
  async function joined(words, likely) {
    const longest = words.length <= maxJoined + 1 ? maxJoined : 1;
    const sizes = Array.from({ length: longest }, (_, at) => longest - at);
    const run = (at, size, sign = "") => words.slice(at, at + size).join(sign);
    const tries = (at) => sizes.flatMap((size) => [run(at, size), run(at, size, "-")]);
    await forms.load(words.flatMap((_, at) => tries(at)));
    const isForm = (word) =>
      likely.some((lang) => forms.namesIn(forms.analyze(word, lang).lemmas).length);
    const texts = [];
    for (let at = 0; at < words.length;) {
      const fitting = sizes.filter((size) => at + size <= words.length);
      for (const size of fitting) {
        const isName = size === 1 || forms.cardsWith(fold(run(at, size))).length;
        if (!isName && !isForm(run(at, size, "-"))) continue;
        texts.push(run(at, size, isName ? "" : "-"));
        at += size;
        break;
      }
    }
    return texts;
  }

  // The words of names that a word may be: itself and its lemmas; for an unknown word those that begin
  // with it, else similar ones.
  async function meant(word, likely, isShort) {
    const folded = fold(word);
    await forms.load([word]);
    const names = forms.namesIn(likely.flatMap((lang) => forms.analyze(word, lang).lemmas));
    const found = new Set([...(await namesAmong([folded])), ...names]);
    if (found.size || likely.some((lang) => forms.isKnown(word, lang))) return found;
    const longer = isShort && folded.length >= minPrefix ? await forms.namesWith(folded) : [];
    if (longer.length) return new Set(longer);
    const near = (await forms.similar(folded, likely, MAX_SIMILAR)).map((form) => form.word);
    return new Set(await namesAmong(near));
  }

  // Whether the languages know a word only from card names.
  function isProper(word, likely) {
    const analyses = likely.map((lang) => forms.analyze(word, lang));
    const lemmas = analyses.flatMap(({ lemmas: own, others }) => [...own, ...others]);
    return lemmas.every((lemma) => "^~".includes(lemma[0]));
  }

  // {whole, matched, lacking}: whether a query has a whole name, and how many of its words.
  function match(name, typed, means, likely) {
    const having = typed.filter((_, at) => [...means[at]].some((word) => name.has(word)));
    const words = new Set(means.flatMap((set) => [...set].filter((word) => name.has(word))));
    const isSure = () =>
      words.size > 1 ||
      typed.length <= shortQuery ||
      having.some((word) => isProper(word, likely) || /^\p{Lu}/u.test(word));
    const whole = words.size === name.size && isSure();
    return { whole, matched: words.size, lacking: words.size - name.size };
  }
  const compare = (one, other) =>
    other.whole - one.whole || other.matched - one.matched || other.lacking - one.lacking;

  // What the words of a query mean among the words of names; their cards are loaded.
  async function meanings(words, likely) {
    const isStopWord = (word) => likely.some((lang) => expansion.isStopWord(word, lang));
    const typed = (await joined(words, likely)).filter((word) => !isStopWord(word));
    const isShort = typed.length <= shortQuery;
    const means = await Promise.all(typed.map((word) => meant(word, likely, isShort)));
    const named = means.flatMap((set) => [...set]);
    await forms.load(named);
    await buckets.loadDocuments("c", named.flatMap(forms.cardsWith));
    const asTyped = words.map(fold).join(" ");
    return { asTyped, typed, isShort, means, likely };
  }

  // The cards of some games that a query names by its meanings. A name word for word comes first, then
  // whole names, cards with rulings, and cards of the game `answering`.
  function named({ asTyped, typed, isShort, means, likely }, games, answering) {
    const cards = new Map();
    for (const set of means)
      for (const word of set)
        for (const number of forms.cardsWith(word)) cards.set(number, cardOf(number));
    const ranked = [];
    for (const card of [...cards.values()].sort((one, other) => one.number - other.number)) {
      const matches = card.names.map((name) => match(name, typed, means, likely));
      const best = matches.reduce((one, other) => (compare(one, other) > 0 ? other : one));
      const isAll = best.matched === typed.length;
      if (!games.includes(card.game) || !(best.whole || (isShort && isAll))) continue;
      const words = new Set(card.names.flatMap((name) => [...name]));
      const found = means.flatMap((set) => [...set].filter((word) => words.has(word)));
      // The query is the name, if unfinished, and nothing else.
      const proper = found.map((word) => isProper(word, likely)).every(Boolean);
      const sole = isAll && (proper || (best.whole && best.matched > 1));
      const exact = sole && wordsOf(card.name).map(fold).join(" ") === asTyped;
      ranked.push({ card, best, sole, exact });
    }
    const byName = (one, other) => other.exact - one.exact || compare(one.best, other.best);
    const sure = ranked.sort(byName).slice(0, 4 * most);
    sure.sort(
      (one, other) =>
        other.exact - one.exact ||
        other.best.whole - one.best.whole ||
        (one.card.rulings === 0) - (other.card.rulings === 0) ||
        (one.card.game !== answering) - (other.card.game !== answering) ||
        compare(one.best, other.best),
    );
    return sure.slice(0, most).map(({ card: { game, name, foreign, rulings, address }, ...one }) => {
      return { game, name, foreign, rulings, address, sole: one.sole, exact: one.exact };
    });
  }

  // How many of some words, at least two, are the whole name of a card, in any form; 0 if none are.
  async function nameLength(words, languages) {
    await forms.load(words);
    const meaningsOf = (word) => languages.flatMap((lang) => forms.analyze(word, lang).lemmas);
    const means = words.map((word) => [fold(word), ...forms.namesIn(meaningsOf(word))]);
    await forms.load(means.flat());
    const numbers = [...new Set(means.flat().flatMap(forms.cardsWith))];
    await buckets.loadDocuments("c", numbers);
    const names = numbers.flatMap((number) => cardOf(number).names);
    const isPart = (name, at) => means[at].some((word) => name.has(word));
    function isName(name, size) {
      const whole = new Set(means.slice(0, size).flat());
      const isSkipped = (at) => expansion.isStopWord(words[at], "en") && at < size - 1;
      const all = [...Array(size).keys()];
      return (
        [...name].every((word) => whole.has(word)) &&
        all.every((at) => isPart(name, at) || isSkipped(at)) &&
        isPart(name, size - 1)
      );
    }
    for (let size = words.length; size > 1; size--)
      if (names.some((name) => isName(name, size))) return size;
    return 0;
  }

  // A query with quotation marks around a card's name of several words that follows `card:`.
  const WORD = `[^\\s:|()${Object.keys(base.query.quotes).join("")}]+`;
  const UNQUOTED = new RegExp(`((?:^|[\\s(])-?card: ?)(${WORD}(?: ${WORD})+)`, "iu");
  const VERSION = /^ \([\p{L}\p{N}]+\)/u;
  async function quoted(typed, languages) {
    const { 1: before, 2: value, index } = typed.match(UNQUOTED) ?? {};
    if (!value) return typed;
    const tokens = text.tokenize(value).slice(0, maxName);
    const words = tokens.map((token) => token.text);
    const size = await nameLength(words, languages);
    if (!size || words.slice(0, size).some((word) => orWords.has(word))) return typed;
    const start = index + before.length;
    const end = start + tokens[size - 1].end;
    const [version = ""] = typed.slice(end).match(VERSION) ?? [];
    const name = typed.slice(start, end) + version;
    return `${typed.slice(0, start)}"${name}"${typed.slice(end + version.length)}`;
  }

  return { meanings, named, quoted };
};
