// Search without a server: the postings and the table of forms are in window.KB_DATA (static/search-data.js).
(function () {
  "use strict";
  const data = window.KB_DATA;
  const form = document.getElementById("search");
  const box = document.getElementById("q");
  const gameBox = document.getElementById("game");
  const said = document.getElementById("said");
  const list = document.getElementById("results");
  const root = form.dataset.root;
  const SHOWN = 30;
  const KIND = { ruling: "", errata: "Erratum", definition: "Definition", example: "Example", note: "Note", question: "Question" };
  const AUTHORITY = { official: "", translator: "Translator’s, not official", community: "Community’s, not official" };
  const NO_LONGER = ["superseded", "reversed", "withdrawn"];
  const SPECIAL = { "ł": "l", "đ": "d", "ø": "o", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i" };
  const WORD = /\d+(?:\.\d+)+(?![\p{L}\p{N}])|[\p{L}\p{N}\u0300-\u036f]+(?:['’‘ʼ`´\-‐‑][\p{L}\p{N}\u0300-\u036f]+)*/gu;

  function fold(text) {
    let made = "";
    for (const char of text.normalize("NFC").toLowerCase()) {
      if (char === "й") made += char;
      else if (SPECIAL[char]) made += SPECIAL[char];
      else if ("'’‘ʼ`´".includes(char)) continue;
      else if ("‐‑–—".includes(char)) made += "-";
      else made += char.normalize("NFKD").replace(/\p{M}/gu, "");
    }
    return made;
  }

  const forms = {};
  for (const lang of Object.keys(data.forms)) {
    forms[lang] = new Map();
    for (const line of data.forms[lang].split("\n")) {
      const words = line.split(" ");
      forms[lang].set(words[0], words.slice(1));
    }
  }
  const stop = {};
  for (const lang of Object.keys(data.stop)) stop[lang] = new Set(data.stop[lang]);
  const average = data.lengths.reduce((sum, one) => sum + one, 0) / (data.lengths.length || 1);
  const has = (term) => Object.prototype.hasOwnProperty.call(data.postings, term);

  // Optimal string alignment distance, at most `most + 1`.
  function distance(one, other, most) {
    if (Math.abs(one.length - other.length) > most) return most + 1;
    let before = [], last = Array.from({ length: other.length + 1 }, (_, place) => place);
    for (let row = 1; row <= one.length; row++) {
      const here = [row];
      let least = row;
      for (let column = 1; column <= other.length; column++) {
        const cost = one[row - 1] === other[column - 1] ? 0 : 1;
        here[column] = Math.min(last[column] + 1, here[column - 1] + 1, last[column - 1] + cost);
        if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
          here[column] = Math.min(here[column], before[column - 2] + 1);
        least = Math.min(least, here[column]);
      }
      if (least > most + 1) return most + 1;
      before = last;
      last = here;
    }
    return last[other.length];
  }

  function similar(word, lang) {
    if (word.length < 4 || /\d/.test(word)) return [];
    const most = word.length <= 7 ? 1 : 2;
    const near = [];
    for (const form of forms[lang].keys()) {
      if (form[0] !== word[0] || Math.abs(form.length - word.length) > most) continue;
      const apart = distance(word, form, most);
      if (apart <= most) near.push([apart, form]);
    }
    return near.sort((a, b) => a[0] - b[0] || (has(lang + "=" + b[1]) ? 1 : 0) - (has(lang + "=" + a[1]) ? 1 : 0)).slice(0, 4);
  }

  function alternatives(word, lang, weight, into) {
    const add = (term, factor) => { if (has(term) && !(into[term] > factor)) into[term] = factor; };
    const pieces = word.split("-").filter(Boolean);
    for (const [form, factor] of pieces.length > 1 ? [[word, 1], [pieces.join(""), 0.7]] : [[word, 1]]) {
      add(lang + "=" + form, 1.15 * weight * factor);
      for (const lemma of forms[lang].get(form) || []) add(lang + ":" + lemma, (lemma[0] === "+" ? 0.8 : 1) * weight * factor);
    }
  }

  function meaning(word, languages, likely) {
    const found = { text: word, terms: {}, optional: false, corrected: "" };
    const folded = fold(word);
    if (/^\d+(\.\d+)*$/.test(word)) {
      if (has("#" + word)) found.terms["#" + word] = 1.5;
      languages.forEach((lang) => alternatives(folded, lang, 1, found.terms));
      return found;
    }
    if (word.endsWith("*") && folded.length > 3) {
      const start = folded.slice(0, -1);
      for (const term of Object.keys(data.postings))
        if (languages.some((lang) => term.startsWith(lang + "=" + start))) found.terms[term] = 1;
      return found;
    }
    const known = likely.filter((lang) => forms[lang].has(folded));
    (known.length ? known : languages).forEach((lang) => alternatives(folded, lang, 1, found.terms));
    found.optional = likely.some((lang) => stop[lang] && stop[lang].has(folded)) || (folded.length === 1 && !/\d/.test(folded));
    if (!found.optional && !Object.keys(found.terms).length) languages.forEach((lang) => alternatives(folded, lang, 1, found.terms));
    if (!found.optional && !Object.keys(found.terms).length) {
      let best = [];
      languages.forEach((lang) => similar(folded, lang).forEach(([apart, form]) => best.push([apart, form, lang])));
      best.sort((a, b) => a[0] - b[0]);
      for (const [apart, form, lang] of best) {
        if (apart > best[0][0]) break;
        alternatives(form, lang, apart === 1 ? 0.55 : 0.4, found.terms);
        found.corrected = found.corrected || form;
      }
    }
    return found;
  }

  function parse(text) {
    const query = { words: [], not: [], phrases: [], filters: {} };
    const pieces = text.slice(0, 200).match(/-?(?:\w+:)?["„“«][^"”“»]*["”“»]|[^\s()"„“”«»]+/g) || [];
    for (let piece of pieces.slice(0, 20)) {
      const filter = /^(game|lang|kind|authority|status|topic|source):(.+)$/i.exec(piece);
      if (filter) {
        (query.filters[filter[1].toLowerCase()] ||= []).push(filter[2].replace(/["„“”«»]/g, "").toLowerCase());
        continue;
      }
      if (piece === "OR" || piece === "|") continue;
      const negated = piece.length > 1 && piece[0] === "-";
      if (negated) piece = piece.slice(1);
      const words = piece.match(WORD) || [];
      if (/["„“«]/.test(piece[0]) && words.length > 1 && !negated) query.phrases.push(fold(words.join(" ")));
      if (words.length === 1 && piece.endsWith("*")) words[0] += "*";
      (negated ? query.not : query.words).push(...words);
    }
    query.words = query.words.slice(0, 12);
    return query;
  }

  function scores(found) {
    const made = new Map();
    let most = 0;
    for (const term of Object.keys(found.terms)) most = Math.max(most, data.postings[term].length / 2);
    found.rarity = Math.log(1 + (data.rulings.length - most + 0.5) / (most + 0.5));
    for (const [term, factor] of Object.entries(found.terms)) {
      const row = data.postings[term];
      for (let place = 0; place < row.length; place += 2) {
        const weight = row[place + 1];
        const score = (factor * found.rarity * weight * 2.2) / (weight + 1.2 * (0.65 + (0.35 * data.lengths[row[place]]) / average));
        if (!(made.get(row[place]) >= score)) made.set(row[place], score);
      }
    }
    return made;
  }

  function allowed(ruling, filters) {
    const [game, id, , kind, authority, status, titles, , topics, sources] = ruling;
    const held = { game: [game], kind: [kind], authority: [authority], status: [status, "any"], lang: Object.keys(titles), topic: topics };
    held.source = sources.concat(sources.map((one) => one.split("#")[0]));
    for (const name of Object.keys(filters)) if (!filters[name].some((value) => held[name].includes(value))) return false;
    return filters.status ? true : !NO_LONGER.includes(status);
  }

  function search(text, game) {
    const query = parse(text);
    if (game) (query.filters.game ||= []).push(game);
    let languages = (query.filters.game || Object.keys(data.languages)).flatMap((one) => data.languages[one] || []);
    languages = [...new Set(languages)].filter((lang) => !query.filters.lang || query.filters.lang.includes(lang));
    if (!languages.length) return { hits: [], relaxed: false, suggestion: "", words: [] };
    const familiar = (lang) => query.words.filter((word) => forms[lang].has(fold(word))).length + 0.5 * query.words.filter((word) => has(lang + "=" + fold(word))).length;
    const best = Math.max(...languages.map(familiar));
    const likely = languages.filter((lang) => familiar(lang) >= best - 0.25);
    const meanings = query.words.map((word) => meaning(word, languages, likely));
    const needed = meanings.filter((one) => !one.optional);
    const words = needed.length ? needed : meanings;
    const found = words.map(scores);
    const refused = new Set(query.not.flatMap((word) => [...scores(meaning(word, languages, likely)).keys()]));
    const whole = words.reduce((sum, one) => sum + one.rarity, 0) || 1;
    const rows = [];
    data.rulings.forEach((ruling, doc) => {
      if (refused.has(doc) || !allowed(ruling, query.filters)) return;
      if (query.phrases.some((phrase) => !Object.keys(ruling[7]).some((lang) => languages.includes(lang) && fold((ruling[6][lang] + " . " + ruling[7][lang]).match(WORD).join(" ")).includes(phrase)))) return;
      let score = 0, count = 0, covered = 0;
      found.forEach((one, place) => {
        if (one.has(doc)) { score += one.get(doc); count++; covered += words[place].rarity / whole; }
      });
      if (count || !words.length) rows.push({ doc, score, covered, all: count === words.length });
    });
    const strict = rows.filter((row) => row.all);
    const most = Math.max(0, ...rows.map((row) => row.covered));
    const hits = strict.length ? strict : rows.filter((row) => row.covered >= Math.max(0.25, 0.6 * most) && words.length > 1);
    for (const row of hits) {
      const ruling = data.rulings[row.doc];
      const titled = Math.max(...Object.keys(ruling[6]).map((lang) => matched(ruling[6][lang], lang, words).size / (words.length || 1)));
      row.score = (row.score + (strict.length ? 0 : 10 * row.covered)) * (1 + 0.5 * titled) * (ruling[3] === "example" ? 0.88 : ruling[3] === "note" ? 0.94 : 1);
    }
    hits.sort((a, b) => b.score - a.score || a.doc - b.doc);
    const suggestion = meanings.reduce((made, one) => (one.corrected ? made.replace(one.text, one.corrected) : made), text);
    return { hits, relaxed: !strict.length && hits.length > 0, suggestion: suggestion === text ? "" : suggestion, words };
  }

  function matches(token, lang, words) {
    const folded = fold(token);
    const terms = [lang + "=" + folded, "#" + token, ...(forms[lang].get(folded) || []).map((lemma) => lang + ":" + lemma)];
    return words.findIndex((one) => terms.some((term) => one.terms[term]));
  }

  function matched(text, lang, words) {
    return new Set([...text.matchAll(WORD)].map((token) => matches(token[0], lang, words)).filter((place) => place >= 0));
  }

  // The language that matched best, and its passage with the most words of the query, as nodes.
  function passage(ruling, words) {
    let best = null;
    for (const lang of Object.keys(ruling[7])) {
      const text = ruling[7][lang];
      const places = [...text.matchAll(WORD)].map((token) => [token.index, token.index + token[0].length, matches(token[0], lang, words)]).filter((one) => one[2] >= 0);
      const count = new Set([...places.map((one) => one[2]), ...matched(ruling[6][lang], lang, words)]).size;
      if (!best || count > best.count) best = { lang, text, places, count };
    }
    let start = 0, most = 0;
    for (const [from] of best.places) {
      const inside = new Set(best.places.filter((one) => one[0] >= from && one[1] <= from + 200).map((one) => one[2])).size;
      if (inside > most) { most = inside; start = from; }
    }
    start = start < 60 ? 0 : best.text.lastIndexOf(" ", start - 40) + 1;
    let end = Math.min(best.text.length, start + 240);
    if (end < best.text.length) end = Math.max(best.text.lastIndexOf(" ", end), start + 200);
    const node = document.createElement("p");
    node.lang = best.lang;
    let place = start;
    if (start) node.append("…");
    for (const [from, to] of best.places) {
      if (from < place || to > end) continue;
      node.append(best.text.slice(place, from));
      const mark = document.createElement("mark");
      mark.textContent = best.text.slice(from, to);
      node.append(mark);
      place = to;
    }
    node.append(best.text.slice(place, end) + (end < best.text.length ? "…" : ""));
    return [best.lang, node];
  }

  function element(name, text, kind) {
    const node = document.createElement(name);
    if (text) node.textContent = text;
    if (kind) node.className = kind;
    return node;
  }

  function row(hit, words) {
    const ruling = data.rulings[hit.doc];
    const [game, id, address, kind, authority, status, titles] = ruling;
    const item = element("li");
    item.dataset.ruling = game + "/" + id;
    const [lang, snippet] = passage(ruling, words);
    const head = element("h2");
    const link = element("a", titles[lang]);
    link.lang = lang;
    link.href = root + "/" + address;
    head.append(link);
    item.append(head);
    for (const other of Object.keys(titles)) {
      if (other === lang) continue;
      const also = element("p", titles[other], "also");
      also.lang = other;
      item.append(also);
    }
    item.append(snippet);
    const where = element("p", "", "where");
    for (const [text, style] of [[KIND[kind], "kind"], [AUTHORITY[authority], "authority " + authority], [NO_LONGER.includes(status) ? "No longer stands" : "", "status " + status]])
      if (text) where.append(element("span", text, "badge " + style), " ");
    where.append(game + "/" + id);
    item.append(where);
    return item;
  }

  function show() {
    const text = box.value.trim();
    list.textContent = "";
    if (!text) { said.textContent = "Type a question, a card’s name or a rule’s number."; return; }
    const answer = search(text, gameBox.value);
    const count = answer.hits.length;
    said.textContent = count === 0 ? "Nothing found." : count + (count === 1 ? " ruling" : " rulings") + (answer.relaxed ? "; none has every word" : "") + (count > SHOWN ? ", the first " + SHOWN : "");
    if (answer.suggestion) {
      const link = element("a", answer.suggestion);
      link.href = "?q=" + encodeURIComponent(answer.suggestion);
      said.append(" Did you mean: ", link);
    }
    for (const hit of answer.hits.slice(0, SHOWN)) list.append(row(hit, answer.words));
  }

  function remember() {
    const wanted = new URLSearchParams();
    if (box.value.trim()) wanted.set("q", box.value.trim());
    if (gameBox.value) wanted.set("game", gameBox.value);
    history.replaceState(null, "", wanted.size ? "?" + wanted : location.pathname);
  }

  function read() {
    const given = new URLSearchParams(location.search);
    box.value = given.get("q") || "";
    gameBox.value = given.get("game") || "";
    if (gameBox.selectedIndex < 0) gameBox.value = "";
    show();
  }

  box.addEventListener("input", () => { show(); remember(); });
  gameBox.addEventListener("change", () => { show(); remember(); });
  form.addEventListener("submit", (event) => { event.preventDefault(); show(); remember(); });
  window.addEventListener("popstate", read);
  read();
})();
