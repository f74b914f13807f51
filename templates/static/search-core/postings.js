// Terms -> documents with weights and positions, read from the shards.
"use strict";
(globalThis.KBSearchModules ??= {}).postings = (shards, { fold }) => {
  const NONE = { docs: [], weights: [] };
  const TERM = /^[a-z]{2,3}[=:;]/;
  const isField = (term) => term[0] === "#" || term[0] === "@";

  // A form and its lemmas stand near to each other, in whatever language.
  function keyOf(term) {
    if (isField(term)) return term;
    const word = term.replace(TERM, "").replace(/^[\^~+]+/, "");
    return fold(word) || word;
  }

  const decoded = new WeakMap();
  function posting(term) {
    const row = shards.row("p", keyOf(term), term);
    if (!row) return NONE;
    let list = decoded.get(row);
    if (!list) {
      const count = row.length / 2;
      const docs = new Int32Array(count);
      for (let at = 0, doc = 0; at < count; at++) docs[at] = doc += row[at];
      list = { docs, weights: Float64Array.from(row.slice(count), (tenths) => tenths / 10) };
      decoded.set(row, list);
    }
    return list;
  }
  const frequency = (term) => posting(term).docs.length;

  // Where a term stands in some documents: how many positions each has, then their differences.
  function positions(term, wanted) {
    const found = new Map();
    const { docs } = posting(term);
    const row = shards.row("w", keyOf(term), term);
    if (!row) return found;
    for (let number = 0, at = docs.length; number < docs.length; number++) {
      const list = [];
      for (let step = 0, position = 0; step < row[number]; step++)
        list.push((position += row[at++]));
      if (wanted.has(docs[number])) found.set(docs[number], list);
    }
    return found;
  }

  // The words of the texts that mean a lemma stand beside its posting: no text is analyzed here.
  function wordsOf(term) {
    if (isField(term) || !/^[a-z]{2,3}:/.test(term)) return [];
    const row = shards.row("p", keyOf(term), term.replace(":", ";"));
    const lang = term.slice(0, term.indexOf(":"));
    return (row || "")
      .split(" ")
      .filter(Boolean)
      .map((word) => lang + word);
  }

  return { frequency, keyOf, posting, positions, wordsOf };
};
