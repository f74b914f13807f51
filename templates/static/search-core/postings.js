// Reads the postings of words, lemmas and values from the buckets, by name.
"use strict";
(globalThis.KBSearchModules ??= {}).postings = (base, { buckets, text: { cached, fold } }) => {
  const { digits } = base.postings;
  const NONE = { docs: new Int32Array(0), row: [] };
  const MAX_DECODED = 2000;
  const NAME = /^[a-z]{2,3}([=:!])(.*)$/su;

  // A word stands near its lemmas, in any language.
  function keyOf(name) {
    const [, mark, word] = NAME.exec(name) || [];
    if (!mark) return name;
    return mark === "!" ? `!${word}` : fold(word.replace(/^[\^~+]+/, "")) || word;
  }
  const load = (names) => buckets.load("t", names.map(keyOf));
  const row = (name) => buckets.row("t", keyOf(name), name);

  // Packed whole numbers: after a digit of the second half the number goes on.
  const MORE = digits.length / 2;
  const values = new Map([...digits].map((digit, value) => [digit, value]));
  function unpacked(text) {
    const numbers = [];
    let [number, factor] = [0, 1];
    for (const digit of text) {
      const value = values.get(digit);
      number += (value % MORE) * factor;
      if (value >= MORE) factor *= MORE;
      else {
        numbers.push(number);
        [number, factor] = [0, 1];
      }
    }
    return numbers;
  }

  const posting = cached(MAX_DECODED, (name) => {
    const packed = row(name);
    if (!packed) return NONE;
    const data = unpacked(packed);
    const docs = new Int32Array(data[0]);
    for (let at = 0, doc = 0; at < docs.length; at++) docs[at] = doc += data[at + 1];
    return { docs, row: data };
  });

  // Calls `add(doc, positions)` for the wanted documents of a posting.
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

  // The number of documents with a lemma, and the words of the texts that may mean it.
  const frequency = (name) => row(name)?.[0] ?? 0;
  const wordsOf = (name) => row(name)?.slice(1) ?? [];

  return { documents: (name) => posting(name).docs, eachDocument, frequency, load, wordsOf };
};
