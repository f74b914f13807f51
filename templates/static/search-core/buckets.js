// Loads the buckets that a query needs, and reads their rows.
"use strict";
(globalThis.KBSearchModules ??= {}).buckets = (base, { load, text: { fold } }) => {
  const WAIT = new Error("buckets are missing");
  const MAX_LOADED = 400;
  const MAX_LAYOUTS = 5000;
  const AT_A_TIME = 3;
  // Name -> {data, bucket}: a bucket is parsed when it is first read.
  const loaded = new Map();
  const loading = new Map();
  const missing = new Set();
  const starts = {};
  for (const [kind, keys] of Object.entries(base.starts)) starts[kind] = keys.split("\n");

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

  // How often the running step requested a missing bucket.
  let lacking = 0;
  function request(name) {
    const held = loaded.get(name);
    if (held) return (held.bucket ??= PARSE[name[0]](held.data));
    missing.add(name);
    lacking++;
    return undefined;
  }
  function settle() {
    if (lacking) throw WAIT;
  }
  // Runs a step of a query until buckets are missing; then it is null. Buckets that other steps miss do
  // not stop it.
  function attempt(step) {
    const before = lacking;
    lacking = 0;
    try {
      return step();
    } catch (error) {
      if (error !== WAIT) throw error;
      return null;
    } finally {
      lacking += before;
    }
  }

  function loadOne(name) {
    if (!loading.has(name)) {
      const put = load(`${base.folder}/${name}.js`, name)
        .then((data) => loaded.set(name, { data, bucket: null }))
        .finally(() => loading.delete(name));
      loading.set(name, put);
    }
    return loading.get(name);
  }
  // The result of `step` once its buckets are loaded; null if it is no longer wanted.
  async function resolve(step, isWanted = () => true) {
    for (;;) {
      if (loaded.size > MAX_LOADED)
        for (const name of loaded.keys()) if (name[0] !== "d") loaded.delete(name);
      missing.clear();
      lacking = 0;
      const value = attempt(() => {
        const result = step();
        settle();
        return result;
      });
      if (!missing.size) return value;
      await Promise.all([...missing].map(loadOne));
      if (!isWanted()) return null;
    }
  }
  // Loads the missing buckets of some kinds, AT_A_TIME at once, while `isWanted`.
  async function loadAhead(kinds, isWanted) {
    const names = kinds.flatMap((kind) =>
      Array.from({ length: count(kind) }, (_, at) => kind + at),
    );
    async function loadNext() {
      while (names.length && isWanted()) {
        const name = names.shift();
        if (!loaded.has(name)) await loadOne(name);
      }
    }
    await Promise.all(Array.from({ length: AT_A_TIME }, loadNext));
  }
  const count = (kind) => starts[kind]?.length ?? Math.ceil(base.count / base.blocks[kind]);

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
  // The row of a name at a key; undefined while its bucket is missing, null without a row.
  function row(kind, key, name = key) {
    const at = countUpTo(starts[kind], key) - 1;
    if (at < 0) return null;
    const bucket = request(kind + at);
    return bucket && (bucket.get(name) ?? null);
  }
  const sorted = new WeakMap();
  function keysOf(bucket) {
    if (!sorted.has(bucket)) sorted.set(bucket, [...bucket.keys()].sort());
    return sorted.get(bucket);
  }
  // Every row of a kind whose key begins with a prefix, in order.
  function* rowsWith(kind, prefix) {
    const last = countUpTo(starts[kind], prefix + "\uffff") - 1;
    for (let at = Math.max(0, countUpTo(starts[kind], prefix) - 1); at <= last; at++) {
      const bucket = request(kind + at);
      const keys = bucket ? keysOf(bucket) : [];
      const first = countUpTo(keys, prefix);
      for (
        let place = keys[first - 1] === prefix ? first - 1 : first;
        place < keys.length;
        place++
      ) {
        if (!keys[place].startsWith(prefix)) break;
        yield [keys[place], bucket.get(keys[place])];
      }
    }
  }

  // The block of a document, and the document's place in it.
  function block(kind, doc) {
    const size = base.blocks[kind];
    return [request(kind + Math.floor(doc / size)), doc % size];
  }
  function column(doc, name) {
    const [data, at] = block("d", doc);
    return data && data[name][at];
  }
  // The data of a result: [id, titles, texts, ends of answers, names of cards].
  function record(doc) {
    const [data, at] = block("x", doc);
    return data && data[at];
  }
  // The segments of a document: [{field, lang, start, length}] in words of the document.
  const layouts = new Map();
  function layout(doc) {
    const [data, at] = block("g", doc);
    if (!data || layouts.has(doc)) return layouts.get(doc);
    const segments = [];
    let start = 0;
    for (const run of data[at].split(";")) {
      const [head, lengths] = run.split(" ");
      for (const [digit, number] of lengths.matchAll(/\((\d+)\)|./g)) {
        const length = number ? Number(number) : parseInt(digit, 36);
        segments.push({ field: head[0], lang: head.slice(1), start, length });
        start += length;
      }
    }
    if (layouts.size > MAX_LAYOUTS) layouts.clear();
    layouts.set(doc, segments);
    return segments;
  }
  // Requests the blocks of a kind at once, unless there are more than `most`.
  function requestAll(kind, most) {
    if (count(kind) <= most) for (let at = 0; at < count(kind); at++) request(kind + at);
  }

  return { attempt, column, layout, loadAhead, record, requestAll, resolve, row, rowsWith, settle };
};
