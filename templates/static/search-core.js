// The search of kb/index in the browser: the same query language, table of forms, postings and ranking.
// It touches no page, so that a worker can run it. KBSearch(base) gives {search, put, missing}: search(options) gives null while
// shards are missing; put(name, data) takes one in. KBSearch.answer(engine, load, options) loads what is missing and searches.
"use strict";
(function (scope) {
  const K1 = 1.2, B = 0.35, RERANKED = 10, FEW = 3, EXACT_BONUS = 0.15, TITLE_BONUS = 0.5, NEAR_BONUS = 0.25;
  const KIND = { example: 0.88, note: 0.94 };
  const GROUP = 0.8, SLIP = { 1: 0.55, 2: 0.4 };
  const MAX_LENGTH = 200, MAX_TERMS = 12, MAX_DEPTH = 4, MIN_PREFIX = 3, MAX_EXPANSION = 60, MAX_SHARDS = 800, SNIPPET = 240, FEW_BLOCKS = 8;
  const NO_LONGER = ["superseded", "reversed", "withdrawn"];
  // Letters that fold as the index says, and words for OR: both come with base.js.
  const SPECIAL = {}, OR = new Set();
  const WORD = /\p{Nd}+(?:\.\p{Nd}+)+(?![\p{L}\p{N}_])|(?:[\p{L}\p{N}][\u0300-\u036f]*)+(?:['’‘ʼ`´‐‑-](?:[\p{L}\p{N}][\u0300-\u036f]*)+)*/gu;
  const NUMBER = /^\d+(?:\.\d+)*$/;
  const QUOTES = { '"': '"', "„": "”“\"", "“": "”", "«": "»", "”": "”" };
  const FILTER = /^(-?)(game|card|topic|kind|authority|status|lang|source|before|after|asof|rules):(.*)$/isu;

  const letters = new Map();
  function letter(char) {
    let made = letters.get(char);
    if (made === undefined) {
      if (Object.hasOwn(SPECIAL, char)) made = SPECIAL[char];
      else {
        const apart = char.normalize("NFKD").toLowerCase().normalize("NFKD");
        made = [...apart].filter((one) => !/\p{M}/u.test(one)).map((one) => (Object.hasOwn(SPECIAL, one) ? SPECIAL[one] : one)).join("");
      }
      letters.set(char, made);
    }
    return made;
  }
  const folds = new Map();
  function fold(text) {
    let made = folds.get(text);
    if (made === undefined) {
      made = [...text.normalize("NFC").toLowerCase().normalize("NFC")].map(letter).join("");
      if (folds.size > 50000) folds.clear();
      folds.set(text, made);
    }
    return made;
  }
  const tokenize = (text) => [...text.matchAll(WORD)].map((found) => ({ start: found.index, end: found.index + found[0].length, text: found[0] }));
  function parts(word) {
    const pieces = word.split(/[‐‑-]/).filter(Boolean);
    return pieces.length > 1 ? [pieces.join(""), ...pieces] : [];
  }

  // Optimal string alignment distance, at most `most + 1`.
  function distance(one, other, most) {
    if (Math.abs(one.length - other.length) > most) return most + 1;
    let before = [], last = Array.from({ length: other.length + 1 }, (_, place) => place);
    for (let row = 1; row <= one.length; row++) {
      const here = [row];
      for (let column = 1; column <= other.length; column++) {
        const cost = one[row - 1] === other[column - 1] ? 0 : 1;
        here[column] = Math.min(last[column] + 1, here[column - 1] + 1, last[column - 1] + cost);
        if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
          here[column] = Math.min(here[column], before[column - 2] + 1);
      }
      if (Math.min(...here) > most && (!before.length || Math.min(...last) > most)) return most + 1;
      before = last;
      last = here;
    }
    return Math.min(last[other.length], most + 1);
  }

  // ---- the query language ----
  function pieces(text) {
    const scan = /[()|]|-?(?:[\p{L}\p{N}_]+:)?["„“«”]|[^\s()|"„“«”]+/gu;
    const made = [];
    let found;
    while ((found = scan.exec(text))) {
      const piece = found[0], mark = piece[piece.length - 1];
      if (QUOTES[mark]) {
        const ends = [...QUOTES[mark]].map((one) => text.indexOf(one, scan.lastIndex)).filter((at) => at >= 0);
        if (!ends.length) {
          if (piece.length > 1) made.push(piece.slice(0, -1));
          continue;
        }
        const end = Math.min(...ends);
        made.push(piece.slice(0, -1) + text.slice(scan.lastIndex, end) + "\0");
        scan.lastIndex = end + 1;
      } else if (piece === "(" && made[made.length - 1] === "-") made[made.length - 1] = "-(";
      else made.push(piece);
    }
    return made.filter((piece) => piece !== "-");
  }
  const bare = (text) => text.replace(/^["„”“«» ]+|["„”“«» ]+$/gu, "");
  function parse(text) {
    let whole = text.slice(0, MAX_LENGTH * 5).split(/\s+/u).filter(Boolean).join(" ");
    if (whole.length > MAX_LENGTH) {
      const cut = whole.slice(0, MAX_LENGTH), space = cut.lastIndexOf(" ");
      whole = space > 0 ? cut.slice(0, space) : cut;
    }
    const list = pieces(whole.replace(/\0/g, " ")), filters = [];
    let place = 0, terms = 0;
    function words(piece) {
      if (piece.endsWith("\0")) {
        const found = tokenize(piece).map((token) => token.text).slice(0, MAX_TERMS);
        return found.length > 1 ? [{ kind: "phrase", words: found, text: found.join(" ") }] : found.map((one) => ({ kind: "word", text: one }));
      }
      const prefix = piece.replace(/\*+$/, ""), found = tokenize(prefix).map((token) => token.text);
      const made = found.map((one) => ({ kind: "word", text: one }));
      if (prefix !== piece && found.length && found[found.length - 1].length >= MIN_PREFIX) made[made.length - 1].kind = "prefix";
      return made;
    }
    function leaf(piece) {
      const named = FILTER.exec(piece.replace(/\0$/, ""));
      if (named && bare(named[3])) {
        filters.push({ name: named[2].toLowerCase(), value: bare(named[3]), negated: Boolean(named[1]) });
        return [];
      }
      const negated = piece.startsWith("-") && piece.length > 1, made = [];
      for (const node of words(negated ? piece.slice(1) : piece)) {
        if (terms >= MAX_TERMS) break;
        terms++;
        made.push(negated ? { kind: "not", node } : node);
      }
      return made;
    }
    function group(depth) {
      const alternatives = [[]];
      while (place < list.length) {
        const piece = list[place++], nodes = alternatives[alternatives.length - 1];
        if (piece === ")") {
          if (depth) break;
        } else if (OR.has(piece)) alternatives.push([]);
        else if (piece === "(" || piece === "-(") {
          const inner = depth < MAX_DEPTH ? group(Math.min(depth + 1, MAX_DEPTH)) : null;
          if (inner) nodes.push(piece === "-(" ? { kind: "not", node: inner } : inner);
        } else nodes.push(...leaf(piece));
      }
      const made = alternatives.filter((nodes) => nodes.length).map((nodes) => (nodes.length === 1 ? nodes[0] : { kind: "and", nodes }));
      return made.length > 1 ? { kind: "or", nodes: made } : made[0] || null;
    }
    const nodes = [];
    while (place < list.length) {
      const node = group(0);
      if (node) nodes.push(node);
    }
    return { root: nodes.length > 1 ? { kind: "and", nodes } : nodes[0] || null, filters };
  }
  function leaves(node) {
    if (!node || node.kind === "not") return [];
    return node.nodes ? node.nodes.flatMap(leaves) : [node];
  }
  const negations = (node) => (!node ? [] : node.kind === "not" ? [node] : node.nodes ? node.nodes.flatMap(negations) : []);

  const WAIT = new Error("shards are missing");
  const HASH = 8;

  function KBSearch(base) {
    const shards = new Map(), missing = new Set();
    const spoken = base.languages.known, order = Object.keys(spoken), games = Object.keys(base.games);
    const stop = Object.fromEntries(order.map((lang) => [lang, new Set(spoken[lang].stop)]));
    Object.assign(SPECIAL, base.languages.letters);
    for (const word of base.languages.or) OR.add(word);
    const starts = {};
    for (const kind of "fpwsc") starts[kind] = base[kind][1] ? base[kind][0].split("\n") : [];

    // ---- shards ----
    // A shard is named by its content.
    const named = (kind, at) => kind + "-" + (kind === "d" ? base.d[at] : base[kind][1].substr(HASH * at, HASH));
    const file = (name) => name + ".js";
    function need(name) {
      const held = shards.get(name);
      if (held === undefined) missing.add(name);
      return held;
    }
    const settle = () => { if (missing.size) throw WAIT; };
    function put(name, data) {
      if (name[0] === "f" || name[0] === "s") {
        const mark = name[0] === "f" ? "\t" : " ";
        data = new Map(data.split("\n").map((line) => { const at = line.indexOf(mark); return [line.slice(0, at), line.slice(at + 1)]; }));
      } else if (name[0] === "p" || name[0] === "w") data = new Map(Object.entries(data));
      else if (name[0] === "c") data = new Map(data.map((one) => [one, one]));
      else if (name[0] === "d") for (const key of Object.keys(data)) data[key] = data[key][1].map((row) => data[key][0][row]);
      shards.set(name, data);
      missing.delete(name);
    }
    function place(kind, key) {
      let low = 0, high = starts[kind].length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (starts[kind][middle] <= key) low = middle + 1;
        else high = middle;
      }
      return low - 1;
    }
    function shard(kind, key) {
      const at = place(kind, key);
      return at < 0 ? new Map() : need(named(kind, at));
    }
    // Every row of a kind whose key begins so.
    function* rows(kind, start) {
      if (!starts[kind].length) return;
      for (let at = Math.max(0, place(kind, start)), end = place(kind, start + "\uffff"); at <= end; at++) {
        const held = need(named(kind, at));
        if (held) for (const row of held.entries()) if (row[0].startsWith(start)) yield row;
      }
    }

    // ---- forms ----
    const entryOf = new Map();
    function entries(folded, held) {
      const line = held || (shard("f", folded) || new Map()).get(folded);
      if (!line) return [];
      let made = entryOf.get(folded);
      if (!made) {
        made = line.split("\t").map((entry) => {
          const [lang, form, ...lemmas] = entry.split(" ");
          return { lang: lang.replace(/[*~]/, ""), corpus: lang.endsWith("*"), sister: lang.endsWith("~"), form: form === "=" ? folded : form, lemmas: lemmas.map((one) => (one === "=" ? folded : one)) };
        });
        if (entryOf.size > 20000) entryOf.clear();
        entryOf.set(folded, made);
      }
      return made;
    }
    const corpus = (folded, lang) => entries(folded).some((one) => one.lang === lang && one.corpus);
    function stem(word, lang) {
      const rules = spoken[lang];
      if (word.length > 5) for (const [pattern, replacement] of rules.respellings) word = word.replace(new RegExp(pattern), replacement);
      const suffix = rules.suffixes.find((one) => word.endsWith(one) && word.length - one.length >= 3);
      return suffix ? word.slice(0, -suffix.length) : word;
    }
    const together = (list) => [...new Set(list.flatMap((one) => one.lemmas))];
    function analyse(word, lang) {
      const low = word.toLowerCase(), simple = fold(low), near = entries(simple).filter((one) => one.lang === lang);
      const exact = near.find((one) => one.form === low);
      if (exact) return { lemmas: exact.lemmas, how: exact.sister ? "sister" : "exact" };
      if (near.length) return { lemmas: together(near), how: near[0].sister ? "sister" : "folded" };
      if (low.length > 3 && /['’‘ʼ`´]s$/.test(low)) {
        const owner = entries(fold(low.slice(0, -2))).filter((one) => one.lang === lang);
        if (owner.length) return { lemmas: together(owner), how: owner[0].sister ? "sister" : "folded" };
      }
      return { lemmas: ["~" + stem(simple, lang)], how: "stem" };
    }
    const compare = (one, other) => { for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return one[at] - other[at]; return 0; };
    const alphabetic = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
    function similar(word, languages) {
      if (word.length < 4 || /\d/.test(word)) return [];
      const most = word.length <= 7 ? 1 : 2, near = new Map(languages.map((lang) => [lang, new Map()]));
      const note = (lang, form, apart, known) => {
        const held = near.get(lang) && near.get(lang).get(form);
        if (near.get(lang) && (!held || apart < held.distance)) near.get(lang).set(form, { word: form, distance: apart, corpus: known, lang });
      };
      for (const [form, line] of rows("f", word[0])) {
        if (Math.abs(form.length - word.length) > most) continue;
        const apart = distance(word, form, most);
        if (apart > most) continue;
        for (const lang of new Set(entries(form, line).map((one) => one.lang))) note(lang, form, apart, entries(form, line).some((one) => one.lang === lang && one.corpus));
      }
      // Of words with another first letter only those of the texts that differ in it alone.
      const guess = (form) => { if (form !== word && form[0] !== word[0]) for (const one of entries(form)) if (one.corpus) note(one.lang, form, 2, true); };
      guess(word.slice(1));
      guess(word[1] + word[0] + word.slice(2));
      for (const tail of [word.slice(1), word])
        for (const entry of ((shard("s", tail) || new Map()).get(tail) || "").split(" ").filter(Boolean)) {
          const [lang, first] = entry.split(":"), form = first + tail;
          if (form[0] !== word[0]) note(lang, form, 2, true);
        }
      settle();
      const rank = (one) => [one.distance, one.corpus ? 0 : 1, Math.abs(one.word.length - word.length)];
      return languages.flatMap((lang) => [...near.get(lang).values()].sort((a, b) => compare(rank(a), rank(b)) || alphabetic(a.word, b.word)).slice(0, 6));
    }
    function unfolded(word, lang) {
      const forms = entries(word).filter((one) => one.lang === lang);
      forms.sort((a, b) => b.corpus - a.corpus || alphabetic(a.form, b.form));
      return forms.length ? forms[0].form : word;
    }

    // ---- postings ----
    function key(term) {
      if (term[0] === "#" || term[0] === "@") return term;
      const rest = term.slice(term.search(/[=:]/) + 1).replace(/^[\^~+]+/, "");
      return fold(rest) || rest;
    }
    const NONE = { docs: [], weights: [] };
    function posting(term) {
      const held = shard("p", key(term));
      if (!held) return NONE;
      let row = held.get(term);
      if (!row) return NONE;
      if (Array.isArray(row)) {
        const many = row.length / 2, docs = new Int32Array(many);
        for (let at = 0, doc = 0; at < many; at++) docs[at] = doc += row[at];
        held.set(term, (row = { docs, weights: Float64Array.from(row.slice(many), (one) => one / 10) }));
      }
      return row;
    }
    const frequency = (term) => posting(term).docs.length;
    // All of them, so that all of their shards are asked for at once.
    const occurs = (terms) => Object.keys(terms).filter((term) => frequency(term)).length > 0;
    const column = (doc, name) => { const block = need(named("d", Math.floor(doc / base.block))); return block ? block[name][doc % base.block] : undefined; };
    function everything() {
      const all = new Map();
      for (let doc = 0; doc < base.count; doc++) all.set(doc, 0);
      return all;
    }

    // ---- meanings ----
    function add(terms, word, lang, weight) {
      const set = (term, factor) => { if (!(term in terms)) terms[term] = factor; };
      for (const [form, factor] of [[word, 1], ...parts(word).slice(0, 1).map((piece) => [piece, 0.7])]) {
        set(lang + "=" + fold(form), weight * factor);
        const analysis = analyse(form, lang);
        for (const lemma of analysis.lemmas) set(lang + ":" + lemma, (lemma[0] === "+" ? GROUP : base.languages.weights[analysis.how]) * weight * factor);
      }
    }
    const forms = (word, languages) => Object.fromEntries(languages.map((lang) => [lang + "=" + fold(word), 1]));
    function starting(start, languages) {
      const found = Object.fromEntries(languages.map((lang) => [lang, []]));
      for (const [form, line] of rows("f", start))
        for (const lang of new Set(entries(form, line).filter((one) => one.corpus).map((one) => one.lang))) if (found[lang]) found[lang].push(form);
      settle();
      const terms = languages.flatMap((lang) => found[lang].sort((a, b) => a.length - b.length || alphabetic(a, b)).slice(0, MAX_EXPANSION).map((form) => lang + "=" + form));
      return Object.fromEntries(terms.slice(0, 2 * MAX_EXPANSION).map((term) => [term, 1]));
    }
    function meaning(node, languages, likely) {
      const made = { kind: node.kind, text: node.text, terms: {}, sequence: [], optional: false, corrected: "" };
      if (node.kind === "phrase") {
        made.sequence = node.words.map((word) => forms(word, languages));
        return made;
      }
      if (node.kind === "prefix") {
        made.terms = starting(fold(node.text), languages);
        return made;
      }
      if (NUMBER.test(node.text)) {
        made.terms = { ["#" + node.text]: 1.5, ...forms(node.text, languages) };
        return made;
      }
      const known = likely.filter((lang) => analyse(node.text, lang).how !== "stem");
      for (const lang of known.length ? known : languages) add(made.terms, node.text, lang, 1);
      settle();
      made.optional = likely.some((lang) => stop[lang].has(fold(node.text))) || (node.text.length === 1 && !/\d/.test(node.text));
      if (made.optional || occurs(made.terms)) return made;
      settle();
      for (const lang of languages) add(made.terms, node.text, lang, 1);
      settle();
      if (occurs(made.terms)) return made;
      settle();
      return otherKeyboard(made, languages) || slip(made, languages, likely);
    }
    // A word typed while the keyboard was set to another language.
    function otherKeyboard(made, languages) {
      const low = [...made.text.toLowerCase()];
      for (const lang of languages)
        for (const meant of spoken[lang].meant)
          for (const typed of base.languages.keyboards) {
            const guess = typed === meant ? "" : low.map((char) => meant[typed.indexOf(char)] || " ").join("");
            if (!/^\p{L}+$/u.test(guess) || guess === low.join("") || analyse(guess, lang).how === "stem") continue;
            const terms = {};
            add(terms, guess, lang, SLIP[1]);
            if (!occurs(terms)) continue;
            settle();
            Object.assign(made.terms, terms);
            made.corrected = guess;
            return made;
          }
      settle();
      return null;
    }
    function slip(made, languages, likely) {
      const near = similar(fold(made.text), languages).map((one) => ({ ...one, rank: [one.distance, likely.includes(one.lang) ? 0 : 1, one.corpus ? 0 : 1] }));
      near.sort((a, b) => compare(a.rank, b.rank) || alphabetic(a.word, b.word) || alphabetic(a.lang, b.lang));
      const guesses = near.map((one) => {
        const terms = {};
        add(terms, one.word, one.lang, SLIP[one.distance] || 0.4);
        return [one, terms, occurs(terms)];
      });
      settle();
      let found = {};
      for (const [one, terms, there] of guesses)
        if (there && (!Object.keys(found).length || one.distance <= 1)) {
          made.corrected = made.corrected || unfolded(one.word, one.lang);
          found = { ...terms, ...found };
        }
      Object.assign(made.terms, found);
      return made;
    }

    // ---- ranking ----
    const saturated = (weight, doc) => (weight * (K1 + 1)) / (weight + K1 * (1 - B + (B * column(doc, "length")) / base.average));
    const idf = (most) => Math.log(1 + (base.count - most + 0.5) / (most + 0.5));
    const rarity = (made) => idf(Math.max(0, ...Object.keys(made.terms).map(frequency)));
    function leaf(made) {
      if (made.kind === "phrase") return phrase(made);
      const weight = rarity(made), shapes = new Map(), lemmas = new Map();
      for (const [term, factor] of Object.entries(made.terms)) {
        const into = term.slice(0, 4).includes("=") ? shapes : lemmas, row = posting(term);
        for (let at = 0; at < row.docs.length; at++) {
          const score = factor * weight * saturated(row.weights[at], row.docs[at]);
          if (score > (into.get(row.docs[at]) || 0)) into.set(row.docs[at], score);
        }
      }
      settle();
      for (const [doc, score] of shapes) lemmas.set(doc, Math.max(score, lemmas.get(doc) || 0) + EXACT_BONUS * score);
      return lemmas;
    }
    // Where a term stands in some documents.
    function standing(term, wanted) {
      const found = new Map(), docs = posting(term).docs, row = (shard("w", key(term)) || new Map()).get(term);
      if (!row) return found;
      // First how many places each document has, then the places.
      for (let number = 0, at = docs.length; number < docs.length; number++) {
        const many = row[number], here = wanted.has(docs[number]) ? [] : null;
        for (let step = 0, place = 0; step < many; step++) {
          place += row[at++];
          if (here) here.push(place);
        }
        if (here) found.set(docs[number], here);
      }
      return found;
    }
    function phrase(made) {
      let documents = null;
      for (const terms of made.sequence) {
        const here = new Set(Object.keys(terms).flatMap((term) => [...posting(term).docs]));
        documents = documents === null ? here : new Set([...documents].filter((doc) => here.has(doc)));
      }
      settle();
      if (!documents || !documents.size) return new Map();
      let places = null;
      made.sequence.forEach((terms, offset) => {
        const here = new Map();
        for (const term of Object.keys(terms))
          for (const [doc, list] of standing(term, documents)) {
            if (!here.has(doc)) here.set(doc, new Set());
            for (const place of list) here.get(doc).add(place - offset);
          }
        if (places === null) places = here;
        else for (const [doc, starts] of places) {
          const kept = new Set([...starts].filter((place) => here.has(doc) && here.get(doc).has(place)));
          places.set(doc, kept);
        }
      });
      settle();
      const found = [...places].filter(([, starts]) => starts.size), weight = idf(found.length) * made.sequence.length;
      const scores = new Map(found.map(([doc, starts]) => [doc, weight * saturated(1 + starts.size, doc)]));
      settle();
      return scores;
    }

    // options: text; filters [{name, value}] that the page adds to the query's own; limit; typing: the last
    // word may be unfinished; browse: without a text all are found.
    function search(options) {
      if (shards.size > MAX_SHARDS) for (const name of [...shards.keys()]) if (name[0] !== "d") shards.delete(name);
      missing.clear();
      try {
        return searched(options);
      } catch (error) {
        if (error !== WAIT) throw error;
        return null;
      }
    }
    function searched(options) {
      const query = parse(options.text), meanings = new Map();
      const filters = [...query.filters, ...(options.filters || [])];
      const asked = (name) => filters.filter((one) => one.name === name && !one.negated).map((one) => one.value.toLowerCase());
      const tongues = asked("lang");
      const all = (asked("game").length ? asked("game") : games).flatMap((one) => base.games[one] || []);
      const languages = order.filter((one) => all.includes(one) && (!tongues.length || tongues.includes(one)));
      const first = leaves(query.root), words = first.flatMap((node) => node.words || [node.text]).filter((word) => !NUMBER.test(word));
      const familiar = (lang) => words.reduce((sum, word) => {
        const known = { exact: 1, folded: 0.9, sister: 0.5, stem: 0 }[analyse(word, lang).how];
        return sum + known + (known && corpus(fold(word), lang) ? 0.5 : 0);
      }, 0);
      // Asked for at once what will be needed next: the postings stand where the words do, and small bases have few columns.
      for (const word of words) if (!languages.some((lang) => stop[lang].has(fold(word)))) shard("p", fold(word));
      if (base.d.length <= FEW_BLOCKS) base.d.forEach((_, at) => need(named("d", at)));
      const score = new Map(languages.map((lang) => [lang, familiar(lang)]));
      settle();
      const best = Math.max(0, ...score.values());
      const likely = best ? languages.filter((one) => score.get(one) >= best - 0.25) : languages;
      if (options.typing) unfinished(first[first.length - 1], options.text, languages);
      const mean = (node) => {
        const name = node.kind + " " + node.text;
        if (!meanings.has(name)) meanings.set(name, meaning(node, languages, likely));
        return meanings.get(name);
      };
      // Each goes as far as it can before anything is loaded.
      for (const node of first) {
        try {
          mean(node);
        } catch (error) {
          if (error !== WAIT) throw error;
        }
      }
      settle();
      for (const made of [...meanings.values()])
        if (made.kind === "phrase" && !leaf(made).size) {
          made.sequence = made.text.split(" ").map((word, at) => {
            const one = meaning({ kind: "word", text: word }, languages, likely).terms;
            return Object.keys(one).length ? one : made.sequence[at];
          });
          settle();
        }
      const scorer = scoring(query, [...meanings.values()], mean, options.browse);
      const keep = filtered(filters, languages);
      const found = chosen(query, scorer, keep);
      return shown(options, query, [...meanings.values()], found, languages, facets(filters, languages, query, scorer, found.scores));
    }
    function unfinished(node, text, languages) {
      if (!node || node.kind !== "word" || node.text.length < MIN_PREFIX || /\d/.test(node.text) || !text.endsWith(node.text)) return;
      const known = languages.some((lang) => analyse(node.text, lang).how !== "stem");
      settle();
      if (!known && Object.keys(starting(fold(node.text), languages)).length) node.kind = "prefix";
    }
    function scoring(query, meanings, mean, browse) {
      const held = new Map();
      const scored = (made) => { if (!held.has(made)) held.set(made, leaf(made)); return held.get(made); };
      function without(node) {
        const below = leaves(node.node);
        below.forEach(mean);
        return below.some((one) => mean(one).corrected) ? new Set() : new Set(evaluate(node.node).keys());
      }
      function evaluate(node) {
        if (node.kind === "not") return new Map();
        if (node.kind === "or") {
          const found = new Map();
          for (const one of node.nodes) for (const [doc, score] of evaluate(one)) found.set(doc, (found.get(doc) || 0) + score);
          return found;
        }
        if (node.kind !== "and") return scored(mean(node));
        const wanted = node.nodes.filter((one) => one.kind !== "not");
        const needed = wanted.filter((one) => one.nodes || !mean(one).optional);
        let found = null;
        for (const scores of (needed.length ? needed : wanted).map(evaluate).sort((a, b) => a.size - b.size)) {
          if (found === null) found = new Map(scores);
          else for (const [doc, score] of found) {
            if (scores.has(doc)) found.set(doc, score + scores.get(doc));
            else found.delete(doc);
          }
        }
        found = found || everything();
        for (const one of node.nodes) if (one.kind === "not") for (const doc of without(one)) found.delete(doc);
        return found;
      }
      function relaxed(keep) {
        const needed = meanings.filter((made) => !made.optional);
        if (needed.length < 2) return new Map();
        const unwanted = new Set(negations(query.root).flatMap((node) => [...without(node)]));
        const rows = needed.map((made) => [made.kind === "phrase" ? 3 : rarity(made), scored(made)]);
        const whole = rows.reduce((sum, [weight]) => sum + weight, 0), covered = new Map(), scores = new Map();
        for (const [weight, found] of rows)
          for (const [doc, score] of found) {
            covered.set(doc, (covered.get(doc) || 0) + weight / whole);
            scores.set(doc, (scores.get(doc) || 0) + score);
          }
        const kept = [...scores.keys()].filter((doc) => !unwanted.has(doc) && keep(doc));
        const most = kept.reduce((high, doc) => Math.max(high, covered.get(doc)), 0);
        return new Map(kept.filter((doc) => covered.get(doc) >= Math.max(0.25, 0.6 * most)).map((doc) => [doc, 10 * covered.get(doc) + scores.get(doc)]));
      }
      let strict = null;
      return { strict: () => (strict ||= query.root ? evaluate(query.root) : everything()), relaxed, needed: meanings.filter((made) => !made.optional).length, browse };
    }
    function chosen(query, scorer, keep) {
      let scores = new Map();
      for (const [doc, score] of scorer.strict()) if (keep(doc)) scores.set(doc, score);
      settle();
      if (!query.root) return { scores: query.filters.length || scorer.browse ? scores : new Map(), relaxed: false };
      if (scores.size >= FEW || (scores.size && scorer.needed < FEW)) return { scores, relaxed: false };
      const more = scorer.relaxed(keep);
      settle();
      for (const doc of scores.keys()) more.delete(doc);
      const isRelaxed = more.size > 0, above = [...more.values()].reduce((high, one) => Math.max(high, one), 0);
      for (const [doc, score] of scores) more.set(doc, 2 * above + score);
      return { scores: more, relaxed: isRelaxed };
    }
    function shown(options, query, meanings, found, languages, counted) {
      const wanted = wantedOf(meanings), limit = options.limit || 10;
      const ranked = [...found.scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
      for (const [doc] of ranked.slice(0, Math.max(limit, RERANKED))) record(doc);
      settle();
      const top = ranked.slice(0, RERANKED).map(([doc, score]) => {
        const [titled, near] = closeness(doc, wanted);
        return { doc, score: score * (1 + TITLE_BONUS * titled + NEAR_BONUS * near) * (KIND[column(doc, "kind")] || 1) };
      });
      top.sort((a, b) => b.score - a.score || a.doc - b.doc);
      const least = top.length ? top[top.length - 1].score : 0;
      const hits = [...top, ...ranked.slice(RERANKED).map(([doc, score]) => ({ doc, score: Math.min(score, least) }))].slice(0, limit);
      let suggestion = options.text;
      for (const made of meanings) if (made.corrected) suggestion = suggestion.replace(made.text, () => made.corrected);
      return {
        total: found.scores.size, relaxed: found.relaxed, suggestion: suggestion === options.text ? "" : suggestion, facets: counted,
        hits: hits.map(({ doc, score }) => described(doc, score, wanted, languages)),
      };
    }

    // ---- filters ----
    const day = (date) => (date ? [...date.split("-"), "01", "01"].slice(0, 3).join("") : "");
    function tests(filters, languages) {
      const groups = new Map(), made = [];
      for (const one of filters) {
        if (one.name === "status" && one.value.toLowerCase() === "any") continue;
        const test = holds(one, languages);
        if (one.negated) made.push(["", (doc) => !test(doc)]);
        else if (["before", "after", "asof"].includes(one.name)) made.push(["", test]);
        else groups.set(one.name, [...(groups.get(one.name) || []), test]);
      }
      for (const [name, group] of groups) made.push([name, (doc) => group.some((test) => test(doc))]);
      if (!filters.some((one) => ["status", "asof"].includes(one.name) && !one.negated)) made.push(["", (doc) => !NO_LONGER.includes(column(doc, "status"))]);
      return made;
    }
    function filtered(filters, languages) {
      const made = tests(filters, languages).map(([, test]) => test);
      settle();
      return (doc) => made.every((test) => test(doc));
    }
    function holds(one, languages) {
      const value = one.value.toLowerCase(), held = (term) => { const docs = new Set(posting(term).docs); return (doc) => docs.has(doc); };
      switch (one.name) {
        case "game": case "kind": case "authority": case "status": return (doc) => column(doc, one.name) === value;
        case "lang": case "topic": return (doc) => (column(doc, one.name) || []).includes(value);
        case "source": return held("@source:" + one.value);
        case "before": return (doc) => /^\d{4}/.test(value) && Boolean(column(doc, "date")) && column(doc, "date") < day(value);
        case "after": return (doc) => /^\d{4}/.test(value) && Boolean(column(doc, "date")) && column(doc, "date") >= day(value);
        case "asof": {
          const parts = [...value.split("-"), "31", "31"].slice(0, 3).join("");
          return (doc) => /^\d{4}/.test(value) && column(doc, "begins") <= parts && parts < column(doc, "ends");
        }
        case "rules": return (doc) => { const rules = column(doc, "rules") || []; return !rules.length || rules.includes(value); };
        case "card": { const docs = about(one.value, languages); return (doc) => docs.has(doc); }
      }
      return () => false;
    }
    // The documents with a card of this name, as it is or in any case form of its words.
    function about(value, languages) {
      const simple = fold(value).replace(/,/g, " ").trim();
      const exact = posting("@card:" + simple).docs;
      settle();
      if (exact.length || !simple) return new Set(exact);
      const meant = (word) => new Set(["=" + fold(word), ...languages.flatMap((lang) => analyse(word, lang).lemmas.filter((lemma) => lemma[0] === "^"))]);
      const typed = tokenize(value).map((token) => meant(token.text));
      const names = [...rows("c", simple[0])].map(([name]) => name).filter((name) => {
        const words = tokenize(name).map((token) => fold(token.text));
        return words.length === typed.length && words.every((word, at) => typed[at].has("=" + word) || typed[at].has("^" + word));
      });
      settle();
      const docs = names.flatMap((name) => [...posting("@card:" + name).docs]);
      settle();
      return new Set(docs);
    }
    // How many of the results have each value; a field that is filtered is counted as if it were not.
    function facets(filters, languages, query, scorer, scores) {
      const made = {};
      for (const name of ["game", "topic", "kind", "authority", "lang"]) {
        let docs = scores;
        if (filters.some((one) => one.name === name && !one.negated)) docs = chosen(query, scorer, filtered(filters.filter((one) => one.name !== name || one.negated), languages)).scores;
        const counts = new Map();
        for (const doc of docs.keys()) {
          const value = column(doc, name);
          for (const one of Array.isArray(value) ? value : [value]) {
            const key = name === "topic" ? column(doc, "game") + "/" + one : one;
            counts.set(key, (counts.get(key) || 0) + 1);
          }
        }
        made[name] = [...counts].sort((a, b) => b[1] - a[1] || alphabetic(a[0], b[0]));
      }
      settle();
      return made;
    }

    // ---- what is shown ----
    function record(doc) {
      let low = 0, high = base.x[0].length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (base.x[0][middle] <= doc) low = middle + 1;
        else high = middle;
      }
      const held = need(named("x", low - 1));
      return held && held[doc - base.x[0][low - 1]];
    }
    function wantedOf(meanings) {
      const made = [];
      for (const one of meanings) {
        if (one.optional && meanings.length > 1) continue;
        made.push(...(one.kind === "phrase" ? one.sequence : [one.terms]));
      }
      return made.map(shapes);
    }
    // The words of the texts that mean a lemma stand beside its posting, so that no text is analysed here.
    function shapes(terms) {
      const made = new Set();
      for (const term of Object.keys(terms)) {
        const [, lang, lemma] = /^([a-z]+):(.*)$/su.exec(term) || [];
        if (!lang) continue;
        for (const word of ((shard("p", key(term)) || new Map()).get(lang + ";" + lemma) || "").split(" ")) if (word) made.add(lang + word);
      }
      return { terms, words: made };
    }
    // A text's words with the keys that terms may hold of each: made once a text, since every keystroke looks at the same few.
    const readings = new Map();
    function reading(text, lang) {
      const name = lang + text;
      let made = readings.get(name);
      if (!made) {
        made = tokenize(text).map(({ start, end, text: word }) => {
          const forms = [word, ...parts(word)];
          return { start, end, number: "#" + word, terms: forms.map((form) => lang + "=" + fold(form)), words: forms.map((form) => lang + form.toLowerCase()) };
        });
        if (readings.size > 500) readings.clear();
        readings.set(name, made);
      }
      return made;
    }
    function matches(text, lang, wanted) {
      const made = [];
      for (const token of reading(text, lang)) {
        const word = wanted.findIndex((one) => token.number in one.terms || token.terms.some((term) => term in one.terms) || token.words.some((form) => one.words.has(form)));
        if (word >= 0) made.push({ start: token.start, end: token.end, word });
      }
      return made;
    }
    function closeness(doc, wanted) {
      if (!wanted.length) return [0, 0];
      const [, titles, texts] = record(doc);
      let titled = 0, near = 0;
      for (const lang of Object.keys(texts)) {
        titled = Math.max(titled, new Set(matches(titles[lang], lang, wanted).map((one) => one.word)).size / wanted.length);
        if (wanted.length > 1) near = Math.max(near, nearness(matches(texts[lang], lang, wanted), wanted.length));
      }
      return [titled, near];
    }
    function nearness(found, many) {
      let best = 0;
      for (let first = 0; first < found.length; first++) {
        const seen = new Set();
        for (const one of found.slice(first, first + 40)) {
          seen.add(one.word);
          if (seen.size === many) {
            best = Math.max(best, Math.min(1, Math.max(0, (400 - (one.end - found[first].start)) / 340)));
            break;
          }
        }
      }
      return best;
    }
    // A result: its titles, and of the language that matched best a snippet as pieces of text, every second one a matched word.
    function described(doc, score, wanted, languages) {
      const [id, titles, texts] = record(doc), game = column(doc, "game");
      let best = null;
      for (const lang of Object.keys(texts)) {
        if (!languages.includes(lang) && Object.keys(texts).length > 1) continue;
        const found = matches(texts[lang], lang, wanted), inText = new Set(found.map((one) => one.word));
        const inBoth = new Set([...inText, ...matches(titles[lang], lang, wanted).map((one) => one.word)]);
        const rank = [inBoth.size, inText.size];
        if (!best || compare(rank, best.rank) > 0) best = { rank, lang, found };
      }
      best = best || { lang: Object.keys(texts)[0], found: [] };
      return {
        key: game + "/" + id, address: base.address.replace("{game}", game).replace("{id}", id), game, score, titles, lang: best.lang,
        kind: column(doc, "kind"), authority: column(doc, "authority"), status: column(doc, "status"), snippet: snippet(texts[best.lang], best.found),
      };
    }
    function cut(text, end) {
      if (end >= text.length) return text.length;
      const space = text.slice(0, end).lastIndexOf(" ");
      return space > end - 40 ? space : end;
    }
    function snippet(text, found) {
      let start = 0, most = 0;
      if (text.length > SNIPPET)
        for (const one of found) {
          const inside = new Set(found.filter((other) => one.start <= other.start && other.end <= one.start + SNIPPET - 40).map((other) => other.word)).size;
          if (inside > most) [most, start] = [inside, one.start];
        }
      start = start < 60 ? 0 : text.slice(0, start - 40).lastIndexOf(" ") + 1;
      const end = cut(text, start + SNIPPET), made = [start ? "…" : ""];
      let place = start;
      for (const one of found)
        if (one.start >= place && one.end <= end) {
          made[made.length - 1] += text.slice(place, one.start);
          made.push(text.slice(one.start, one.end), "");
          place = one.end;
        }
      made[made.length - 1] += text.slice(place, end) + (end < text.length ? "…" : "");
      return made;
    }
    return { search, put, missing, file, loads: new Map() };
  }
  // Searches, loading what is missing; `load(file, name)` gives a promise of a shard's data, `wanted()` tells whether to go on.
  KBSearch.answer = async function (engine, load, options, wanted) {
    const loads = engine.loads;
    for (;;) {
      const answer = engine.search(options);
      if (answer) return answer;
      await Promise.all([...engine.missing].map((name) => {
        if (!loads.has(name)) loads.set(name, load(engine.file(name), name).then((data) => engine.put(name, data)).finally(() => loads.delete(name)));
        return loads.get(name);
      }));
      if (wanted && !wanted()) return null;
    }
  };
  scope.KBSearch = KBSearch;
})(typeof window === "undefined" ? globalThis : window);
