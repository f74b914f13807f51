// The search of kb/index in the browser: the same query language, table of forms, postings and ranking.
// KBSearch(data) gives {search(text, game, lang), matches(text, lang, wanted)}; it touches no page, so that a worker can run it.
"use strict";
(function (scope) {
  const K1 = 1.2, B = 0.35, RERANKED = 40, FEW = 3, EXACT_BONUS = 0.15, TITLE_BONUS = 0.5, NEAR_BONUS = 0.25;
  const KIND = { example: 0.88, note: 0.94 };
  const BASE = { exact: 1.0, folded: 0.9, stem: 0.8 }, GROUP = 0.8, SLIP = { 1: 0.55, 2: 0.4 };
  const MAX_LENGTH = 200, MAX_TERMS = 12, MAX_DEPTH = 4, MIN_PREFIX = 3, MAX_EXPANSION = 60;
  const NO_LONGER = ["superseded", "reversed", "withdrawn"];
  const SPECIAL = { "ł": "l", "đ": "d", "ø": "o", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i", "й": "й", "ё": "е" };
  for (const char of "'’‘ʼ`´") SPECIAL[char] = "";
  for (const char of "‐‑–—−") SPECIAL[char] = "-";
  const WORD = /\p{Nd}+(?:\.\p{Nd}+)+(?![\p{L}\p{N}_])|(?:[\p{L}\p{N}][\u0300-\u036f]*)+(?:['’‘ʼ`´‐‑-](?:[\p{L}\p{N}][\u0300-\u036f]*)+)*/gu;
  const NUMBER = /^\d+(?:\.\d+)*$/;
  const OR = new Set(["OR", "LUB", "ALEBO", "ИЛИ", "|"]);
  const QUOTES = { '"': '"', "„": "”“\"", "“": "”", "«": "»", "”": "”" };
  const FILTER = /^(-?)(game|card|topic|kind|authority|status|lang|source|before|after):(.*)$/isu;

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

  function KBSearch(data) {
    const exact = {}, folded = {}, stop = {};
    for (const lang of Object.keys(data.forms)) {
      exact[lang] = new Map();
      folded[lang] = new Map();
      for (const line of data.forms[lang].split("\n")) {
        const [form, ...lemmas] = line.split(" ");
        exact[lang].set(form, lemmas);
        const bareForm = fold(form), known = folded[lang].get(bareForm);
        folded[lang].set(bareForm, known ? [...new Set([...known, ...lemmas])] : lemmas);
      }
      stop[lang] = new Set(data.stop[lang] || []);
    }
    const count = data.rulings.length, order = Object.keys(data.stems);
    const average = data.lengths.reduce((sum, one) => sum + one, 0) / (count || 1);
    const has = (term) => Object.hasOwn(data.postings, term);
    const frequency = (term) => (has(term) ? data.postings[term].length / 2 : 0);

    function stem(word, lang) {
      const rules = data.stems[lang] || data.stems.en;
      if (rules.american && word.length > 5)
        word = word.replace(/is(e|ed|es|ing|ation|ations|er|ers)$/, "iz$1").replace(/our(s|ed|ing|able)?$/, "or$1");
      const suffix = rules.suffixes.find((one) => word.endsWith(one) && word.length - one.length >= 3);
      return suffix ? word.slice(0, -suffix.length) : word;
    }
    function analyse(word, lang) {
      const low = word.toLowerCase(), known = exact[lang] && exact[lang].get(low);
      if (known) return { lemmas: known, how: "exact" };
      const simple = fold(low), owner = low.length > 3 && /['’‘ʼ`´]s$/.test(low) ? fold(low.slice(0, -2)) : simple;
      const near = folded[lang] && (folded[lang].get(simple) || folded[lang].get(owner));
      return near ? { lemmas: near, how: "folded" } : { lemmas: ["~" + stem(simple, lang)], how: "stem" };
    }
    function similar(word, lang) {
      if (word.length < 4 || /\d/.test(word)) return [];
      const most = word.length <= 7 ? 1 : 2, near = [];
      for (const form of folded[lang].keys()) {
        const other = form[0] !== word[0];
        if (Math.abs(form.length - word.length) > most) continue;
        if (other && !(form.slice(1) === word.slice(1) || form === word.slice(1) || form.slice(1) === word || form === word[1] + word[0] + word.slice(2))) continue;
        const apart = other ? 2 : distance(word, form, most);
        if (apart <= most || other) near.push({ word: form, distance: apart, corpus: has(lang + "=" + form) });
      }
      const rank = (one) => [one.distance, one.corpus ? 0 : 1, Math.abs(one.word.length - word.length)];
      return near.sort((a, b) => compare(rank(a), rank(b)) || (a.word < b.word ? -1 : 1)).slice(0, 6);
    }
    const compare = (one, other) => { for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return one[at] - other[at]; return 0; };

    function add(terms, word, lang, weight) {
      const set = (term, factor) => { if (!(term in terms)) terms[term] = factor; };
      for (const [form, factor] of [[word, 1], ...parts(word).slice(0, 1).map((piece) => [piece, 0.7])]) {
        set(lang + "=" + fold(form), weight * factor);
        const analysis = analyse(form, lang);
        for (const lemma of analysis.lemmas) set(lang + ":" + lemma, (lemma[0] === "+" ? GROUP : BASE[analysis.how]) * weight * factor);
      }
    }
    const occurs = (terms) => Object.keys(terms).some(has);
    const forms = (word, languages) => Object.fromEntries(languages.map((lang) => [lang + "=" + fold(word), 1]));

    function meaning(node, languages, likely) {
      const made = { kind: node.kind, text: node.text, terms: {}, sequence: [], optional: false, corrected: "" };
      if (node.kind === "phrase") {
        made.sequence = node.words.map((word) => forms(word, languages));
        return made;
      }
      if (node.kind === "prefix") {
        const start = fold(node.text);
        for (const lang of languages) {
          const found = Object.keys(data.postings).filter((term) => term.startsWith(lang + "=" + start));
          found.sort((a, b) => a.length - b.length || (a < b ? -1 : 1)).slice(0, MAX_EXPANSION).forEach((term) => { made.terms[term] = 1; });
        }
        return made;
      }
      if (NUMBER.test(node.text)) {
        made.terms = { ["#" + node.text]: 1.5, ...forms(node.text, languages) };
        return made;
      }
      const known = likely.filter((lang) => analyse(node.text, lang).how !== "stem");
      for (const lang of known.length ? known : languages) add(made.terms, node.text, lang, 1);
      made.optional = likely.some((lang) => stop[lang].has(fold(node.text))) || (node.text.length === 1 && !/\d/.test(node.text));
      if (made.optional || occurs(made.terms)) return made;
      for (const lang of languages) add(made.terms, node.text, lang, 1);
      return occurs(made.terms) ? made : slip(made, languages, likely);
    }
    function slip(made, languages, likely) {
      const near = languages.flatMap((lang) => similar(fold(made.text), lang).map((one) => ({ ...one, lang, rank: [one.distance, likely.includes(lang) ? 0 : 1, one.corpus ? 0 : 1] })));
      near.sort((a, b) => compare(a.rank, b.rank) || (a.word < b.word ? -1 : a.word > b.word ? 1 : a.lang < b.lang ? -1 : 1));
      let found = {};
      for (const one of near) {
        const terms = {};
        add(terms, one.word, one.lang, SLIP[one.distance] || 0.4);
        if (occurs(terms) && (!Object.keys(found).length || one.distance <= 1)) {
          made.corrected = made.corrected || unfolded(one.word, one.lang);
          found = { ...terms, ...found };
        }
      }
      Object.assign(made.terms, found);
      return made;
    }
    function unfolded(word, lang) {
      for (const form of exact[lang].keys()) if (fold(form) === word) return form;
      return word;
    }

    // ---- ranking ----
    const saturated = (weight, doc) => (weight * (K1 + 1)) / (weight + K1 * (1 - B + (B * data.lengths[doc]) / average));
    const idf = (most) => Math.log(1 + (count - most + 0.5) / (most + 0.5));
    const rarity = (made) => idf(Math.max(0, ...Object.keys(made.terms).map(frequency)));
    function leaf(made) {
      if (made.kind === "phrase") return phrase(made);
      const weight = rarity(made), shapes = new Map(), lemmas = new Map();
      for (const [term, factor] of Object.entries(made.terms)) {
        if (!has(term)) continue;
        const into = term.slice(0, 4).includes("=") ? shapes : lemmas, row = data.postings[term];
        for (let at = 0; at < row.length; at += 2) {
          const score = factor * weight * saturated(row[at + 1], row[at]);
          if (score > (into.get(row[at]) || 0)) into.set(row[at], score);
        }
      }
      for (const [doc, score] of shapes) lemmas.set(doc, Math.max(score, lemmas.get(doc) || 0) + EXACT_BONUS * score);
      return lemmas;
    }
    const streams = new Map();
    function stream(doc) {
      if (!streams.has(doc)) {
        const [, , , , , , titles, texts] = data.rulings[doc], made = [];
        for (const lang of Object.keys(texts)) for (const text of [titles[lang], texts[lang]]) made.push(...tokenize(text).map((token) => termsOf(token.text, lang)), null);
        streams.set(doc, made);
      }
      return streams.get(doc);
    }
    function phrase(made) {
      const found = new Map();
      const wanted = made.sequence.map((terms) => Object.keys(terms).filter(has));
      if (wanted.some((terms) => !terms.length)) return found;
      const holds = wanted.map((terms) => new Set(terms.flatMap((term) => data.postings[term].filter((_, at) => at % 2 === 0))));
      for (const doc of holds[0]) {
        if (!holds.every((docs) => docs.has(doc))) continue;
        const tokens = stream(doc);
        let times = 0;
        for (let at = 0; at + wanted.length <= tokens.length; at++)
          if (wanted.every((terms, step) => tokens[at + step] && terms.some((term) => tokens[at + step].has(term)))) times++;
        if (times) found.set(doc, times);
      }
      const weight = idf(found.size) * wanted.length;
      return new Map([...found].map(([doc, times]) => [doc, weight * saturated(1 + times, doc)]));
    }

    function search(text, game, lang) {
      const query = parse(text), work = { query, meanings: new Map() };
      const filters = [...query.filters, ...(game ? [{ name: "game", value: game }] : []), ...(lang ? [{ name: "lang", value: lang }] : [])];
      const asked = (name) => filters.filter((one) => one.name === name && !one.negated).map((one) => one.value.toLowerCase());
      const games = asked("game").length ? asked("game") : Object.keys(data.languages), tongues = asked("lang");
      const all = games.flatMap((one) => data.languages[one] || []);
      const languages = order.filter((one) => all.includes(one) && (!tongues.length || tongues.includes(one)));
      const words = leaves(query.root).flatMap((node) => node.words || [node.text]).filter((word) => !NUMBER.test(word));
      const familiar = (one) => words.reduce((sum, word) => {
        const known = { exact: 1, folded: 0.9, stem: 0 }[analyse(word, one).how];
        return sum + known + (known && has(one + "=" + fold(word)) ? 0.5 : 0);
      }, 0);
      const best = Math.max(0, ...languages.map(familiar));
      const likely = best ? languages.filter((one) => familiar(one) >= best - 0.25) : languages;
      const mean = (node) => {
        const key = node.kind + " " + node.text;
        if (!work.meanings.has(key)) work.meanings.set(key, meaning(node, languages, likely));
        return work.meanings.get(key);
      };
      leaves(query.root).forEach(mean);
      for (const made of work.meanings.values())
        if (made.kind === "phrase" && !leaf(made).size)
          made.sequence = made.text.split(" ").map((word, at) => {
            const one = meaning({ kind: "word", text: word }, languages, likely).terms;
            return Object.keys(one).length ? one : made.sequence[at];
          });
      const keep = filtered(filters, languages);
      const first = [...work.meanings.values()];

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
        if (node.kind !== "and") return leaf(mean(node));
        const wanted = node.nodes.filter((one) => one.kind !== "not");
        const needed = wanted.filter((one) => one.nodes || !mean(one).optional);
        let found = null;
        for (const scores of (needed.length ? needed : wanted).map(evaluate))
          found = found === null ? scores : new Map([...found].filter(([doc]) => scores.has(doc)).map(([doc, score]) => [doc, score + scores.get(doc)]));
        found = found || new Map(data.rulings.map((_, doc) => [doc, 0]));
        for (const one of node.nodes) if (one.kind === "not") for (const doc of without(one)) found.delete(doc);
        return found;
      }
      function relaxed() {
        const needed = first.filter((made) => !made.optional);
        if (needed.length < 2) return new Map();
        const unwanted = new Set(negations(query.root).flatMap((node) => [...without(node)]));
        const rows = needed.map((made) => [made.kind === "phrase" ? 3 : rarity(made), leaf(made)]);
        const whole = rows.reduce((sum, [weight]) => sum + weight, 0), covered = new Map(), scores = new Map();
        for (const [weight, found] of rows)
          for (const [doc, score] of found) {
            covered.set(doc, (covered.get(doc) || 0) + weight / whole);
            scores.set(doc, (scores.get(doc) || 0) + score);
          }
        const kept = [...scores].filter(([doc]) => !unwanted.has(doc) && keep(doc));
        const most = Math.max(0, ...kept.map(([doc]) => covered.get(doc)));
        return new Map(kept.filter(([doc]) => covered.get(doc) >= Math.max(0.25, 0.6 * most)).map(([doc, score]) => [doc, 10 * covered.get(doc) + score]));
      }

      let scores = new Map(), isRelaxed = false;
      if (!query.root) {
        if (filters.length) scores = new Map(data.rulings.map((_, doc) => [doc, 0]).filter(([doc]) => query.filters.length && keep(doc)));
      } else {
        scores = new Map([...evaluate(query.root)].filter(([doc]) => keep(doc)));
        const needed = first.filter((made) => !made.optional).length;
        if (!(scores.size >= FEW || (scores.size && needed < FEW))) {
          const more = new Map([...relaxed()].filter(([doc]) => !scores.has(doc))), above = Math.max(0, ...more.values());
          isRelaxed = more.size > 0;
          for (const [doc, score] of scores) more.set(doc, 2 * above + score);
          scores = more;
        }
      }
      const wanted = wantedOf(first);
      const ranked = [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
      const top = ranked.slice(0, RERANKED).map(([doc, score]) => {
        const [titled, near] = closeness(doc, wanted);
        return { doc, score: score * (1 + TITLE_BONUS * titled + NEAR_BONUS * near) * (KIND[data.rulings[doc][3]] || 1) };
      });
      top.sort((a, b) => b.score - a.score || a.doc - b.doc);
      let suggestion = text;
      for (const made of first) if (made.corrected) suggestion = suggestion.replace(made.text, made.corrected);
      return { total: scores.size, hits: [...top, ...ranked.slice(RERANKED).map(([doc, score]) => ({ doc, score }))], relaxed: isRelaxed, suggestion: suggestion === text ? "" : suggestion, wanted, languages };
    }

    // ---- filters ----
    const day = (date) => (date ? [...date.split("-"), "01", "01"].slice(0, 3).join("") : "");
    function filtered(filters, languages) {
      const groups = {}, tests = [];
      for (const one of filters) {
        if (one.name === "status" && one.value.toLowerCase() === "any") continue;
        const test = (doc) => holds(one, data.rulings[doc], languages);
        if (one.negated) tests.push((doc) => !test(doc));
        else if (one.name === "before" || one.name === "after") tests.push(test);
        else (groups[one.name] ||= []).push(test);
      }
      for (const group of Object.values(groups)) tests.push((doc) => group.some((test) => test(doc)));
      if (!filters.some((one) => one.name === "status" && !one.negated)) tests.push((doc) => !NO_LONGER.includes(data.rulings[doc][5]));
      return (doc) => tests.every((test) => test(doc));
    }
    function holds(one, ruling, languages) {
      const [game, , , kind, authority, status, titles, , topics, sources, cards, date] = ruling, value = one.value.toLowerCase();
      switch (one.name) {
        case "game": return game === value;
        case "kind": return kind === value;
        case "authority": return authority === value;
        case "status": return status === value;
        case "lang": return value in titles;
        case "topic": return topics.includes(value);
        case "source": return sources.some((source) => source === one.value || source.split("#")[0] === one.value);
        case "before": return /^\d{4}/.test(value) && date !== "" && date < day(value);
        case "after": return /^\d{4}/.test(value) && date !== "" && date >= day(value);
        case "card": return isCard(one.value, cards, languages);
      }
      return false;
    }
    const everyCard = new Set(data.rulings.flatMap((ruling) => ruling[10]));
    function isCard(value, cards, languages) {
      const simple = fold(value).replace(/,/g, " ").trim();
      if (everyCard.has(simple)) return cards.includes(simple);
      const names = (word) => new Set(["=" + fold(word), ...languages.flatMap((lang) => analyse(word, lang).lemmas.filter((lemma) => lemma[0] === "^"))]);
      const typed = tokenize(value).map((token) => names(token.text));
      return typed.length > 0 && cards.some((card) => {
        const words = tokenize(card).map((token) => names(token.text));
        return words.length === typed.length && words.every((word, at) => [...word].some((one) => typed[at].has(one)));
      });
    }

    // ---- what matched ----
    function wantedOf(meanings) {
      const made = [];
      for (const one of meanings) {
        if (one.optional && meanings.length > 1) continue;
        if (one.kind === "phrase") made.push(...one.sequence);
        else made.push(one.terms);
      }
      return made;
    }
    const known = new Map();
    function termsOf(word, lang) {
      const key = lang + " " + word;
      let made = known.get(key);
      if (!made) {
        made = new Set(["#" + word]);
        for (const form of [word, ...parts(word)]) {
          made.add(lang + "=" + fold(form));
          for (const lemma of analyse(form, lang).lemmas) made.add(lang + ":" + lemma);
        }
        known.set(key, made);
      }
      return made;
    }
    function matches(text, lang, wanted) {
      const made = [];
      for (const token of tokenize(text)) {
        const terms = termsOf(token.text, lang), word = wanted.findIndex((one) => [...terms].some((term) => term in one));
        if (word >= 0) made.push({ start: token.start, end: token.end, word });
      }
      return made;
    }
    function closeness(doc, wanted) {
      if (!wanted.length) return [0, 0];
      const [, , , , , , titles, texts] = data.rulings[doc];
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
    return { search, matches };
  }
  scope.KBSearch = KBSearch;
})(typeof window === "undefined" ? globalThis : window);
