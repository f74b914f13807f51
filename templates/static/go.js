// go/?game=swtcg&card=Darth+Sidious+(C): from a name as it stands on a card to the card's page.
(function () {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const { element, loadScript, pageAt, ui } = window.KB_PAGE;
  const given = new URLSearchParams(location.search),
    place = $("go").dataset;
  const game = given.get("game") || "",
    name = (given.get("card") || "").slice(0, 200);
  const node = [...document.querySelectorAll("#go data")].find((one) => one.value === game);
  const say = (text, card = name) => {
    $("said").textContent = text.replace("{card}", () => card);
    $("said").dataset.state = "done";
  };
  const search = new URLSearchParams({ q: name });
  if (node) search.set("game", game);
  $("search").href += "?" + search;
  if (!node) return say(place.nogame);
  document.querySelector(`[data-of="${game}"]`).hidden = false;

  const shards = new Map();
  window.KB_SHARD = (key, data) => shards.set(key, data);
  const folder = place.base.replace(/[^/]*$/, "");
  const load = (file, key) => loadScript(folder + file).then(() => shards.get(key));
  const row = (...content) => {
    const item = element("li");
    item.append(...content);
    return item;
  };
  // A card without a page: what is known of its versions, and the rules that it brings in.
  async function describe({ name, labels }, deck, engine) {
    $("name").textContent = name;
    await loadScript(node.dataset.facts);
    const known = shards.get("cards-" + game);
    const kinds = labels.flatMap((label) => known.kinds[label].map((at) => known.facts[at]));
    const kind = element("p", [...new Set(kinds)].join(" · "));
    $("face").append(element("p", name), element("span", "", { className: "glyph" }), kind);
    $("face").dataset.side = known.facts[known.kinds[labels[0]].at(-1)];
    $("face").hidden = false;
    const versions = labels.map((label) => {
      const facts = known.cards[label].map((number) => known.facts[number]).join(" · ");
      const outside = known.outside[label];
      const link = { href: outside, className: "outside", rel: "noopener" };
      const title = outside ? element("a", label, link) : element("b", label);
      return row(title, " ", element("span", facts, { className: "also" }));
    });
    $("choices").append(...versions);
    const rules = await engine.buckets.resolve(() =>
      deck.broughtIn([name], ui).map((rule) => {
        const record = engine.buckets.record(deck.numbers.get(rule.id));
        return { ...rule, titles: record ? record[1] : {} };
      }),
    );
    const titled = rules.map(({ id, because, titles }) => {
      const lang = [ui, "en", ...Object.keys(titles)].find((code) => titles[code]);
      const href = pageAt(`${game}/rulings/${id}/index.html`);
      const link = element("a", titles[lang], { href, lang, className: "row" });
      return row(link, " ", element("span", because, { className: "also" }));
    });
    $("brought").querySelector("ul").append(...titled);
    $("brought").hidden = !titled.length;
    const asked = new URLSearchParams({ what: "question", game, card: name });
    $("ask").querySelector("a").href += "?" + asked;
    $("ask").hidden = false;
  }
  async function go() {
    await Promise.all([place.core, place.script, place.base, node.dataset.deck].map(loadScript));
    const engine = window.KBSearch(shards.get("base"), load);
    const deck = window.KBDeck(shards.get("deck-" + game), engine);
    const found = await deck.card(name);
    if (found.page) return location.replace(pageAt(found.page));
    if (found.card) await describe(found, deck, engine);
    say(found.card ? place.none : place.unknown, found.name);
    for (const label of found.unknown || []) {
      const href = "?" + new URLSearchParams({ game, card: label });
      $("choices").append(row(element("a", label, { href })));
    }
  }
  go().catch((error) => say(String(error)));
})();
