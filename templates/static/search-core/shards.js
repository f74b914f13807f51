// The shards that are loaded, the rows in them, and the names of those that a query still needs.
"use strict";
(globalThis.KBSearchModules ??= {}).shards = (base, load, { fold }) => {
  const WAIT = new Error("shards are missing");
  const MAX_LOADED = 1600;
  const MAX_LAYOUTS = 5000;
  const AT_A_TIME = 3;
  const shards = new Map();
  // What was loaded ahead, and is read where it is needed.
  const unread = new Map();
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
  // The words of the texts that mean the lemmas of the loaded forms: Map `lang:lemma` -> Set.
  const meanings = new Map();
  function mean(name, word) {
    const words = meanings.get(name);
    if (words) words.add(word);
    else meanings.set(name, new Set([word]));
  }
  // Folded form -> [{lang, inTexts, isSister, form, lemmas}], of lines `lang[~*] stem lemma\tends`,
  // and of the words that mean a lemma elsewhere: `lang! lemma\twords`.
  function forms(data) {
    const entries = new Map();
    for (const line of data ? data.split("\n") : []) {
      const [head, ends] = line.split("\t");
      const [code, stem, short] = head.split(" ");
      if (code.endsWith("!")) {
        for (const word of ends.split(" ")) mean(`${code.slice(0, -1)}:${stem}`, word);
        continue;
      }
      const [inTexts, isSister] = [code.endsWith("*"), code.endsWith("~")];
      const lang = inTexts || isSister ? code.slice(0, -1) : code;
      const lemma = wholeLemma(short, stem);
      for (const end of ends.split(" ")) {
        const form = stem + end;
        const folded = fold(form);
        if (inTexts) mean(`${lang}:${lemma}`, folded);
        if (!entries.has(folded)) entries.set(folded, []);
        const list = entries.get(folded);
        const entry = list.find((other) => other.form === form && other.lang === lang);
        if (entry) entry.lemmas.push(lemma);
        else list.push({ lang, inTexts, isSister, form, lemmas: [lemma] });
      }
    }
    return entries;
  }
  function wholeLemma(lemma, stem) {
    const mark = "^~+".includes(lemma[0]) ? lemma[0] : "";
    const rest = lemma.slice(mark.length);
    if (rest[0] === "-") return mark + stem + rest.slice(1);
    return rest[0] === "=" ? mark + fold(stem) + rest.slice(1) : lemma;
  }
  // `lang word` -> whether the texts have the word, of lines with what each shares with the last.
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
  const READ = {
    // With the postings of the words where the base is small: their names are no forms.
    f: (data) => {
      if (typeof data === "string") return forms(data);
      const rows = forms(data[0]);
      for (const [name, row] of Object.entries(data[1])) rows.set(name, row);
      return rows;
    },
    w: words,
    s: (data) => lines(data, " "),
    p: (data) => new Map(Object.entries(data)),
    c: (data) => new Map(Object.entries(data)),
    n: (data) => new Map(data.map((name) => [name, name])),
    d: columns,
    g: (data) => data,
    a: (data) => (data.d ? { ...data, d: columns(data.d) } : data),
    x: (data) => data,
  };

  // How many times the running step asked for a shard that is missing.
  let lacking = 0;
  function request(name) {
    if (unread.has(name)) {
      shards.set(name, READ[name[0]](unread.get(name)));
      unread.delete(name);
    }
    const shard = shards.get(name);
    if (shard === undefined) {
      missing.add(name);
      lacking++;
    }
    return shard;
  }
  const loading = new Map();
  function loaded(name) {
    if (!loading.has(name)) {
      const put = load(`${name}.js`, name).then((data) => unread.set(name, data));
      loading.set(
        name,
        put.finally(() => loading.delete(name)),
      );
    }
    return loading.get(name);
  }
  function settle() {
    if (lacking) throw WAIT;
  }
  // Runs one step of a query as far as it gets before shards are missing. What other steps lack
  // does not stop it.
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

  // What `step` returns, once the shards that it needs are loaded; null when it is no longer wanted.
  async function resolve(step, isWanted = () => true) {
    for (;;) {
      if (shards.size + unread.size > MAX_LOADED) {
        for (const name of [...shards.keys()]) if (!"ad".includes(name[0])) shards.delete(name);
        unread.clear();
        meanings.clear();
      }
      missing.clear();
      lacking = 0;
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
  // In a small base the postings of words lie with their forms.
  const isTogether = (kind, key) => kind === "p" && base.together && !"!#@".includes(key[0]);
  // The value of a key; undefined while its shard is missing, null where there is none.
  function row(kind, key, name = key) {
    if (isTogether(kind, key)) kind = "f";
    const at = countUpTo(starts[kind], key) - 1;
    if (at < 0) return null;
    const shard = request(nameOf(kind, at));
    return shard && (shard.get(name) ?? null);
  }
  // The name of the shard that a key would be in, and of those that keys with a prefix may be in.
  function nameWith(kind, key) {
    const at = countUpTo(starts[kind], key) - 1;
    return at < 0 ? null : nameOf(kind, at);
  }
  function namesWith(kind, prefix) {
    const first = Math.max(0, countUpTo(starts[kind], prefix) - 1);
    const last = countUpTo(starts[kind], prefix + "\uffff");
    return Array.from({ length: Math.max(0, last - first) }, (_, at) => nameOf(kind, first + at));
  }
  // Loads shards for a later question; what fails now is asked for again when it is needed.
  const loadAhead = (names) =>
    Promise.allSettled(names.filter((name) => name && isMissing(name)).map(loaded));
  // The names of the shards that a step lacks.
  function lackedBy(step) {
    missing.clear();
    attempt(step);
    lacking = 0;
    return [...missing];
  }
  const isMissing = (name) => !shards.has(name) && !unread.has(name);
  // Loads what is missing of the words and texts, a few files at a time, while `isWanted`.
  async function loadRest(isWanted) {
    const [firsts] = base.records;
    const letters = new Set(starts.f.map((start) => start.slice(0, 1)));
    const names = [...letters].flatMap((letter) => [nameWith("f", letter), nameWith("c", letter)]);
    names.push(...firsts.map((_, at) => recordName(at)));
    for (const kind of "wsp") names.push(...starts[kind].map((_, at) => nameOf(kind, at)));
    async function loadNext() {
      while (names.length && isWanted()) {
        const name = names.shift();
        if (name && isMissing(name)) await loaded(name);
      }
    }
    await Promise.all(Array.from({ length: AT_A_TIME }, loadNext));
  }
  const sorted = new WeakMap();
  function keysOf(shard) {
    if (!sorted.has(shard)) sorted.set(shard, [...shard.keys()]);
    return sorted.get(shard);
  }
  // Every row of a kind with sorted rows whose key begins with a prefix.
  function* rowsWith(kind, prefix) {
    const last = countUpTo(starts[kind], prefix + "\uffff") - 1;
    for (let at = Math.max(0, countUpTo(starts[kind], prefix) - 1); at <= last; at++) {
      const shard = request(nameOf(kind, at));
      const keys = shard ? keysOf(shard) : [];
      const first = countUpTo(keys, prefix);
      for (let row = keys[first - 1] === prefix ? first - 1 : first; row < keys.length; row++) {
        if (!keys[row].startsWith(prefix)) break;
        yield [keys[row], shard.get(keys[row])];
      }
    }
  }

  // What every answer needs; of a small base the columns and layouts too.
  const always = () => request(`a-${base.always}`);
  const block = (kind, hashes, at) =>
    hashes.length ? request(`${kind}-${hashes[at]}`) : always()?.[kind];
  function column(doc, name) {
    const columns = block("d", base.columns, Math.floor(doc / base.block));
    return columns && columns[name][doc % base.block];
  }
  // The segments of a document: [{field, lang, start, length}], their words counted over all.
  const layouts = new Map();
  function layout(doc) {
    const lines = block("g", base.layouts, Math.floor(doc / base.layoutBlock));
    if (!lines || layouts.has(doc)) return layouts.get(doc);
    const segments = [];
    let start = 0;
    for (const run of lines[doc % base.layoutBlock].split(";")) {
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
  function requestColumns() {
    for (const hash of base.columns) request(`d-${hash}`);
  }
  function requestLayouts() {
    for (const hash of base.layouts) request(`g-${hash}`);
  }
  // The words for ideas in a language: {idea: patterns}.
  const jargon = (lang) => always()?.jargon[lang];
  const recordName = (at) => `x-${base.records[1].slice(hashLength * at, hashLength * (at + 1))}`;
  // What a result shows of a document: [id, titles, texts].
  function record(doc) {
    const [firsts] = base.records;
    const at = countUpTo(firsts, doc) - 1;
    const shard = request(recordName(at));
    return shard && shard[doc - firsts[at]];
  }

  return {
    always,
    attempt,
    column,
    jargon,
    lackedBy,
    layout,
    loadAhead,
    loadRest,
    meanings,
    nameWith,
    namesWith,
    record,
    requestColumns,
    requestLayouts,
    resolve,
    row,
    rowsWith,
    settle,
  };
};
