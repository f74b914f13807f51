// The shards that are loaded, the rows in them, and the names of those that a query still needs.
"use strict";
(globalThis.KBSearchModules ??= {}).shards = (base, load) => {
  const WAIT = new Error("shards are missing");
  const MAX_LOADED = 1600;
  const MAX_LAYOUTS = 5000;
  const shards = new Map();
  const missing = new Set();
  const [kinds, hashLength] = [base.shards, base.hashLength];
  const starts = {};
  for (const [kind, [keys, hashes]] of Object.entries(kinds))
    starts[kind] = hashes ? keys.split("\n") : [];

  // A shard is named by its content.
  const nameOf = (kind, at) =>
    `${kind}-${kinds[kind][1].slice(hashLength * at, hashLength * (at + 1))}`;

  function lines(data, separator) {
    const rows = data.split("\n").map((line) => {
      const end = line.indexOf(separator);
      return [line.slice(0, end), line.slice(end + 1)];
    });
    return new Map(rows);
  }
  function columns(data) {
    return Object.fromEntries(
      Object.entries(data).map(([name, [values, numbers]]) => [
        name,
        numbers.map((number) => values[number]),
      ]),
    );
  }
  const READ = {
    f: (data) => lines(data, "\t"),
    v: (data) => lines(data, " "),
    s: (data) => lines(data, " "),
    p: (data) => new Map(Object.entries(data)),
    c: (data) => new Map(Object.entries(data)),
    n: (data) => new Map(data.map((name) => [name, name])),
    d: columns,
    g: (data) => data,
    j: ([, patterns]) => patterns,
    x: (data) => data,
  };

  function request(name) {
    const shard = shards.get(name);
    if (shard === undefined) missing.add(name);
    return shard;
  }
  const loading = new Map();
  function loaded(name) {
    if (!loading.has(name)) {
      const put = load(`${name}.js`, name).then((data) => shards.set(name, READ[name[0]](data)));
      loading.set(
        name,
        put.finally(() => loading.delete(name)),
      );
    }
    return loading.get(name);
  }
  function settle() {
    if (missing.size) throw WAIT;
  }
  // Runs one step of a query as far as it gets before shards are missing.
  function attempt(step) {
    try {
      return step();
    } catch (error) {
      if (error !== WAIT) throw error;
      return null;
    }
  }

  // What `step` returns, once the shards that it needs are loaded; null when it is no longer wanted.
  async function resolve(step, isWanted = () => true) {
    for (;;) {
      if (shards.size > MAX_LOADED)
        for (const name of [...shards.keys()]) if (name[0] !== "d") shards.delete(name);
      missing.clear();
      const value = attempt(() => {
        const result = step();
        settle();
        return result;
      });
      if (!missing.size) return value;
      await Promise.all([...missing].map(loaded));
      if (!isWanted()) return null;
    }
  }

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
  // The value of a key; undefined while its shard is missing, or where there is none.
  function row(kind, key, name = key) {
    const at = countUpTo(starts[kind], key) - 1;
    const shard = at < 0 ? undefined : request(nameOf(kind, at));
    return shard && shard.get(name);
  }
  // Every row of a kind whose key begins with a prefix.
  function* rowsWith(kind, prefix) {
    const last = countUpTo(starts[kind], prefix + "\uffff") - 1;
    for (let at = Math.max(0, countUpTo(starts[kind], prefix) - 1); at <= last; at++) {
      const shard = request(nameOf(kind, at));
      if (shard) for (const entry of shard.entries()) if (entry[0].startsWith(prefix)) yield entry;
    }
  }

  function column(doc, name) {
    const block = request(`d-${base.columns[Math.floor(doc / base.block)]}`);
    return block && block[name][doc % base.block];
  }
  // The segments of a document: [{field, lang, start, length}], their words counted over all.
  const layouts = new Map();
  function layout(doc) {
    const block = request(`g-${base.layouts[Math.floor(doc / base.layoutBlock)]}`);
    if (!block || layouts.has(doc)) return layouts.get(doc);
    const segments = [];
    let start = 0;
    for (const run of block[doc % base.layoutBlock].split(";")) {
      const [head, ...lengths] = run.split(" ");
      for (const length of lengths.map(Number)) {
        segments.push({ field: head[0], lang: head.slice(1), start, length });
        start += length;
      }
    }
    if (layouts.size > MAX_LAYOUTS) layouts.clear();
    layouts.set(doc, segments);
    return segments;
  }
  function requestColumns() {
    for (const hash of base.columns) request(`d-${hash}`);
  }
  // The words for ideas in a language: {idea: patterns}.
  const jargon = (lang) => (base.jargon[lang] ? request(`j-${base.jargon[lang]}`) : {});
  // What a result shows of a document: [id, titles, texts].
  function record(doc) {
    const [firsts, hashes] = base.records;
    const at = countUpTo(firsts, doc) - 1;
    const shard = request(`x-${hashes.slice(hashLength * at, hashLength * (at + 1))}`);
    return shard && shard[doc - firsts[at]];
  }

  return {
    attempt,
    column,
    jargon,
    layout,
    record,
    requestColumns,
    resolve,
    row,
    rowsWith,
    settle,
  };
};
