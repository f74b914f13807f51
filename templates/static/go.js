// go/?game=swtcg&card=Darth+Sidious+(C): from a name as it stands on a card to the card's page.
(function () {
  "use strict";
  const { $, element, fillAsk, linkToRuling, loadData, loadScript } = window.KB_PAGE;
  const { openSearch, pageAt, set, ui } = window.KB_PAGE;
  // So many versions are a line until they are asked for, as on the pages of cards.
  const FEW = 4;
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

  // A card without a page: what is known of its versions, and the rules that it brings in.
  async function describe({ name, labels }, deck, { buckets }) {
    $("name").textContent = name;
    const { cards, facts, words, kinds, outside } = await loadData(node.dataset.facts);
    const inWords = (fact) =>
      fact
        .split("; ")
        .map((word) => words[word]?.[ui] || word)
        .join("; ");
    const types = labels.flatMap((label) => kinds[label].map((at) => inWords(facts[at])));
    const type = element("p", [...new Set(types)].join(" · "));
    const [kind] = kinds[labels[0]];
    const side = kinds[labels[0]].at(-1);
    const named = name.split(/\s+/).filter((word) => !/^\p{Ll}/u.test(word));
    const initials = named.slice(0, 3).map((word) => word[0]);
    const art = element("div.art", element("span.glyph"));
    set(art, { data: { initials: initials.join("") } });
    $("face").append(element("p", name), art, type);
    set($("face"), { hidden: false, data: { type: facts[kind] || "", side: facts[side] || "" } });
    const versions = labels.map((label) => {
      const known = cards[name][label].map((number) => inWords(facts[number])).join(" · ");
      const href = outside[label];
      const title = href
        ? element("a.outside", { href, rel: "noopener" }, label)
        : element("b", label);
      return element("li", title, " ", element("span.also", known));
    });
    set($("variants"), { hidden: false, open: labels.length < FEW });
    $("variants").querySelector(".count").textContent = labels.length;
    $("variants").querySelector("ul").append(...versions);
    const rules = deck.broughtIn([name], ui);
    const numberOf = ({ id }) => deck.numbers.get(id);
    await buckets.loadDocuments("x", rules.map(numberOf));
    const titled = rules.map((rule) => {
      const { id, because } = rule;
      const [, titles] = buckets.record(numberOf(rule));
      const link = set(linkToRuling(`${game}/${id}`, titles), { className: "row" });
      return element("li", link, " ", element("span.also", because));
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
  go().catch((error) => say(String(error)));
})();
