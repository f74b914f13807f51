// Search inside an event pack: everything is in the page already.
(function () {
  "use strict";
  const box = document.getElementById("q"), said = document.getElementById("said"), list = document.getElementById("results"), found = document.getElementById("found");
  const words = JSON.parse(document.getElementById("words").textContent), numbers = JSON.parse(document.getElementById("numbers").textContent);
  const engine = KBSearch(KB_HELD.get("base"), async (file, name) => KB_HELD.get(name)), ui = document.documentElement.lang, plural = new Intl.PluralRules(ui);
  let asked = 0;
  function element(name, text) {
    const node = document.createElement(name);
    node.textContent = text;
    return node;
  }
  function row(hit) {
    const item = element("li", ""), head = element("h2", ""), link = element("a", numbers[hit.key] + " " + hit.titles[hit.lang]);
    item.dataset.ruling = hit.key;
    item.lang = hit.lang;
    link.href = "#r" + numbers[hit.key];
    head.append(link);
    const snippet = element("p", "");
    hit.snippet.forEach((piece, at) => piece && snippet.append(at % 2 ? element("mark", piece) : piece));
    item.append(head, snippet);
    return item;
  }
  async function show(typing) {
    const mine = ++asked, text = box.value.trim();
    found.hidden = !text;
    if (!text) return;
    const answer = await engine.answer({ text, limit: 20, typing, ui }, () => mine === asked);
    if (!answer || mine !== asked) return;
    const forms = words.found, at = { one: 0, few: 1 }[plural.select(answer.total)] ?? forms.length - 1;
    said.textContent = (answer.total ? forms[Math.min(at, forms.length - 1)].replace("{n}", answer.total) : words.nothing) + (answer.relaxed ? " " + words.relaxed : "");
    list.replaceChildren(...answer.hits.map(row));
    found.dataset.state = "done";
  }
  box.addEventListener("input", () => show(true));
  document.getElementById("search").addEventListener("submit", (event) => { event.preventDefault(); show(false); });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.activeElement === box) { box.value = ""; show(false); }
  });
})();
