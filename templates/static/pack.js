// Search inside an event pack: everything is in the page already.
(function () {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const ids = ["q", "said", "results", "found", "cards", "back"];
  const [box, said, list, found, named, back] = ids.map($);
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
  function verdictOf({ lang, verdict, when = {} }) {
    if (!verdict) return [];
    const { [verdict]: name } = words.verdict;
    const condition = when[lang] ?? Object.values(when)[0];
    const about = condition ? [": ", element("span", {}, condition)] : [];
    const className = `verdict verdict-${name ? verdict : "number"}`;
    const word = element("b", { lang: ui }, name ?? verdict);
    return [element("p", {}, element("span", { className }, word, ...about))];
  }
  function row(hit) {
    const { key, lang, snippet, titles } = hit;
    const href = "#r" + numbers[key];
    const link = element("a", { href }, `${numbers[key]} ${titles[lang]}`);
    const pieces = snippet.map((piece, at) => (at % 2 ? element("mark", {}, piece) : piece));
    const parts = [element("h2", {}, link), ...verdictOf(hit), element("p", {}, ...pieces)];
    const item = element("li", { lang }, ...parts);
    item.dataset.ruling = key;
    return item;
  }
  function counted(count, forms = words.found) {
    const at = { one: 0, few: 1 }[plural.select(count)] ?? Infinity;
    return forms[Math.min(at, forms.length - 1)].replace("{n}", count);
  }
  // How sure the answer is, and how many rulings are full matches.
  function label({ heading, hits, match, partial, searchedFor, suggestion, total }) {
    const count = total ? counted(total, partial ? words.full : words.found) : "";
    const parts = hits.length ? [words[heading], count] : [words.nothing];
    said.dataset.match = match;
    said.textContent = parts.filter(Boolean).join(" · ");
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
    const link = element("a", { href: address }, name);
    return element("li", {}, link, ` · ${words.games[game]}, ${counted(rulings)}`);
  }
  let asked = 0;
  async function show(typing) {
    const mine = ++asked;
    const text = box.value.trim();
    back.hidden = found.hidden = !text;
    if (!text) return;
    // Somebody may have scrolled down to a ruling.
    window.scrollTo({ top: 0, behavior: "instant" });
    const answer = await engine.answer({ text, limit: 20, typing, ui }, () => mine === asked);
    if (!answer || mine !== asked) return;
    label(answer);
    // Only cards with rulings are in the index of cards.
    const cards = answer.cards.filter(({ rulings }) => rulings);
    named.firstElementChild.replaceChildren(...cards.map(card));
    named.hidden = !cards.length;
    const rows = answer.hits.map(row);
    const parting = element("li", { className: "parting" }, words.partial);
    if (answer.total && answer.total < rows.length) rows.splice(answer.total, 0, parting);
    list.replaceChildren(...rows);
    found.dataset.state = "done";
  }
  box.addEventListener("input", () => show(true));
  // Leads to the first result; the link above the page leads back to all.
  $("search").addEventListener("submit", async (event) => {
    event.preventDefault();
    await show(false);
    const first = list.querySelector("a");
    // A guess, or a word that may be mistyped: the reader chooses.
    if (!first || said.dataset.match === "near" || said.querySelector("button")) return;
    box.blur();
    location.hash = first.hash;
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    box.value = "";
    show(false);
  });

  // The contents are folded on a narrow screen; paper and a wide screen have them whole.
  const wide = matchMedia("(min-width: 60rem)");
  function openFolds() {
    for (const part of document.querySelectorAll(".part")) part.open = wide.matches;
  }
  wide.addEventListener("change", openFolds);
  openFolds();
})();
