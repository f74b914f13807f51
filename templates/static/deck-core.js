// Deck lists, as kb.decks: KBDeck(base, engine).answer(text, lang). `base`: decks/<game>.js;
// `engine`: KBSearch of the same site, whose table of forms knows the inflected names.
"use strict";
globalThis.KBDeck = function KBDeck(base, engine) {
  const { text, forms } = engine;
  const { maxLines, maxLength, maxRow, maxHead, maxSets, maxPieces } = base.settings;
  const { similar, contained, similarStart, sharedWord, maxSuggestions } = base.settings;
  const { kinds, headings, plural, maxTraits } = base.settings;
  const PATTERNS = {};
  for (const [name, pattern] of Object.entries(base.settings.patterns))
    PATTERNS[name] = new RegExp(pattern, "u");
  const MAX_NAMES = 50000;
  const CELLS = Object.entries(base.settings.cells).map(([mark, pattern]) => {
    return { mark, cell: new RegExp(`^(?:${pattern})`, "u") };
  });

  // A name such as `constructor` is no key that every object has.
  const valueIn = (table, key) => (Object.hasOwn(table, key) ? table[key] : undefined);

  // ---- the lines of a list ----
  const hasLetter = (part) => /[\p{L}\p{N}]/u.test(part);
  function* names(part) {
    for (const name of bareNames(part)) {
      yield name;
      const article = PATTERNS.articleLast.exec(name) || PATTERNS.articleFirst.exec(name);
      if (article) yield `${article[2]} ${article[1]}`;
    }
  }
  // A name as it stands, then without sets before it, then also without what follows it. Facts of the
  // card, sets and marks are cut until nothing changes.
  function* bareNames(part) {
    yield part;
    let bare = part;
    for (let shorter; (shorter = cut(bare, ["setFirst"]));) bare = shorter;
    if (bare !== part) yield bare;
    let [cuts, shorter] = [0, cut(bare, LAST)];
    while (shorter) {
      bare = shorter;
      shorter = cut(bare, LAST);
      if (++cuts <= maxSets || !shorter) yield bare;
    }
  }
  const LAST = ["crypt", "set", "printing"];
  function cut(part, kinds) {
    const shortened = kinds.map((kind) => part.replace(PATTERNS[kind], "").trim());
    return shortened.find((shorter) => shorter !== part && hasLetter(shorter)) ?? "";
  }
  // [count, name] of each way to read a line.
  const counted = (count, part) => [...names(part)].map((name) => [count, name]);
  function readings(line) {
    const first = PATTERNS.countFirst.exec(line);
    const last = PATTERNS.countLast.exec(line);
    const copied = last ? counted(Number(last[2] || last[3]), last[1]) : [];
    const sure = PATTERNS.numberLast.test(line) ? 1 : copied.length;
    return [
      ...(first ? counted(Number(first[1] || first[2]), first[3]) : []),
      ...copied.slice(0, sure),
      ...counted(1, line),
      ...copied.slice(sure),
    ];
  }
  // With and without its remark, and of the text between its ends.
  function lineReadings(line) {
    const bare = line.replace(PATTERNS.remark, "");
    const ends = [...bareNames(bare)];
    const between = ends.length > 1 ? [ends.at(-1)] : [];
    return [...new Set([line, bare]), ...between].flatMap(readings);
  }
  const first = (line, most) => [...line].slice(0, most).join("");
  function cells(line, { mark, cell }) {
    const list = [];
    let rest = first(line, maxRow) + mark;
    while (rest) {
      const [whole, quoted, plain] = cell.exec(rest);
      list.push(first(text.clean(quoted?.replaceAll('""', '"') ?? plain), maxLength));
      rest = rest.slice(whole.length);
    }
    return list;
  }
  function copies(cell) {
    const found = PATTERNS.count.exec(cell ?? "");
    return found ? Number(found[1] || found[2]) : 0;
  }
  // The cells of a row with tabs or quoted cells, versions behind names; empty for other lines.
  function rowOf(line) {
    const bare = line.replace(PATTERNS.bullet, "");
    const isRow = ({ mark }) =>
      bare.trim().includes("\t") ? mark === "\t" : mark !== "\t" && PATTERNS.quotedCell.test(bare);
    const rows = CELLS.filter(isRow).map((kind) => cells(bare, kind));
    const row = [];
    for (const cell of rows.reduce((one, other) => (other.length > one.length ? other : one), []))
      if (/\p{L}/u.test(row.at(-1) ?? "") && PATTERNS.versionCell.test(cell))
        row.push(`${row.pop()} (${cell})`);
      else if (row.length || hasLetter(cell)) row.push(cell);
    return row;
  }
  // The readings of a row without a head line.
  function rowReadings(row) {
    if (!row.length) return [];
    const [one, two] = row.map(copies);
    if (one && row.length > 1) return counted(one, row[1]);
    return [...(two ? counted(two, row[0]) : []), ...lineReadings(row[0])];
  }
  // The readings of a row of the table that begins with the first line; null for another line.
  function tableOf(lines) {
    for (const kind of CELLS) {
      const row = cells(lines[0], kind).map((cell) => cell.toLowerCase());
      const place = (column) => row.findIndex((cell) => PATTERNS[column].test(cell));
      const [name, version, number] = ["tableName", "tableVersion", "tableNumber"].map(place);
      let count = place("tableCount");
      // Columns of the same name are tables side by side.
      if (name < 0 || row.length < 2 || row.indexOf(row[name], name + 1) > 0) continue;
      if (number >= 0 && count < 0 && place("tableSet") < 0) {
        const below = lines.slice(1).map((line) => copies(cells(line, kind)[number]));
        // Not the numbers of the rows.
        if (below.filter(Boolean).some((one, at) => one !== at + 1)) count = number;
      }
      return (line) => {
        const own = cells(line, kind);
        if (own.length < 2 || own.length <= name) return [];
        const versioned = own[version] ? `${own[name]} (${own[version]})` : own[name];
        return counted(copies(own[count]) || 1, versioned);
      };
    }
    return null;
  }
  // The place of the heading of a deck, crypt or library, if no other part comes before it.
  function firstPart(shown) {
    const lines = shown.map((line) => line.toLowerCase());
    const at = lines.findIndex((line) => PATTERNS.firstPart.test(line));
    const other = lines.findIndex((line) => PATTERNS.otherPart.test(line));
    return other >= 0 && other < at ? 0 : at;
  }
  const unreadable = (said) => Object.assign(new Error(`${said} list`), { said });
  // The cards of a list in XML, one a line; any other text as it is. Only a DTD declares entities.
  function asLines(typed) {
    if (!/^[\ufeff\s]*</u.test(typed) || !globalThis.DOMParser) return typed;
    const document = typed.trim().replace(/&(?!#?[\p{L}\p{N}_]+;)/gu, "&amp;");
    const tree = new DOMParser().parseFromString(document, "application/xml");
    if (tree.doctype || tree.querySelector("parsererror")) {
      if (document.startsWith("<?xml")) throw unreadable("broken");
      return typed;
    }
    const lines = [...tree.querySelectorAll("*")].flatMap((node) => {
      const pairs = [...node.attributes].map(({ name, value }) => [name.toLowerCase(), value]);
      const { name, number, quantity, qty } = Object.fromEntries(pairs);
      const count = number || quantity || qty;
      const [kind, parent] = [node, node.parentNode].map((one) => one.nodeName.toLowerCase());
      if (["card", "cards"].includes(kind) && name !== undefined)
        return [`${count || 1} ${name}`];
      if (["card", "cards"].includes(kind) && count && !node.children.length)
        return [`${count} ${node.textContent}`];
      return kind === "name" && parent === "card" ? [`1 ${node.textContent}`] : [];
    });
    return lines.map((line) => line.replace(/\s+/gu, " ").trim()).join("\n") || typed;
  }
  // A row of Markdown, or a line with bars, as cells with tabs.
  const withoutBars = (line) =>
    line.includes("|") ? line.trimStart().replace(/^\|/, "").replaceAll("|", "\t") : line;
  // A number, a text with a count first or last, a set, another text, or blank.
  function kindOfCell(cell) {
    if (!hasLetter(cell)) return " ";
    if (copies(cell)) return "n";
    if (PATTERNS.manyCards.test(cell) && !PATTERNS.crypt.test(` ${cell}`)) return "f";
    if (PATTERNS.countLast.test(cell)) return "l";
    return PATTERNS.setCell.test(cell) ? "s" : "t";
  }
  // The parts of a line that have a card each.
  function partsOf(line) {
    const row = rowOf(line);
    const shape = row.map(kindOfCell).join("");
    const columns = PATTERNS.columns.exec(shape);
    const bare = line.replace(PATTERNS.bullet, "");
    if (!columns) return PATTERNS.manyCards.test(bare) ? line.split(PATTERNS.nextCard) : [line];
    const parts = [];
    for (const [at, cell] of row.entries())
      if (shape.startsWith(columns[2] || columns[3], at)) parts.push(cell);
      else parts.push(`${parts.pop()}\t${cell}`);
    return parts;
  }
  // The numbered lines of a list, with their readings if they are rows of its table; several cards
  // on a line stand apart.
  function linesOf(typed) {
    if (PATTERNS.json.test(typed.replace(/^\ufeff/, ""))) throw unreadable("json");
    const written = asLines(typed).replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
    const rows = written.split("\n").map(withoutBars);
    const tables = rows.slice(0, maxHead).map((_, at) => tableOf(rows.slice(at)));
    const head = tables.findIndex(Boolean);
    const lines = rows.flatMap((line, at) => {
      if (at === head) return [];
      const row = (head >= 0 && at > head && tables[head](line)) || [];
      // A line that is not a row of the table, as `1 3,720 to 1`.
      if (row.some(([, name]) => /\p{L}/u.test(name))) return [{ number: at + 1, line, row }];
      return partsOf(line).map((part) => ({ number: at + 1, line: part, row: [] }));
    });
    if (lines.slice(maxLines).some(({ line }) => line)) throw unreadable("long");
    return { lines, hasTable: head >= 0 };
  }
  function parse(typed) {
    const { lines, hasTable } = linesOf(typed);
    const shown = lines.map(({ line }) => first(text.clean(line), maxLength).trim());
    const isText = (line) => hasLetter(line) && !PATTERNS.comment.test(line);
    const part = hasTable ? 0 : firstPart(shown);
    let before = "";
    return shown.flatMap((line, at) => {
      if (!isText(line)) return [];
      const bare = line.replace(PATTERNS.bullet, "");
      const isFactLabel = PATTERNS.factLabel.test(bare.toLowerCase());
      const labelled = (!isFactLabel && PATTERNS.label.exec(bare)?.[1]) || "";
      if (at < part && !labelled && !PATTERNS.countFirst.test(line)) return [];
      const isTitle = before === "About" && line.startsWith("Name ");
      const isCard =
        labelled &&
        (PATTERNS.cardLabel.test(bare.toLowerCase()) || PATTERNS.countFirst.test(labelled));
      const isFact = !isCard && (PATTERNS.section.test(line) || PATTERNS.fact.test(bare));
      before = line;
      const { number, line: written, row } = lines[at];
      const others = (labelled ? [bare, labelled] : [bare]).flatMap(lineReadings);
      const isRow = row.length > 0;
      const own = isRow ? [] : rowOf(written);
      const all = isRow ? row : [...rowReadings(own), ...others];
      const list = [...new Map(all.map((reading) => [reading.join(" "), reading])).values()];
      const listed = isFact && !isRow ? labelled.split(/[,;]/) : [];
      const further = own.slice(own.slice(0, 2).some(copies) ? 2 : 1);
      const pieces = (listed.length > 1 ? listed : further).slice(0, maxPieces);
      const rest = pieces.map((cell) => {
        const piece = { at, number, text: cell.trim(), optional: true, rest: true };
        return { ...piece, readings: lineReadings(piece.text) };
      });
      const whole = { at, number, text: line, readings: list, optional: isTitle || isFact, isRow };
      return [whole, ...rest];
    });
  }
  // A list with a card in place of what a line names, as often; a list in XML and a table become
  // lines. `unknown`: the line, as an answer names it.
  function corrected(typed, unknown, card) {
    const read = parse(typed);
    const wanted = read.find((line) => line.number === unknown.line && line.text === unknown.text);
    const named = ({ readings: list }) => list.find(([, name]) => /\p{L}/u.test(name));
    const lineOf = (line) => {
      const [count, name] = named(line);
      return `${count} ${line === wanted ? card : name}`;
    };
    const isLine = (line) => named(line) && (line === wanted || !line.rest);
    if (read.some(({ isRow }) => isRow)) return read.filter(isLine).map(lineOf).join("\n");
    const lines = linesOf(typed).lines.map(({ line }) => line);
    const isOther = (piece) => text.clean(piece).trim() !== wanted.text;
    const others = lines[wanted.at].split(/([\t,;:])/u).filter(isOther).join("");
    lines[wanted.at] = wanted.rest ? `${others}\n${lineOf(wanted)}` : lineOf(wanted);
    return lines.join("\n");
  }

  // ---- names ----
  const letters = text.cached(MAX_NAMES, (name) => [...text.fold(name)].filter(hasLetter).join(""));
  const put = (index, key, value) =>
    index.has(key) ? index.get(key).add(value) : index.set(key, new Set([value]));
  const labels = new Map();
  for (const [name, , label] of base.cards) put(labels, name, label);
  const whole = new Map(
    [...labels].map(([name, several]) => [name, several.size === 1 ? [...several][0] : name]),
  );
  const nameOf = new Map(base.cards.map(([name, , label]) => [label, name]));
  const ownerOf = (card) => nameOf.get(card) ?? card;
  const byLetters = new Map();
  const others = new Map();
  for (const [name, version, label, otherNames] of base.cards) {
    const target = whole.get(name);
    put(byLetters, letters(name), target);
    for (const written of [label, `${name} ${version}`])
      put(byLetters, letters(written), version ? label : target);
    for (const other of otherNames) {
      put(others, letters(other), target);
      if (version) put(others, letters(`${other} ${version}`), label);
    }
  }
  for (const [key, targets] of others) if (!byLetters.has(key)) byLetters.set(key, targets);
  byLetters.delete("");
  // The label that distinguishes versions is not part of the name.
  const plain = new Set([...labels.keys(), ...base.cards.flatMap((card) => card[3])].map(letters));
  // A version of one letter stands apart: a doubled last letter is a slip.
  const lettered = new Set(
    [...byLetters.keys()].filter(
      (key) => !plain.has(key) && plain.has([...key].slice(0, -1).join("")),
    ),
  );
  const LETTER_APART = /[^\p{L}\p{N}][\p{L}\p{N}][^\p{L}\p{N}]*$/u;
  const mayMean = (key, typed) => !lettered.has(key) || LETTER_APART.test(text.fold(typed));
  function exact(name) {
    const key = letters(name);
    return mayMean(key, name) ? [...(byLetters.get(key) || [])] : [];
  }

  // A tree of names, as in kb.linking.names: branches by word, and the cards whose names end there.
  const foldedWords = (name) => text.wordsOf(name).map(text.fold);
  const newNode = () => ({ branches: new Map(), cards: new Set() });
  let root = null;
  function addName(path, card) {
    let node = root;
    for (const word of path) {
      if (!node.branches.has(word)) node.branches.set(word, newNode());
      node = node.branches.get(word);
    }
    node.cards.add(card);
  }
  function growTree() {
    root = newNode();
    for (const [name, version, label, otherNames] of base.cards)
      for (const written of [name, ...otherNames]) {
        const words = foldedWords(written);
        // Obi Wan, as people type Obi-Wan.
        for (const path of [words, words.flatMap((word) => word.split("-"))]) {
          addName(path, whole.get(name));
          if (version) addName([...path, ...foldedWords(version)], label);
        }
      }
  }
  // Loads what readings of lines need that no name is as it is written.
  function loadForms(lines) {
    const isNamed = ({ readings }) => readings.some(([, name]) => exact(name).length);
    const unnamed = lines.filter((line) => !line.rest && !isNamed(line));
    const readings = unnamed.flatMap((line) => line.readings);
    return forms.load(readings.flatMap(([, name]) => text.wordsOf(name)));
  }
  // The words of names that a word may be.
  function meanings(word) {
    const lemmas = base.languages.flatMap((lang) => forms.analyze(word, lang).lemmas);
    return [...new Set([text.fold(word), ...forms.namesIn(lemmas)])];
  }
  function inflected(name) {
    const options = text.wordsOf(name).map(meanings);
    if (!options.length) return [];
    if (!root) growTree();
    const step = (nodes, words) =>
      nodes.flatMap((node) => words.map((word) => node.branches.get(word)).filter(Boolean));
    const ends = options.reduce(step, [root]);
    return [...new Set(ends.flatMap((node) => [...node.cards]))];
  }

  const pairs = (key) => {
    const framed = [...("^" + key + "$")];
    return new Set(framed.slice(1).map((letter, at) => framed[at] + letter));
  };
  // The names by their pairs of letters; how many pairs each has.
  const byPair = new Map();
  const sizes = new Map();
  function indexPairs() {
    for (const name of byLetters.keys()) {
      const own = pairs(name);
      sizes.set(name, own.size);
      for (const pair of own) put(byPair, pair, name);
    }
  }
  function similarTo(key) {
    if (!sizes.size) indexPairs();
    const own = pairs(key);
    const shared = new Map();
    for (const pair of own)
      for (const name of byPair.get(pair) || []) shared.set(name, (shared.get(name) || 0) + 1);
    const score = (name) => (2 * shared.get(name)) / (own.size + sizes.get(name));
    const known = [...sizes.keys()].filter((name) => shared.has(name) && score(name) >= similar);
    return known.sort((one, other) => score(other) - score(one));
  }
  function near(name) {
    const key = letters(name);
    let most = text.allowed(key);
    if (!most) return [];
    let best = new Set();
    for (const other of similarTo(key)) {
      if (!mayMean(other, name)) continue;
      const apart = text.distance(key, other, most);
      if (apart > most) continue;
      if (apart < most) best = new Set();
      most = apart;
      for (const card of byLetters.get(other)) best.add(card);
    }
    return [...best];
  }
  // Whether a name is probably meant by a text, by their letters.
  function isAlike(key, other) {
    const [own, theirs] = [pairs(key), pairs(other)];
    const common = [...own].filter((pair) => theirs.has(pair)).length;
    const similarity = (2 * common) / (own.size + theirs.size);
    const isStart = [...key][0] === [...other][0];
    return common >= contained * own.size || (isStart && similarity >= similarStart);
  }
  const wordsOf = new Map();
  function listWords() {
    for (const [name, , , otherNames] of base.cards)
      for (const word of [name, ...otherNames].flatMap(foldedWords)) put(wordsOf, name, word);
  }
  function suggestions(name) {
    if (!wordsOf.size) listWords();
    const cards = new Map();
    const key = letters(name);
    const typed = foldedWords(name).filter((word) => [...word].length >= sharedWord);
    for (const other of similarTo(key).filter((known) => plain.has(known))) {
      const alike = isAlike(key, other);
      for (const card of byLetters.get(other)) {
        const owner = ownerOf(card);
        const isMeant = alike || typed.some((word) => wordsOf.get(owner)?.has(word));
        if (isMeant && !cards.has(owner)) cards.set(owner, card);
      }
    }
    return [...cards.values()].slice(0, maxSuggestions);
  }

  // ---- rulings ----
  const every = [...headings, ...base.types.map(letters)];
  const isHeading = (list) =>
    list.some(([, name]) => {
      const key = letters(name);
      const begins = every.filter((heading) => key.startsWith(heading));
      return begins.some((heading) => key.length <= heading.length + plural);
    });
  const TIERS = [
    ["name", exact],
    ["form", inflected],
    ["near", near],
  ];
  const versions = base.cards.filter(([, version]) => version);
  const versioned = new Set(versions.flatMap(([name, , label]) => [name, label]));
  // The card of a reading; near, as it is typed, if a version was cut from its name.
  function matched(card, reading, list, how) {
    const [count, name] = reading;
    const cuts = list.map(([, other]) => other.split(name).slice(1).join(name));
    const cut = cuts.reduce((one, other) => (other.length > one.length ? other : one));
    const isCut = versioned.has(card) && PATTERNS.version.test(cut);
    return isCut ? { reading: [count, name + cut], card, how: "near" } : { reading, card, how };
  }
  // {reading, card, how}, {unknown: suggestions}, or null for a heading or a rest without a card.
  function recognize(line) {
    const list = line.readings.filter(([, name]) => /\p{L}/u.test(name));
    if (!list.length) return null;
    for (const [how, find] of TIERS) {
      if (how === "near" && !line.isCard && (line.optional || isHeading(list))) return null;
      for (const reading of list) {
        const cards = find(reading[1]);
        if (cards.length === 1 && !line.rest) return matched(cards[0], reading, list, how);
        if (cards.length) return { unknown: cards.slice(0, maxSuggestions) };
      }
      if (line.rest) return null;
    }
    const found = [...new Set(list.map(([, name]) => name))].map(suggestions);
    return { unknown: found.find((several) => several.length) ?? [] };
  }

  // Rulings by kind, then as listed.
  const kindOf = (kind) => (kinds.includes(kind) ? kinds.indexOf(kind) : kinds.length);
  const sorted = [...base.rulings].sort((one, other) => kindOf(one[1]) - kindOf(other[1]));
  const rank = new Map(sorted.map(([id], number) => [id, number]));
  const erratas = new Set(sorted.filter(([, kind]) => kind === kinds[0]).map(([id]) => id));
  const isErrata = (id) => erratas.has(id);
  const byLabel = new Map();
  for (const [id, , , cards] of base.rulings)
    for (const [label, about] of Object.entries(cards)) put(byLabel, label, [id, about]);
  // What rulings may call a card: a label and its name, or a name and all of its labels.
  const called = (card) =>
    labels.has(card) ? [card, ...labels.get(card)] : [card, nameOf.get(card)];
  const byRank = (one, other) => rank.get(one) - rank.get(other);
  function rulingsOn(card) {
    const about = new Map();
    for (const label of called(card))
      for (const [id, isAbout] of byLabel.get(label) || [])
        about.set(id, isAbout || about.get(id) || false);
    return [...about.keys()].sort(
      (one, other) =>
        isErrata(other) - isErrata(one) || about.get(other) - about.get(one) || byRank(one, other),
    );
  }
  function broughtIn(cards, lang) {
    const present = new Set(cards.flatMap(called));
    const owned = base.cards.filter(([, , label]) => present.has(label));
    const because = new Map();
    for (const trait of new Set(owned.flatMap((card) => card[4]))) {
      const word = valueIn(base.terms, trait)?.[lang] ?? trait;
      for (const id of valueIn(base.brings, trait) || [])
        because.set(id, [...(because.get(id) || []), word]);
    }
    return [...because.keys()]
      .sort(byRank)
      .map((id) => ({ id, because: because.get(id).slice(0, maxTraits).join(", ") }));
  }

  async function answer(typed, lang) {
    const cards = new Map();
    const unknown = [];
    const lines = parse(typed);
    await loadForms(lines);
    for (const line of lines) {
      const found = recognize(line);
      if (!found) continue;
      if (found.unknown) {
        unknown.push({ line: line.number, text: line.text, suggestions: found.unknown });
        continue;
      }
      const { card, how, reading } = found;
      const [count, name] = reading;
      const before = cards.get(card);
      // A line that is only near is the one to show.
      if (before && (how !== "near" || before.match === "near")) before.count += count;
      else {
        const all = count + (before?.count ?? 0);
        const rulings = rulingsOn(card);
        cards.set(card, { line: line.number, card, count: all, rulings, text: name, match: how });
      }
    }
    const listed = [...cards.values()].filter(({ rulings }) => rulings.length);
    const unruled = [...cards.values()].filter(({ rulings }) => !rulings.length);
    listed.sort((one, other) => isErrata(other.rulings[0]) - isErrata(one.rulings[0]));
    return {
      game: base.game,
      cards: [...listed, ...unruled],
      rules: broughtIn([...cards.keys()], lang),
      unknown,
      without_rulings: unruled.length,
    };
  }

  // What a name as it stands on a card means: {card, page} or {unknown: suggestions}.
  async function card(name) {
    const line = { readings: [[1, text.clean(name)]], optional: false, isCard: true };
    await loadForms([line]);
    const found = recognize(line);
    if (!found?.card) return { unknown: found?.unknown || [] };
    const owner = ownerOf(found.card);
    return { card: found.card, name: owner, page: pageOf(owner), labels: [...labels.get(owner)] };
  }
  const pageOf = (label) => valueIn(base.pages, ownerOf(label)) || null;

  // How many lines name a card in one way: name, form or near.
  async function named(typed, how) {
    const cardsOf = new Map(TIERS).get(how);
    const lines = parse(typed);
    if (how === "form") await loadForms(lines);
    return lines.filter(({ readings }) => readings.some(([, name]) => cardsOf(name).length)).length;
  }
  // Whether a text is the name or the label of a card: no slip, inflected or other name of it.
  const isWritten = (typed, card) =>
    [card, ownerOf(card)].some((name) => letters(name) === letters(typed));
  const numbers = new Map(base.rulings.map(([id, , number]) => [id, number]));

  return { answer, broughtIn, card, corrected, isWritten, named, numbers, pageOf, parse };
};
