// The deck page: the list is read and answered here, without a server; static/deck-core.js does the work.
(function () {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const { kept, keep, loadScript, pageAt } = window.KB_PAGE;
  const form = $("deck"),
    list = $("list"),
    gameBox = $("game"),
    said = $("said"),
    shown = $("rulings");
  const words = JSON.parse($("words").textContent),
    ui = document.documentElement.lang;
  const KEPT = "kb.deck",
    REST = 350;
  const plural = new Intl.PluralRules(ui);
  const options = [...gameBox.options].filter((option) => option.dataset.deck);

  // ---- what the page needs, loaded when the first list is read; scripts, since a page may be opened from a file ----
  const shards = new Map();
  window.KB_SHARD = (name, data) => shards.set(name, data);
  const folder = form.dataset.base.replace(/[^/]*$/, "");
  const shard = async (address, name) => {
    await loadScript(address);
    return shards.get(name);
  };
  let engine = null;
  const decks = new Map();
  async function search() {
    await Promise.all([form.dataset.core, form.dataset.script].map(loadScript));
    const base = await shard(form.dataset.base, "base");
    return window.KBSearch(base, (file, name) => shard(folder + file, name));
  }
  async function deckOf(option) {
    if (!engine) engine = search();
    const loaded = await engine;
    if (!decks.has(option.value))
      decks.set(
        option.value,
        shard(option.dataset.deck, "deck-" + option.value).then((data) =>
          window.KBDeck(data, loaded),
        ),
      );
    return decks.get(option.value);
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
    return null;
  }

  // ---- what is shown ----
  function element(name, text, kind) {
    const node = document.createElement(name);
    if (text) node.textContent = text;
    if (kind) node.className = kind;
    return node;
  }
  const FORMS = { one: 0, few: 1 };
  function counted(name, count) {
    const forms = words[name],
      at = FORMS[plural.select(count)] ?? forms.length - 1;
    return forms[Math.min(at, forms.length - 1)].replace("{n}", count.toLocaleString(ui));
  }
  function badges(entry) {
    const part = element("span", "", "marks");
    if (entry.kind !== "ruling")
      part.append(element("span", words.kind[entry.kind], "badge kind"), " ");
    part.append(
      element("span", words.authority[entry.authority], "badge authority " + entry.authority),
    );
    if (entry.status !== "current")
      part.append(" ", element("span", words.status[entry.status], "badge status " + entry.status));
    return part;
  }
  // A ruling of the base, in the reader's language where it has it.
  function entryOf(doc, game) {
    const record = loadedEngine.buckets.record(doc),
      column = (name) => loadedEngine.buckets.column(doc, name);
    const kind = column("kind");
    if (!record || !kind) return null;
    const [id, titles, texts, answers] = record,
      lang = titles[ui] ? ui : Object.keys(titles)[0];
    return {
      id,
      game,
      lang,
      title: titles[lang],
      answer: texts[lang].slice(0, answers[lang]),
      kind,
      authority: column("authority"),
      status: column("status"),
    };
  }
  let loadedEngine = null;
  function ruling(entry, repeated) {
    const part = element("div"),
      head = element("h3"),
      link = element("a", entry.title);
    part.dataset.game = entry.game;
    part.dataset.ruling = `${entry.game}/${entry.id}`;
    link.href = pageAt(`${entry.game}/rulings/${entry.id}/index.html`);
    link.lang = entry.lang;
    if (repeated) return link;
    const answer = element("p", entry.answer);
    answer.lang = entry.lang;
    head.append(link, " ", badges(entry));
    part.append(head, answer);
    return part;
  }
  function show(answer, entries, pageOf) {
    const read = new Set(),
      parts = [];
    // What was answered above is named in one line.
    const put = (ids, section) => {
      const known = ids.filter((id) => read.has(id));
      for (const id of ids.filter((id) => !read.has(id))) {
        section.append(ruling(entries.get(id), false));
        read.add(id);
      }
      const line = element("p", `${words.above}: `, "also");
      known.forEach((id, at) => line.append(at ? "; " : "", ruling(entries.get(id), true)));
      if (known.length) section.append(line);
    };
    if (answer.unknown.length) {
      const section = element("section", "", "noprint"),
        rows = element("ul");
      section.append(element("h2", words.unknown), rows);
      for (const line of answer.unknown) {
        const row = element("li", `${line.line}. ${line.text}`);
        if (line.suggestions.length)
          row.append(" ", element("span", `${words.meant} ${line.suggestions.join(", ")}`, "also"));
        rows.append(row);
      }
      parts.push(section);
    }
    for (const card of answer.cards) {
      const section = element("section"),
        head = element("h2"),
        page = pageOf(card.card),
        name = element(page ? "a" : "span", card.card);
      if (page) name.href = pageAt(page);
      head.append(name, " ", element("span", "× " + card.count.toLocaleString(ui), "copies"));
      section.append(head);
      if (card.match === "near")
        section.append(
          element(
            "p",
            words.readas.replace("%(text)s", () => card.text),
            "also",
          ),
        );
      put(card.rulings, section);
      parts.push(section);
    }
    if (answer.rules.length) {
      const section = element("section");
      section.append(element("h2", words.rules));
      for (const rule of answer.rules) {
        put([rule.id], section);
        section.lastChild.append(" ", element("span", `${words.because} ${rule.because}`, "also"));
      }
      parts.push(section);
    }
    if (answer.without_rulings)
      parts.push(
        element(
          "p",
          `${counted("without", answer.without_rulings)}: ${answer.unruled.join("; ")}`,
          "also",
        ),
      );
    shown.replaceChildren(...parts);
    said.textContent = read.size ? counted("found", read.size) : words.norulings;
  }
  function clear(text) {
    shown.replaceChildren();
    said.textContent = text;
    $("acts").hidden = true;
  }

  // ---- asking ----
  let number = 0;
  async function ask() {
    const mine = ++number,
      text = list.value;
    form.dataset.state = "busy";
    keepList(text);
    if (!text.trim()) {
      clear(words.empty);
      form.dataset.state = "idle";
      return;
    }
    try {
      const deck = await deckFor(text);
      loadedEngine = await engine;
      const answer = deck && (await deck.answer(text, ui));
      const ids = answer
        ? [
            ...new Set([
              ...answer.cards.flatMap((card) => card.rulings),
              ...answer.rules.map((rule) => rule.id),
            ]),
          ]
        : [];
      const entries = await loadedEngine.buckets.resolve(
        () => new Map(ids.map((id) => [id, entryOf(deck.numbers.get(id), answer.game)])),
      );
      if (mine !== number) return;
      if (answer) {
        show(answer, entries, deck.pageOf);
        $("acts").hidden = false;
      } else clear(words.nogame);
      form.dataset.state = "done";
    } catch (error) {
      if (mine !== number) return;
      clear(words[error.said] || words.failed);
      said.title = String(error);
      form.dataset.state = "failed";
    }
  }

  // ---- kept on the device, shared by an address ----
  function keepList(text) {
    keep(KEPT, text.trim() ? JSON.stringify({ text, game: gameBox.value }) : "");
  }
  function keptList() {
    try {
      return JSON.parse(kept(KEPT)) || {};
    } catch (error) {
      return {};
    }
  }
  function shared() {
    const given = new URLSearchParams(location.hash.slice(1));
    return given.has("list") ? { text: given.get("list"), game: given.get("game") || "" } : null;
  }
  function link() {
    const given = new URLSearchParams({ list: list.value.trim() });
    if (gameBox.value) given.set("game", gameBox.value);
    return location.href.split("#")[0] + "#" + given;
  }
  function read() {
    const given = shared() || keptList();
    const own = shared()?.game || new URLSearchParams(location.search).get("game") || given.game;
    list.value = typeof given.text === "string" ? given.text : "";
    gameBox.value = options.some((option) => option.value === own) ? own : "";
    ask();
  }
  let later = 0;
  list.addEventListener("input", () => {
    clearTimeout(later);
    later = setTimeout(ask, REST);
  });
  gameBox.addEventListener("change", ask);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(later);
    $("entry").open = !list.value.trim();
    ask();
  });
  $("print").addEventListener("click", () => window.print());
  $("clear").addEventListener("click", () => {
    list.value = "";
    $("entry").open = true;
    history.replaceState(null, "", location.pathname + location.search);
    ask();
    list.focus();
  });
  $("share").addEventListener("click", async (event) => {
    const button = event.currentTarget,
      label = button.textContent;
    history.replaceState(null, "", link());
    try {
      await navigator.clipboard.writeText(location.href);
    } catch (error) {
      return;
    }
    button.textContent = words.copied;
    setTimeout(() => {
      button.textContent = label;
    }, 2500);
  });
  window.addEventListener("hashchange", read);
  read();
})();
