// The deck page: the list is read and answered here, without a server; static/deck-core.js does the work.
(function () {
  "use strict";
  const { $, badges, button, copy, counted, dataOf, element } = window.KB_PAGE;
  const { keep, keptData, number, set } = window.KB_PAGE;
  const { linkToRuling, loadData, loadScript, openSearch, pageAt, readIn } = window.KB_PAGE;
  const { showGame, ui, verdictTile } = window.KB_PAGE;
  const [form, list, gameBox, said, shown] = ["deck", "list", "game", "said", "rulings"].map($);
  const words = dataOf("words");
  const KEPT = "kb.deck";
  const REST = 350;
  let later = 0;
  const options = [...gameBox.options].filter((option) => option.dataset.deck);

  // ---- what the page needs, loaded when the first list is read ----
  async function open({ core, base, script }) {
    const [engine] = await Promise.all([openSearch({ core, base }), loadScript(script)]);
    return engine;
  }
  let opening = null;
  const decks = new Map();
  async function deckOf({ value, dataset }) {
    opening ??= open(form.dataset);
    const engine = await opening;
    if (!decks.has(value))
      decks.set(
        value,
        loadData(dataset.deck).then((data) => window.KBDeck(data, engine)),
      );
    return decks.get(value);
  }
  // After a failure, as without a network, the next list loads it again.
  function reset() {
    opening = null;
    decks.clear();
  }
  async function deckFor(text) {
    const chosen = options.find((option) => option.value === gameBox.value);
    if (chosen) return deckOf(chosen);
    const all = await Promise.all(options.map(deckOf));
    for (const how of ["name", "form", "near"]) {
      const counts = await Promise.all(all.map((deck) => deck.named(text, how)));
      const most = Math.max(...counts);
      if (most) return all[counts.indexOf(most)];
    }
    // No line names a card: the game with the most suggestions.
    const answers = await Promise.all(all.map((deck) => deck.answer(text, ui)));
    const guesses = answers.map(
      ({ unknown }) => unknown.filter(({ suggestions }) => suggestions.length).length,
    );
    return all[guesses.indexOf(Math.max(...guesses))];
  }

  // ---- what is shown ----
  const linkOf = ({ key, titles }) => linkToRuling(key, titles);
  // A ruling of the base, in the reader's language where it has it, folded on a narrow page.
  const wide = window.matchMedia("(min-width: 60rem)");
  function rulingRow(found) {
    const { key, game, titles, texts, ends, verdict } = found;
    const lang = readIn(titles);
    const tile = verdict && verdictTile(words.verdict, { ...found, lang });
    const marks = element("span.marks", tile, " ", badges(words, found, titles[lang]));
    const answer = element("div", { lang }, texts[lang].slice(0, ends[lang]));
    const unfold = element("summary", element("span.hidden", words.answer));
    const said = element("details.said", { open: wide.matches }, unfold, answer);
    const title = set(linkOf(found), { className: "row" });
    return element("li.folded", { data: { game, ruling: key } }, title, " ", marks, said);
  }
  // Selects a line in the box. What stands in no line of it came from XML.
  function selectLine({ line, text }) {
    const before = list.value.split("\n").slice(0, line - 1).join("\n");
    const start = list.value.indexOf(text, before.length);
    if (start < 0) return;
    $("entry").open = true;
    list.setSelectionRange(start, start + text.length);
    // Browsers scroll a box to what is selected only where it takes the focus.
    list.blur();
    list.focus();
  }
  function unknownLines(unknown, choose) {
    const rows = unknown.map((entry) => {
      const { line, text, suggestions } = entry;
      const choices = suggestions.flatMap((card) => [
        " ",
        button(card, () => choose(entry, card), { className: "plain" }),
      ]);
      const meant = element("span.also", words.meant, choices);
      const place = element("span.also", `${line}. `);
      const leading = button([place, text], () => selectLine(entry), { className: "line" });
      return element("li", leading, suggestions.length && [" ", meant]);
    });
    return element("section.unknown", element("h2", words.unknown), element("ul.ways", rows));
  }
  function show(typed, answer, entries, { corrected, pageOf, isWritten }) {
    const read = new Set();
    const readFrom = ({ card, text }) =>
      isWritten(text, card) ? "" : words.readas.replace("%(text)s", () => text);
    // What was answered above is folded to one line.
    function rulings(ids) {
      const known = ids.filter((id) => read.has(id));
      const rows = ids.filter((id) => !read.has(id)).map((id) => rulingRow(entries.get(id)));
      for (const id of ids) read.add(id);
      const links = known.map((id) => element("li", linkOf(entries.get(id))));
      const heading = `${words.above} (${number(known.length)})`;
      return [
        rows.length > 0 && element("ul.rulings.answers", rows),
        known.length > 0 &&
          element("details.also", element("summary", heading), element("ul", links)),
      ];
    }
    // The contents of a long answer, beside it or above it.
    const idOf = (at) => `card-${at + 1}`;
    function contents() {
      const rows = cards.map(({ card }, at) => [idOf(at), card]);
      if (reasons.length) rows.push(["rules", words.rules]);
      const list = rows.map(([id, name]) => element("li", element("a", { href: `#${id}` }, name)));
      const heading = `${words.contents} (${number(cards.length)})`;
      return element("details.contents", element("summary", heading), element("ul", list));
    }
    function section({ card, count, text, rulings: ids }, at) {
      const note = readFrom({ card, text });
      const page = pageOf(card);
      const name = page ? element("a.row", { href: pageAt(page) }, card) : element("span", card);
      const copies = element("span.copies", "× " + number(count));
      return element(
        "section",
        { id: idOf(at) },
        element("h2", name, " ", copies),
        note && element("p.also", note),
        rulings(ids),
      );
    }
    // The rules that come in for one reason.
    function rulesOf(reason) {
      const ids = rules.filter(({ because }) => because === reason).map(({ id }) => id);
      return [element("p.also", `${words.because} ${reason}`), rulings(ids)];
    }
    function choose(entry, card) {
      clearTimeout(later);
      // Lines that were typed meanwhile may have moved it.
      if (list.value === typed) list.value = corrected(typed, entry, card);
      said.focus({ preventScroll: true });
      ask();
    }
    const { unknown, rules, without_rulings: without } = answer;
    const reasons = [...new Set(rules.map(({ because }) => because))];
    const isRuled = ({ rulings }) => rulings.length > 0;
    const cards = answer.cards.filter(isRuled);
    const unruled = answer.cards.filter((card) => !isRuled(card)).map((found) => {
      const note = readFrom(found);
      return note ? `${found.card} (${note})` : found.card;
    });
    const parts = [
      unknown.length && unknownLines(unknown, choose),
      cards.length > 3 && contents(),
      cards.map(section),
      reasons.length &&
        element("section", { id: "rules" }, element("h2", words.rules), reasons.map(rulesOf)),
      without && element("p.also", `${counted(words.without, without)}: ${unruled.join("; ")}`),
    ];
    shown.replaceChildren(...parts.flat().filter(Boolean));
    const { text: game } = options.find(({ value }) => value === answer.game);
    const none = answer.cards.length ? words.norulings : words.nogame;
    const found = read.size ? counted(words.found, read.size) : none;
    const isOfGame = answer.cards.length || gameBox.value;
    if (isOfGame) showGame(answer.game);
    said.textContent = isOfGame ? `${game} · ${found}` : found;
    $("acts").hidden = !answer.cards.length;
  }
  function clear(text) {
    shown.replaceChildren();
    said.textContent = text;
    said.removeAttribute("title");
    $("acts").hidden = true;
  }

  // ---- asking ----
  let latest = 0;
  // The list that Clear took away, until something else is done.
  let cleared = null;
  async function ask() {
    const mine = ++latest;
    const text = list.value;
    form.dataset.state = "busy";
    list.removeAttribute("aria-invalid");
    $("clear").hidden = !text.trim();
    $("undo").hidden = text.trim() || cleared === null;
    keep(KEPT, text.trim() ? JSON.stringify({ text, game: gameBox.value }) : "");
    if (!text.trim()) {
      clear(words.empty);
      form.dataset.state = "idle";
      return;
    }
    if (said.textContent === words.empty) said.textContent = "";
    try {
      const deck = await deckFor(text);
      const answer = await deck.answer(text, ui);
      const entries = await entriesOf(answer, deck);
      if (mine !== latest) return;
      show(text, answer, entries, deck);
      form.dataset.state = "done";
    } catch (error) {
      if (!error.said) reset();
      if (mine !== latest) return;
      clear(words[error.said] || words.failed);
      said.title = String(error);
      form.dataset.state = "failed";
    }
  }
  // The rulings of an answer by id.
  async function entriesOf({ cards, rules }, { numbers }) {
    const { loadRulings, ruling } = await opening;
    const ids = [...cards.flatMap((card) => card.rulings), ...rules.map((rule) => rule.id)];
    const docs = ids.map((id) => numbers.get(id));
    await loadRulings(docs);
    return new Map(ids.map((id, at) => [id, ruling(docs[at])]));
  }

  // ---- kept on the device, shared by an address ----
  function shared() {
    const given = new URLSearchParams(location.hash.slice(1));
    return given.has("list") ? { text: given.get("list"), game: given.get("game") } : null;
  }
  function read() {
    const given = shared() || keptData(KEPT) || {};
    const asked = new URLSearchParams(location.search).get("game");
    const game = shared()?.game || asked || given.game;
    list.value = typeof given.text === "string" ? given.text : "";
    gameBox.value = options.some((option) => option.value === game) ? game : "";
    ask();
  }
  function askAgain() {
    cleared = null;
    return ask();
  }
  list.addEventListener("input", () => {
    clearTimeout(later);
    later = setTimeout(askAgain, REST);
  });
  gameBox.addEventListener("change", askAgain);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    clearTimeout(later);
    await askAgain();
    if (!list.value.trim()) {
      list.setAttribute("aria-invalid", "true");
      list.focus();
      said.scrollIntoView({ block: "nearest" });
    } else if (!$("acts").hidden) {
      $("entry").open = false;
      said.focus();
    }
  });
  $("print").addEventListener("click", () => window.print());
  $("clear").addEventListener("click", () => {
    clearTimeout(later);
    cleared = list.value;
    list.value = "";
    history.replaceState(null, "", location.pathname + location.search);
    ask();
    $("undo").focus();
  });
  $("undo").addEventListener("click", () => {
    list.value = cleared;
    askAgain();
    $("clear").focus();
  });
  $("share").addEventListener("click", ({ currentTarget }) => {
    const given = new URLSearchParams({ list: list.value.trim() });
    if (gameBox.value) given.set("game", gameBox.value);
    history.replaceState(null, "", location.href.split("#")[0] + "#" + given);
    copy(currentTarget, location.href);
  });
  window.addEventListener("hashchange", () => shared() && read());
  read();
})();
