// Search inside an event pack: everything is in the page already.
(function () {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const [box, said, list, found, named] = ["q", "said", "results", "found", "cards"].map($);
  const [words, numbers] = ["words", "numbers"].map((id) => JSON.parse($(id).textContent));
  // A card's page is its line in the index of cards.
  const base = { ...KB_HELD.get("base"), cardAddress: "#card-{game}-{id}" };
  const engine = KBSearch(base, async (file, name) => KB_HELD.get(name));
  const ui = document.documentElement.lang;
  const plural = new Intl.PluralRules(ui);
  function element(name, values, ...content) {
    const node = Object.assign(document.createElement(name), values);
    node.append(...content);
    return node;
  }
  function row({ key, lang, snippet, titles }) {
    const href = "#r" + numbers[key];
    const link = element("a", { href }, `${numbers[key]} ${titles[lang]}`);
    const pieces = snippet.map((piece, at) => (at % 2 ? element("mark", {}, piece) : piece));
    const item = element("li", { lang }, element("h2", {}, link), element("p", {}, ...pieces));
    item.dataset.ruling = key;
    return item;
  }
  function counted(count) {
    const at = { one: 0, few: 1 }[plural.select(count)] ?? Infinity;
    return words.found[Math.min(at, words.found.length - 1)].replace("{n}", count);
  }
  // A guess is labelled as one, and not counted as an answer.
  function label({ match, searchedFor, suggestion, total }) {
    const count = total ? counted(total) : words.nothing;
    const guess = { most: `${count} ${words.relaxed}`, near: words.near }[match];
    said.dataset.match = match;
    said.textContent = guess || count;
    if (searchedFor) said.prepend(words.searched + " ", element("b", {}, searchedFor), ". ");
    if (!suggestion) return;
    const onclick = () => {
      box.value = suggestion;
      show(false);
      box.focus();
    };
    const better = { className: "plain", type: "button", onclick };
    said.append(" " + words.meant + " ", element("button", better, suggestion));
  }
  function card({ game, name, rulings, address }) {
    const link = address ? element("a", { href: address }, name) : element("span", {}, name);
    const count = rulings ? counted(rulings) : words.noruling;
    return element("li", {}, link, ` · ${words.games[game]}, ${count}`);
  }
  let asked = 0;
  async function show(typing) {
    const mine = ++asked;
    const text = box.value.trim();
    found.hidden = !text;
    if (!text) return;
    const answer = await engine.answer({ text, limit: 20, typing, ui }, () => mine === asked);
    if (!answer || mine !== asked) return;
    label(answer);
    named.firstElementChild.replaceChildren(...answer.cards.map(card));
    named.hidden = !answer.cards.length;
    list.replaceChildren(...answer.hits.map(row));
    found.dataset.state = "done";
  }
  box.addEventListener("input", () => show(true));
  $("search").addEventListener("submit", (event) => {
    event.preventDefault();
    show(false);
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    box.value = "";
    show(false);
  });
})();
