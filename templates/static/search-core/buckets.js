// Loads the buckets of the index, and reads their rows and postings: first `await load(kind, keys)`,
// then `rowsAt(kind, key)`, which throws an error for a bucket that nobody has loaded.
"use strict";
(globalThis.KBSearchModules ??= {}).buckets = (base, { load: read, text: { cached, fold } }) => {
  const [MAX_LAYOUTS, MAX_DECODED] = [5000, 2000];
  const starts = Object.fromEntries(
    Object.entries(base.starts).map(([kind, keys]) => [kind, keys.split("\n")]),
  );

  function columns(data) {
    const column = ([values, numbers]) => numbers.map((number) => values[number]);
    return Object.fromEntries(Object.entries(data).map(([name, packed]) => [name, column(packed)]));
  }
  // Words as kb.search.browser.rows.Forms packs them, and their postings by name. `stems`: folded stem
  // -> [{stem, lang, isSister, lemma, endings, inTexts}], where `endings()` has a Map folded ending -> endings; `lemmas`:
  // `lang:lemma` -> {documents, words}; `cards`: word of a name -> numbers of cards.
  function words([endings, lines, postings]) {
    const [stems, lemmas, cards] = [new Map(), new Map(), new Map()];
    const ends = endings.split("\n");
    const expanded = cached(ends.length, (number) =>
      ends[number].split(" ").flatMap((end) => {
        const [start, next] = end.split(">");
        return next ? expanded(parseInt(next, 36)).map((rest) => start + rest) : [start];
      }),
    );
    const byFolded = cached(ends.length, (number) => grouped(expanded(number), fold));
    const list = (items) => items?.split(",").slice(1) ?? [];
    for (const line of lines.split("\n")) {
      const [head, ...columns] = line.split("\t");
      const [stem, short, numbers] = head.split(" ");
      const lemma = short.replace(/^([\^~+]*)-/, (_, mark) => mark + stem);
      const folded = fold(stem);
      const named = list(numbers).map((number) => parseInt(number, 36));
      if (named.length) cards.set(lemma.slice(1), named);
      for (const column of columns) {
        const [code, number, texts, documents, others] = column.split(" ");
        const lang = code.replace("~", "");
        const inTexts = list(texts);
        if (number) {
          if (!stems.has(folded)) stems.set(folded, []);
          stems.get(folded).push({
            stem,
            lang,
            isSister: lang !== code,
            lemma,
            endings: () => byFolded(parseInt(number, 36)),
            inTexts,
          });
        }
        if (documents)
          lemmas.set(`${lang}:${lemma}`, {
            documents: Number(documents),
            words: [...new Set(inTexts.map((end) => fold(stem + end))), ...list(others)],
          });
      }
    }
    return { stems, lemmas, cards, postings: asMap(postings) };
  }
  const asMap = (data) => new Map(Object.entries(data));
  function grouped(items, keyOf) {
    const groups = new Map();
    for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
    return groups;
  }
  const itself = (data) => data;
  // By kind: words with their forms and postings; postings of values by name; words of the texts without
  // their first letter, with these letters; columns, layouts and results of documents; cards.
  const PARSE = {
    w: words,
    v: asMap,
    s: (data) => new Map(data.split("\n").map((line) => line.split(" "))),
    d: columns,
    g: itself,
    x: itself,
    c: itself,
  };

  // ---- loading ----
  // Name -> {loading, data, rows}: a bucket is parsed when it is first read.
  const held = new Map();
  function loadOnce(name) {
    if (!held.has(name)) {
      const loaded = (data) => held.set(name, { loading, data });
      const loading = read(`${base.folder}/${name}.js`, name).then(loaded);
      held.set(name, { loading });
      loading.catch(() => held.delete(name));
    }
    return held.get(name).loading;
  }
  const loadAll = (names) => Promise.all([...new Set(names)].map(loadOnce));
  function bucket(name) {
    const entry = held.get(name);
    if (entry?.data === undefined) throw new Error(`the bucket ${name} is not loaded`);
    return (entry.rows ??= PARSE[name[0]](entry.data));
  }

  const count = (kind) => starts[kind]?.length ?? Math.ceil(base.count / base.blocks[kind]);
  const namesOf = (kind) => Array.from({ length: count(kind) }, (_, at) => kind + at);
  // All buckets of a kind, unless there are more than `most`.
  const loadKind = (kind, most = Infinity) => loadAll(count(kind) <= most ? namesOf(kind) : []);

  // ---- rows by their keys ----
  // How many of the ascending `keys` are at most `key`.
  function countUpTo(keys, key) {
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (keys[middle] <= key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  const numberOf = (kind, key) => countUpTo(starts[kind], key) - 1;
  const load = (kind, keys) =>
    loadAll(keys.map((key) => numberOf(kind, key)).flatMap((at) => (at < 0 ? [] : kind + at)));
  // The rows of the bucket that has a key; null without one.
  function rowsAt(kind, key) {
    const at = numberOf(kind, key);
    return at < 0 ? null : bucket(kind + at);
  }
  // The buckets with the keys that begin with a prefix.
  function namesWith(kind, prefix) {
    const first = Math.max(0, numberOf(kind, prefix));
    const last = numberOf(kind, prefix + "\uffff");
    return namesOf(kind).slice(first, last + 1);
  }
  const loadWith = (kind, prefix) => loadAll(namesWith(kind, prefix));
  const rowsWith = (kind, prefix) => namesWith(kind, prefix).map(bucket);

  // ---- documents ----
  const blockOf = (kind, doc) => kind + Math.floor(doc / base.blocks[kind]);
  const loadDocuments = (kind, docs) => loadAll(docs.map((doc) => blockOf(kind, doc)));
  const placeOf = (kind, doc) => doc % base.blocks[kind];
  const column = (doc, name) => bucket(blockOf("d", doc))[name][placeOf("d", doc)];
  const block = (kind, doc) => bucket(blockOf(kind, doc))[placeOf(kind, doc)];
  // The data of a result: [id, titles, texts, ends of answers, names of cards, verdict, conditions].
  const record = (doc) => block("x", doc);
  // A card: [game, name, rulings, page, ...other names].
  const card = (number) => block("c", number);
  // The positions of the first words of all documents, whose columns are loaded.
  let beginnings = null;
  function firstPositions() {
    if (!beginnings) {
      beginnings = new Int32Array(base.count);
      for (let doc = 1; doc < base.count; doc++)
        beginnings[doc] = beginnings[doc - 1] + column(doc - 1, "length");
    }
    return beginnings;
  }
  const documentAt = (position) => countUpTo(firstPositions(), position) - 1;
  // The segments of a document: [{field, lang, start, length}], by position.
  const layout = cached(MAX_LAYOUTS, (doc) => {
    const segments = [];
    let start = firstPositions()[doc];
    for (const run of block("g", doc).split(";")) {
      const [head, lengths] = run.split(" ");
      for (const [digit, number] of lengths.matchAll(/\((\d+)\)|./g)) {
        const length = number ? Number(number) : parseInt(digit, 36);
        segments.push({ field: head[0], lang: head.slice(1), start, length });
        start += length;
      }
    }
    return segments;
  });

  // ---- postings, by the names of words, ideas and values ----
  // [kind, key] of the bucket that has a posting: a word's stands with its forms.
  function bucketOf(name) {
    const word = name.match(/^[a-z]+=(.*)/s);
    return word ? ["w", word[1]] : ["v", name];
  }
  const loadPostings = (names) =>
    Promise.all(names.map(bucketOf).map(([kind, key]) => load(kind, [key])));
  function packed(name) {
    const rows = rowsAt(...bucketOf(name));
    return (rows?.postings ?? rows)?.get(name) ?? "";
  }

  // Packed whole numbers: after a digit of the second half the number goes on.
  const { digits } = base.postings;
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
      const doc = documentAt(position);
      if (found.has(doc)) found.get(doc).push(position);
      else found.set(doc, [position]);
    }
    return found;
  });
  const documents = (name) => [...posting(name).keys()];

  return {
    card,
    column,
    documents,
    layout,
    load,
    loadDocuments,
    loadKind,
    loadPostings,
    loadWith,
    posting,
    record,
    rowsAt,
    rowsWith,
  };
};
