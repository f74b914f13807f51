// Reads the postings of words, ideas and values from the buckets, by name.
"use strict";
(globalThis.KBSearchModules ??= {}).postings = (base, { buckets, text: { cached } }) => {
  const { digits } = base.postings;
  const MAX_DECODED = 2000;
  // [kind, key] of the bucket that has a posting: a word's stands with its forms.
  function placeOf(name) {
    const word = name.match(/^[a-z]+=(.*)/s);
    return word ? ["w", word[1]] : ["v", name];
  }
  const load = (names) =>
    Promise.all(names.map(placeOf).map(([kind, key]) => buckets.load(kind, [key])));
  function packed(name) {
    const rows = buckets.rowsAt(...placeOf(name));
    return (rows?.postings ?? rows)?.get(name) ?? "";
  }

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

  // Map document -> positions; of a value, the first one of each of its documents.
  const posting = cached(MAX_DECODED, (name) => {
    const found = new Map();
    let position = 0;
    for (const step of unpacked(packed(name))) {
      position += step;
      const doc = buckets.documentAt(position);
      if (found.has(doc)) found.get(doc).push(position);
      else found.set(doc, [position]);
    }
    return found;
  });

  return { documents: (name) => [...posting(name).keys()], load, posting };
};
