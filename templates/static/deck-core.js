// Deck lists, as kb.decks: KBDeck(base, engine).answer(text, lang). `base`: decks/<game>.js;
// `engine`: KBSearch of the same site, whose table of forms knows the inflected names.
"use strict";
globalThis.KBDeck = function KBDeck(base, engine) {
  const { text, forms, buckets } = engine;
  const { maxLines, maxLength, maxSets, maxSuggestions, similar } = base.settings;
  const { kinds, headings, plural, maxTraits } = base.settings;
  const PATTERNS = Object.fromEntries(
    Object.entries(base.settings.patterns).map(([name, pattern]) => [
      name,
      new RegExp(pattern, "u"),
    ]),
  );

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
  function* bareNames(part) {
    yield part;
    let bare = part.replace(PATTERNS.crypt, "").trim();
    if (bare !== part) yield bare;
    for (let taken = 0; taken < maxSets; taken++) {
      const shorter = bare.replace(PATTERNS.set, "");
      if (!shorter || shorter === bare) break;
      bare = shorter;
      yield bare;
    }
    const shorter = bare.replace(PATTERNS.printing, "");
    if (shorter && shorter !== bare) yield shorter;
  }
  function readings(line) {
    const list = [];
    const add = (count, part) => {
      for (const name of names(part))
        if (!list.some(([known, other]) => known === count && other === name))
          list.push([count, name]);
    };
    const first = PATTERNS.countFirst.exec(line);
    const last = PATTERNS.countLast.exec(line);
    if (first) add(Number(first[1] || first[2]), first[3]);
    if (last) add(Number(last[2] || last[3]), last[1]);
    add(1, line);
    return list;
  }
  // The cards of a list in XML, one a line; any other text as it is. Only a DTD declares entities.
  function asLines(typed) {
    if (!/^[\ufeff\s]*</u.test(typed) || !globalThis.DOMParser) return typed;
    const document = typed.trim(),
      tree = new DOMParser().parseFromString(document, "application/xml");
    if (tree.doctype || tree.querySelector("parsererror")) {
      if (document.startsWith("<?xml"))
        throw Object.assign(new Error("broken XML"), { said: "broken" });
      return typed;
    }
    const lines = [...tree.querySelectorAll("*")].flatMap((node) => {
      const pair = ({ name, value }) => [name.toLowerCase(), value];
      const given = new Map([...node.attributes].map(pair));
      const [kind, parent] = [node, node.parentNode].map((one) => one.nodeName.toLowerCase());
      if (["card", "cards"].includes(kind) && given.has("name"))
        return [`${given.get("number") || given.get("quantity") || 1} ${given.get("name")}`];
      return kind === "name" && parent === "card" ? [`1 ${node.textContent}`] : [];
    });
    return lines.map((line) => line.replace(/\s+/gu, " ").trim()).join("\n") || typed;
  }
  function parse(typed) {
    const lines = asLines(typed).replace(/\r\n?/g, "\n").split("\n");
    let before = "";
    return lines.slice(0, maxLines).flatMap((line, at) => {
      const shown = [...text.clean(line)].slice(0, maxLength).join("").trim();
      if (!hasLetter(shown) || PATTERNS.comment.test(shown)) return [];
      const bare = shown.replace(PATTERNS.bullet, "").replace(PATTERNS.remark, "");
      const isTitle = before === "About" && shown.startsWith("Name ");
      const optional = isTitle || PATTERNS.section.test(shown) || PATTERNS.fact.test(shown);
      before = shown;
      return [{ number: at + 1, text: shown, readings: readings(bare), optional }];
    });
  }

  // ---- names ----
  const lettersOf = new Map();
  function letters(name) {
    let key = lettersOf.get(name);
    if (key === undefined) {
      key = [...text.fold(name)].filter(hasLetter).join("");
      lettersOf.set(name, key);
    }
    return key;
  }
  const put = (index, key, value) =>
    index.has(key) ? index.get(key).add(value) : index.set(key, new Set([value]));
  const labels = new Map();
  for (const [name, , label] of base.cards) put(labels, name, label);
  const whole = new Map(
    [...labels].map(([name, several]) => [name, several.size === 1 ? [...several][0] : name]),
  );
  const nameOf = new Map(base.cards.map(([name, , label]) => [label, name]));
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
  // What tells versions apart is no name.
  const plain = new Set([...labels.keys(), ...base.cards.flatMap((card) => card[3])].map(letters));

  const foldedWords = (name) => text.tokenize(name).map((token) => text.fold(token.text));
  // A tree of names, as in kb.linking.names: branches by word, and the cards whose names end there.
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
  function tree() {
    if (!root) {
      root = newNode();
      for (const [name, version, label, otherNames] of base.cards)
        for (const written of [name, ...otherNames]) {
          addName(foldedWords(written), whole.get(name));
          if (version) addName([...foldedWords(written), ...foldedWords(version)], label);
        }
    }
    return root;
  }
  function meanings(word) {
    const lemmas = base.languages.flatMap((lang) => forms.analyze(word, lang).lemmas);
    return lemmas.filter((lemma) => lemma[0] === "^").map((lemma) => lemma.slice(1));
  }
  function inflected(name) {
    const options = text
      .tokenize(name)
      .map((token) => [...new Set([text.fold(token.text), ...meanings(token.text)])]);
    buckets.settle();
    const step = (nodes, words) =>
      nodes.flatMap((node) => words.map((word) => node.branches.get(word)).filter(Boolean));
    const ends = options.length ? options.reduce(step, [tree()]) : [];
    return [...new Set(ends.flatMap((node) => [...node.cards]))];
  }

  const pairs = (key) => {
    const framed = [...("^" + key + "$")];
    return new Set(framed.slice(1).map((letter, at) => framed[at] + letter));
  };
  let pairIndex = null;
  function similarTo(key) {
    if (!pairIndex) {
      pairIndex = {
        keys: [...byLetters.keys()].map((name) => [name, pairs(name).size]),
        by: new Map(),
      };
      pairIndex.keys.forEach(([name], number) => {
        for (const pair of pairs(name)) put(pairIndex.by, pair, number);
      });
    }
    const own = pairs(key);
    const shared = new Map();
    for (const pair of own)
      for (const number of pairIndex.by.get(pair) || [])
        shared.set(number, (shared.get(number) || 0) + 1);
    const score = ([number, count]) => [
      (2 * count) / (own.size + pairIndex.keys[number][1]),
      number,
    ];
    const scored = [...shared].map(score).filter(([value]) => value >= similar);
    scored.sort((one, other) => other[0] - one[0] || one[1] - other[1]);
    return scored.map(([, number]) => pairIndex.keys[number][0]);
  }
  function near(name) {
    const key = letters(name);
    let most = text.allowed(key);
    if (!most) return [];
    let best = new Set();
    for (const other of similarTo(key)) {
      const apart = text.distance(key, other, most);
      if (apart > most) continue;
      if (apart < most) best = new Set();
      most = apart;
      for (const card of byLetters.get(other)) best.add(card);
    }
    return [...best];
  }
  function suggestions(name) {
    const cards = new Map();
    for (const other of similarTo(letters(name))) {
      if (!plain.has(other)) continue;
      for (const card of byLetters.get(other)) {
        const owner = nameOf.get(card) ?? card;
        if (!cards.has(owner)) cards.set(owner, card);
      }
    }
    return [...cards.values()].slice(0, maxSuggestions);
  }

  // ---- rulings ----
  const every = [...headings, ...base.types.map(letters)];
  const isHeading = (list) =>
    list.some(([, name]) => {
      const key = letters(name);
      return every.some(
        (heading) => key.startsWith(heading) && key.length <= heading.length + plural,
      );
    });
  const TIERS = [
    ["name", (name) => [...(byLetters.get(letters(name)) || [])]],
    ["form", inflected],
    ["near", near],
  ];
  // {reading, card, how}, {unknown: suggestions}, or null for a heading.
  function recognize(line) {
    const list = line.readings.filter(([, name]) => /\p{L}/u.test(name));
    if (!list.length) return null;
    for (const [how, find] of TIERS) {
      if (how === "near" && !line.isCard && (line.optional || isHeading(list))) return null;
      for (const reading of list) {
        const cards = find(reading[1]);
        if (cards.length === 1) return { reading, card: cards[0], how };
        if (cards.length) return { unknown: cards.slice(0, maxSuggestions) };
      }
    }
    return { unknown: suggestions(list[0][1]) };
  }

  const rank = new Map();
  base.rulings.forEach(([id, kind], number) => {
    const at = kinds.indexOf(kind);
    rank.set(id, [at < 0 ? kinds.length : at, number]);
  });
  const isErrata = (id) => rank.get(id)[0] === 0;
  const byLabel = new Map();
  for (const [id, , , cards] of base.rulings)
    for (const [label, about] of Object.entries(cards))
      byLabel.set(label, [...(byLabel.get(label) || []), [id, about]]);
  // What rulings may call a card: a label and its name, or a name and all of its labels.
  const called = (card) =>
    labels.has(card) ? [card, ...labels.get(card)] : [card, nameOf.get(card)];
  const byRank = (one, other) =>
    rank.get(one)[0] - rank.get(other)[0] || rank.get(one)[1] - rank.get(other)[1];
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
    const traits = new Set();
    for (const [, , label, , own] of base.cards)
      if (present.has(label)) for (const trait of own) traits.add(trait);
    const because = new Map();
    for (const trait of traits) {
      const word = valueIn(base.terms, trait)?.[lang] ?? trait;
      for (const id of valueIn(base.brings, trait) || [])
        because.set(id, [...(because.get(id) || []), word]);
    }
    return [...because.keys()]
      .sort(byRank)
      .map((id) => ({ id, because: because.get(id).slice(0, maxTraits).join(", ") }));
  }

  function find(typed, lang) {
    const cards = new Map();
    const unknown = [];
    const lines = parse(typed).map((line) => [line, buckets.attempt(() => recognize(line))]);
    buckets.settle();
    for (const [line, found] of lines) {
      if (!found) continue;
      if (found.unknown) {
        unknown.push({ line: line.number, text: line.text, suggestions: found.unknown });
        continue;
      }
      const [count, name] = found.reading;
      const known = cards.get(found.card);
      if (known) known.count += count;
      else
        cards.set(found.card, {
          line: line.number,
          card: found.card,
          count,
          rulings: rulingsOn(found.card),
          text: name,
          match: found.how,
        });
    }
    const listed = [...cards.values()].filter((card) => card.rulings.length);
    listed.sort((one, other) => isErrata(other.rulings[0]) - isErrata(one.rulings[0]));
    return {
      game: base.game,
      cards: listed,
      rules: broughtIn([...cards.keys()], lang),
      unknown,
      without_rulings: cards.size - listed.length,
      unruled: [...cards.values()].filter((card) => !card.rulings.length).map(({ card }) => card),
    };
  }

  // What a name as it stands on a card means: {card, page} or {unknown: suggestions}.
  function card(name) {
    const found = recognize({ readings: [[1, text.clean(name)]], optional: false, isCard: true });
    buckets.settle();
    if (!found || found.unknown) return { unknown: (found && found.unknown) || [] };
    const owner = nameOf.get(found.card) ?? found.card;
    const page = valueIn(base.pages, owner) || null;
    return { card: found.card, name: owner, page, labels: [...labels.get(owner)] };
  }
  const pageOf = (label) => valueIn(base.pages, nameOf.get(label) ?? label) || null;

  // How many lines name a card in one way: name, form or near.
  function named(typed, how) {
    const cardsOf = new Map(TIERS).get(how);
    const isNamed = (line) => line.readings.some(([, name]) => cardsOf(name).length);
    const lines = parse(typed).map((line) => buckets.attempt(() => isNamed(line)));
    buckets.settle();
    return lines.filter(Boolean).length;
  }
  const numbers = new Map(base.rulings.map(([id, , number]) => [id, number]));

  return {
    answer: (typed, lang) => buckets.resolve(() => find(typed, lang)),
    broughtIn,
    card: (name) => buckets.resolve(() => card(name)),
    named: (typed, how) => buckets.resolve(() => named(typed, how)),
    numbers,
    pageOf,
    parse,
  };
};
