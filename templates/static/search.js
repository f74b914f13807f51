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
  const engine = window.KBSearch(data);

  // The language that matched best, and its passage with the most words of the query, as nodes.
  function passage(ruling, answer) {
    let best = null;
    for (const lang of Object.keys(ruling[7])) {
      if (!answer.languages.includes(lang) && Object.keys(ruling[7]).length > 1) continue;
      const text = ruling[7][lang];
      const found = (part) => engine.matches(part, lang, answer.wanted).map((one) => [one.start, one.end, one.word]);
      const places = found(text);
      const count = new Set([...places, ...found(ruling[6][lang])].map((one) => one[2])).size;
      if (!best || count > best.count) best = { lang, text, places, count };
    }
    best = best || { lang: Object.keys(ruling[7])[0], text: Object.values(ruling[7])[0], places: [] };
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

  function row(hit, answer) {
    const ruling = data.rulings[hit.doc];
    const [game, id, address, kind, authority, status, titles] = ruling;
    const item = element("li");
    item.dataset.ruling = game + "/" + id;
    const [lang, snippet] = passage(ruling, answer);
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
    const answer = engine.search(text, gameBox.value);
    const count = answer.total;
    said.textContent = count === 0 ? "Nothing found." : count + (count === 1 ? " ruling" : " rulings") + (answer.relaxed ? "; none has every word" : "") + (count > SHOWN ? ", the first " + SHOWN : "");
    if (answer.suggestion) {
      const link = element("a", answer.suggestion);
      link.href = "?q=" + encodeURIComponent(answer.suggestion);
      said.append(" Did you mean: ", link);
    }
    for (const hit of answer.hits.slice(0, SHOWN)) list.append(row(hit, answer));
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
