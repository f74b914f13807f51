// What is loaded before it is asked for: what the word that is being typed may need with its next
// letter.
"use strict";
(globalThis.KBSearchModules ??= {}).ahead = (base, parts) => {
  const { shards, text, forms, vocabulary, postings, expansion, ranking, keyboards, cards } = parts;
  // Files of a kind that begin as the word does; files of a round; next letters; rounds.
  const [MOST, FILES, LETTERS, ROUNDS] = [4, 10, 8, 4];
  const games = Object.keys(base.games);
  // Words whose files are there.
  const ready = new Set();
  const MAX_READY = 5000;
  // Where the page searches itself, what it paints comes first.
  const { requestIdleCallback: whenIdle = setTimeout } = globalThis;

  // How words of the texts that begin with some letters go on, what most of them have first.
  function continued(start, languages) {
    const counts = new Map();
    for (const lang of languages)
      for (const word of vocabulary.starting(start, lang)) {
        const next = word.slice(0, start.length + 1);
        counts.set(next, (counts.get(next) || 0) + 1);
      }
    return [...counts].sort((one, other) => other[1] - one[1]).map(([next]) => next);
  }

  // Asks for what a query would ask for whose last word this is: forms, postings of what they mean,
  // cards, slips, words of another keyboard.
  function lookUp(word, languages) {
    const isUnfinished =
      word.length >= base.query.minPrefix && !languages.some((lang) => forms.isKnown(word, lang));
    shards.attempt(() => {
      const kind = isUnfinished ? "prefix" : "word";
      const slot = new expansion.Expander(languages, languages).slot({ kind, text: word });
      for (const name of ranking.weightsOf(slot).keys()) postings.documents(name);
    });
    shards.attempt(() => cards.named([word], languages, games));
    if (!isUnfinished) shards.attempt(() => keyboards.read(word, languages));
  }

  // Loads what the last word typed may go on to need, while `isWanted`.
  async function loadFor(typed, languages, isWanted) {
    if (ready.size > MAX_READY) ready.clear();
    const word = text.fold(text.tokenize(typed).at(-1)?.text || "");
    if (!word) return;
    for (const kind of base.together ? "fc" : "fpc")
      shards.loadAhead(shards.namesWith(kind, word).slice(0, MOST));
    const words = languages.map((lang) => shards.namesWith("w", `${lang} ${word}`).slice(0, 2));
    await shards.loadAhead(words.flat());
    if (!isWanted()) return;
    const keyOf = (next) => `${languages} ${next}`;
    const likely = continued(word, languages).slice(0, LETTERS);
    for (let round = 0; round < ROUNDS; round++) {
      const names = new Set();
      for (const next of likely.filter((start) => !ready.has(keyOf(start)))) {
        // A keystroke meanwhile does not wait for all of them.
        await new Promise((done) => whenIdle(done));
        if (!isWanted()) return;
        const lacked = shards.lackedBy(() => lookUp(next, languages));
        for (const name of lacked) names.add(name);
        if (!lacked.length) ready.add(keyOf(next));
      }
      if (!names.size) return;
      await shards.loadAhead([...names].slice(0, FILES));
    }
  }

  return { loadFor };
};
