// go/?game=swtcg&card=Darth+Sidious+(C): from a name as it stands on a card to the card's page.
(function () {
  "use strict";
  const { $, element, fillAsk, linkToRuling, loadData, loadScript } = window.KB_PAGE;
  const { openSearch, pageAt, set, ui } = window.KB_PAGE;
  // So many versions are a line until they are asked for, as on the pages of cards.
  const FEW = 4;
  const FACTS = ["type", "side", "subtypes"];
  const given = new URLSearchParams(location.search);
  const place = $("go").dataset;
  const game = given.get("game") || "";
  const name = (given.get("card") || "").slice(0, 200);
  const games = [...document.querySelectorAll("#go data")];
  const node = games.find((one) => one.value === game);
  const say = (text, card = name) =>
    set($("said"), { textContent: text.replace("{card}", () => card), data: { state: "done" } });
  const search = new URLSearchParams({ q: name });
  if (node) search.set("game", game);
  $("search").href += "?" + search;
  // To the card in a game, or to the game.
  function linkTo({ value, textContent }) {
    const wanted = "?" + new URLSearchParams({ game: value, card: name });
    const href = name ? wanted : pageAt(`${value}/index.html`);
    const link = element("a.row", { href }, element("span.glyph"), " ", textContent);
    return element("li", { data: { game: value } }, link);
  }
  if (!node) {
    $("choices").append(...games.map(linkTo));
    return say(place.nogame);
  }

  if (!name) return location.replace(pageAt(`${game}/index.html`));

  // ---- a card without a page: its facts and versions, as on the page of a card ----
  const outsideOf = (href, text) => element("a.outside", { href, rel: "noopener" }, text);
  function cardOf({ name, labels }, data) {
    const { cards, facts, labels: called, language, outside, words } = data;
    const versions = labels.map((label) => {
      const [type, side, subtypes, ...sets] = cards[name][label].map((at) => facts[at]);
      return { label, type, side, subtypes, sets: sets.join("; "), href: outside[label] };
    });
    const different = (fact) => [...new Set(versions.map((version) => version[fact]))];
    return {
      name,
      versions,
      different,
      alike: (fact) => (different(fact).length === 1 ? versions[0][fact] : ""),
      titleOf: (fact) => called[fact]?.[ui] ?? called[fact]?.en ?? place[fact],
      // In the reader's words, where the game translates them.
      inWords: (fact, comma = "; ") =>
        fact.split("; ").map((word, at) => [
          at ? comma : "",
          words[word]?.[ui] ?? element("span", { lang: language }, word),
        ]),
    };
  }
  function showFacts({ versions, different, alike, titleOf, inWords }) {
    const shared = versions.length === 1 ? [...FACTS, "sets"] : FACTS;
    const rows = shared
      .filter(alike)
      .map((fact) => element("div", element("dt", titleOf(fact)), element("dd", inWords(alike(fact)))));
    $("facts").append(...rows);
    $("facts").hidden = !rows.length;
    const [href, ...more] = different("href");
    if (!href || more.length) return;
    $("elsewhere").append(outsideOf(href, new URL(href).host));
    $("elsewhere").hidden = false;
  }
  function draw({ name, different, alike, inWords }) {
    const art = element("div.art", element("span.glyph"));
    const [types, sides, subtypes] = FACTS.map((fact) => different(fact).filter(Boolean));
    const kinds = [...types, ...sides].map((fact, at) => [at ? " · " : "", inWords(fact)]);
    const lines = subtypes.length === 1 ? [kinds, inWords(subtypes[0], ", ")] : [kinds];
    $("face").append(element("p", name), art, ...lines.map((line) => element("p", line)));
    set($("face"), { hidden: false, data: { type: alike("type"), side: alike("side") } });
  }
  function showVersions({ versions, different, titleOf, inWords }) {
    const columns = ["sets", ...FACTS.filter((fact) => different(fact).length > 1)];
    const hasOwn = different("href").length > 1;
    const rows = versions.map((version) => {
      const { label, href } = version;
      const title = hasOwn && href ? outsideOf(href, label) : label;
      const cells = columns.map((fact) => element("td", inWords(version[fact])));
      return element("tr", element("th", { scope: "row" }, title), cells);
    });
    const heads = ["card", ...columns].map((fact) => element("th", { scope: "col" }, titleOf(fact)));
    const table = $("variants").querySelector("table");
    table.append(element("thead", element("tr", heads)), element("tbody", rows));
    $("variants").querySelector(".count").textContent = versions.length;
    set($("variants"), { hidden: versions.length === 1, open: versions.length < FEW });
  }
  // The rules that it brings in, and the way to ask for one.
  async function describe({ name, labels }, deck, { loadRulings, ruling }) {
    $("name").textContent = name;
    const card = cardOf({ name, labels }, await loadData(node.dataset.facts));
    showFacts(card);
    draw(card);
    showVersions(card);
    const rules = deck.broughtIn([name], ui);
    const numberOf = ({ id }) => deck.numbers.get(id);
    await loadRulings(rules.map(numberOf));
    const titled = rules.map((rule) => {
      const { key, titles } = ruling(numberOf(rule));
      const link = set(linkToRuling(key, titles), { className: "row" });
      return element("li", link, " ", element("span.also", rule.because));
    });
    $("brought")
      .querySelector("ul")
      .append(...titled);
    $("brought").hidden = !titled.length;
    const address = new URLSearchParams({ game, card: name });
    fillAsk(name, node.textContent, `go/?${address}`);
  }
  async function go() {
    const [engine, data] = await Promise.all([
      openSearch(place),
      loadData(node.dataset.deck),
      loadScript(place.script),
    ]);
    const deck = window.KBDeck(data, engine);
    const found = await deck.card(name);
    if (found.page) return location.replace(pageAt(found.page));
    if (found.card) await describe(found, deck, engine);
    say(found.card ? place.none : place.unknown, found.name);
    for (const label of found.unknown || []) {
      const href = "?" + new URLSearchParams({ game, card: label });
      $("choices").append(element("li", element("a", { href }, label)));
    }
  }
  go().catch((error) => {
    say(place.failed);
    $("said").title = String(error);
  });
})();
