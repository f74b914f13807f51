// Loads the buckets of the index, and reads their rows: first `await load(kind, keys)`, then
// `row(kind, key)`, which throws an error for a bucket that nobody has loaded.
"use strict";
(globalThis.KBSearchModules ??= {}).buckets = (base, { load: read, text: { cached, fold } }) => {
  const MAX_LAYOUTS = 5000;
  const starts = Object.fromEntries(
    Object.entries(base.starts).map(([kind, keys]) => [kind, keys.split("\n")]),
  );

  function columns(data) {
    const column = ([values, numbers]) => numbers.map((number) => values[number]);
    return Object.fromEntries(Object.entries(data).map(([name, packed]) => [name, column(packed)]));
  }
  // Folded form -> [{lang, inTexts, isSister, form, lemmas}], of lines `lang[*~] stem lemma\tends`.
  // A line `lang* stem lemma count\tends[\twords]` also gives `lang:lemma` -> [count, ...words].
  function forms(data) {
    const rows = new Map();
    for (const line of data ? data.split("\n") : []) {
      const [head, ends, others] = line.split("\t");
      const [code, stem, short, count] = head.split(" ");
      const [inTexts, isSister] = [code.endsWith("*"), code.endsWith("~")];
      const lang = inTexts || isSister ? code.slice(0, -1) : code;
      const lemma = wholeLemma(short, stem);
      const meaning = [Number(count), ...(others ? others.split(" ") : [])];
      for (const end of ends.split(" ")) {
        const form = stem + end;
        const folded = fold(form);
        meaning.push(folded);
        if (!rows.has(folded)) rows.set(folded, []);
        const list = rows.get(folded);
        const entry = list.find((other) => other.form === form && other.lang === lang);
        if (entry) entry.lemmas.push(lemma);
        else list.push({ lang, inTexts, isSister, form, lemmas: [lemma] });
      }
      if (count) rows.set(`${lang}:${lemma}`, meaning);
    }
    return rows;
  }
  function wholeLemma(lemma, stem) {
    const mark = "^~+".includes(lemma[0]) ? lemma[0] : "";
    const rest = lemma.slice(mark.length);
    if (rest[0] === "-") return mark + stem + rest.slice(1);
    return rest[0] === "=" ? mark + fold(stem) + rest.slice(1) : lemma;
  }
  // Word -> whether the texts have it. A line: how many letters it shares with the last, and the rest.
  function words(data) {
    let last = "";
    return new Map(
      data.split("\n").map((line) => {
        last = last.slice(0, parseInt(line[0], 36)) + line.slice(1);
        const inTexts = last.endsWith("*");
        return [inTexts ? last.slice(0, -1) : last, inTexts];
      }),
    );
  }
  // By kind: terms, all words of a language, words of the texts without their first letter, cards by
  // word; columns, layouts and results of documents.
  const PARSE = {
    t: ([data, terms]) => new Map([...forms(data), ...Object.entries(terms)]),
    w: words,
    s: (data) => new Map(data.split("\n").map((line) => /^(\S*) (.*)$/.exec(line).slice(1))),
    c: (data) => new Map(Object.entries(data)),
    d: columns,
    g: (data) => data,
    x: (data) => data,
  };

  // ---- loading ----
  const loading = new Map();
  // Name -> {data, rows}: a bucket is parsed when it is first read.
  const loaded = new Map();
  async function loadBucket(name) {
    try {
      loaded.set(name, { data: await read(`${base.folder}/${name}.js`, name) });
    } finally {
      loading.delete(name);
    }
  }
  function loadAll(names) {
    const missing = [...new Set(names)].filter((name) => !loaded.has(name));
    for (const name of missing) if (!loading.has(name)) loading.set(name, loadBucket(name));
    return Promise.all(missing.map((name) => loading.get(name)));
  }
  function bucket(name) {
    const held = loaded.get(name);
    if (!held) throw new Error(`the bucket ${name} is not loaded`);
    return (held.rows ??= PARSE[name[0]](held.data));
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
  // The row of a name at a key; null without one.
  function row(kind, key, name = key) {
    const at = numberOf(kind, key);
    return at < 0 ? null : (bucket(kind + at).get(name) ?? null);
  }
  // The buckets with the keys that begin with a prefix.
  function namesWith(kind, prefix) {
    const first = Math.max(0, numberOf(kind, prefix));
    const last = numberOf(kind, prefix + "\uffff");
    return namesOf(kind).slice(first, last + 1);
  }
  const loadWith = (kind, prefix) => loadAll(namesWith(kind, prefix));
  const sorted = new WeakMap();
  function keysOf(rows) {
    if (!sorted.has(rows)) sorted.set(rows, [...rows.keys()].sort());
    return sorted.get(rows);
  }
  // Every row of a kind whose key begins with a prefix, in order.
  function* rowsWith(kind, prefix) {
    for (const name of namesWith(kind, prefix)) {
      const rows = bucket(name);
      const keys = keysOf(rows);
      let at = countUpTo(keys, prefix);
      if (keys[at - 1] === prefix) at--;
      for (; at < keys.length && keys[at].startsWith(prefix); at++)
        yield [keys[at], rows.get(keys[at])];
    }
  }

  // ---- documents ----
  const blockOf = (kind, doc) => kind + Math.floor(doc / base.blocks[kind]);
  const loadDocuments = (kind, docs) => loadAll(docs.map((doc) => blockOf(kind, doc)));
  const placeOf = (kind, doc) => doc % base.blocks[kind];
  const column = (doc, name) => bucket(blockOf("d", doc))[name][placeOf("d", doc)];
  // The data of a result: [id, titles, texts, ends of answers, names of cards, verdict, conditions].
  const record = (doc) => bucket(blockOf("x", doc))[placeOf("x", doc)];
  // The segments of a document: [{field, lang, start, length}] in words of the document.
  const layout = cached(MAX_LAYOUTS, (doc) => {
    const segments = [];
    let start = 0;
    for (const run of bucket(blockOf("g", doc))[placeOf("g", doc)].split(";")) {
      const [head, lengths] = run.split(" ");
      for (const [digit, number] of lengths.matchAll(/\((\d+)\)|./g)) {
        const length = number ? Number(number) : parseInt(digit, 36);
        segments.push({ field: head[0], lang: head.slice(1), start, length });
        start += length;
      }
    }
    return segments;
  });

  return {
    column,
    layout,
    load,
    loadDocuments,
    loadKind,
    loadWith,
    record,
    row,
    rowsWith,
  };
};
