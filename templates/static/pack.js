// Search inside an event pack: everything is in the page already.
(function () {
  "use strict";
  const box = document.getElementById("q"),
    said = document.getElementById("said"),
    list = document.getElementById("results"),
    found = document.getElementById("found"),
    named = document.getElementById("cards");
  const words = JSON.parse(document.getElementById("words").textContent),
    numbers = JSON.parse(document.getElementById("numbers").textContent);
  // A card's page is its line in the index of cards.
  const base = { ...KB_HELD.get("base"), cardAddress: "#card-{game}-{id}" };
  const engine = KBSearch(base, async (file, name) => KB_HELD.get(name)),
    ui = document.documentElement.lang,
    plural = new Intl.PluralRules(ui);
  let asked = 0;
  function element(name, text) {
    const node = document.createElement(name);
    node.textContent = text;
    return node;
  }
  function row(hit) {
    const item = element("li", ""),
      head = element("h2", ""),
      link = element("a", numbers[hit.key] + " " + hit.titles[hit.lang]);
    item.dataset.ruling = hit.key;
    item.lang = hit.lang;
    link.href = "#r" + numbers[hit.key];
    head.append(link);
    const snippet = element("p", "");
    hit.snippet.forEach(
      (piece, at) => piece && snippet.append(at % 2 ? element("mark", piece) : piece),
    );
    item.append(head, snippet);
    return item;
  }
  const counted = (count) => {
    const forms = words.found,
      at = { one: 0, few: 1 }[plural.select(count)] ?? forms.length - 1;
    return forms[Math.min(at, forms.length - 1)].replace("{n}", count);
  };
  // A guess is labelled as one, and not counted as an answer.
  function label(answer) {
    const total = answer.total ? counted(answer.total) : words.nothing;
    said.textContent =
      { most: `${total} ${words.relaxed}`, near: words.near }[answer.match] || total;
    said.dataset.match = answer.match;
    if (answer.searchedFor)
      said.prepend(words.searched + " ", element("b", answer.searchedFor), ". ");
    if (!answer.suggestion) return;
    const better = element("button", answer.suggestion);
    better.className = "plain";
    better.type = "button";
    better.addEventListener("click", () => {
      box.value = answer.suggestion;
      show(false);
      box.focus();
    });
    said.append(" " + words.meant + " ", better);
  }
  function cards(list) {
    named.firstElementChild.replaceChildren(
      ...list.map(({ game, name, rulings, address }) => {
        const item = element("li", ""),
          link = element(address ? "a" : "span", name);
        if (address) link.href = address;
        item.append(
          link,
          ` · ${words.games[game]}, ${rulings ? counted(rulings) : words.noruling}`,
        );
        return item;
      }),
    );
    named.hidden = !list.length;
  }
  async function show(typing) {
    const mine = ++asked,
      text = box.value.trim();
    found.hidden = !text;
    if (!text) return;
    const answer = await engine.answer({ text, limit: 20, typing, ui }, () => mine === asked);
    if (!answer || mine !== asked) return;
    label(answer);
    cards(answer.cards);
    list.replaceChildren(...answer.hits.map(row));
    found.dataset.state = "done";
  }
  box.addEventListener("input", () => show(true));
  document.getElementById("search").addEventListener("submit", (event) => {
    event.preventDefault();
    show(false);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.activeElement === box) {
      box.value = "";
      show(false);
    }
  });
})();
