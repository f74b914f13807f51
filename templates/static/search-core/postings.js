// Names of words, lemmas and values -> the documents that have them, read from the shards.
"use strict";
(globalThis.KBSearchModules ??= {}).postings = (shards, { fold }) => {
  const NONE = { docs: new Int32Array(0), row: [] };
  const NAME = /^([a-z]{2,3})([=:!])(.*)$/su;

  // A word and its lemmas stand near to each other, in whatever language.
  function keyOf(name) {
    const match = NAME.exec(name);
    if (!match) return name;
    const [, , mark, word] = match;
    return mark === "!" ? `!${word}` : fold(word.replace(/^[\^~+]+/, "")) || word;
  }
  const row = (name) => shards.row("p", keyOf(name), name);

  const decoded = new WeakMap();
  function posting(name) {
    const data = row(name);
    if (!data) return NONE;
    let list = decoded.get(data);
    if (!list) {
      const count = data[0];
      const docs = new Int32Array(count);
      for (let at = 0, doc = 0; at < count; at++) docs[at] = doc += data[at + 1];
      list = { docs, row: data };
      decoded.set(data, list);
    }
    return list;
  }

  // Calls `add(doc, positions)` for those documents of a posting that are wanted.
  function eachDocument(name, wanted, add) {
    const { docs, row: data } = posting(name);
    let at = 1 + 2 * docs.length;
    docs.forEach((doc, number) => {
      const count = data[1 + docs.length + number];
      if (wanted.has(doc)) {
        const positions = [];
        for (let step = 0, position = 0; step < count; step++)
          positions.push((position += data[at + step]));
        add(doc, positions);
      }
      at += count;
    });
  }

  // How many documents have a lemma.
  const frequency = (name) => parseInt(row(name) || "0", 10);
  // The words of the texts that mean the stem of a word that no form is known of.
  const wordsOfStem = (name) => (row(name) || "").split(" ").slice(1);

  return { documents: (name) => posting(name).docs, eachDocument, frequency, wordsOfStem };
};
