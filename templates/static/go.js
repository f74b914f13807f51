// go/?game=swtcg&card=Darth+Sidious+(C): from a name as it stands on a card to the card's page.
(function () {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const { element, loadScript, pageAt } = window.KB_PAGE;
  const given = new URLSearchParams(location.search),
    place = $("go").dataset;
  const game = given.get("game") || "",
    name = (given.get("card") || "").slice(0, 200);
  const node = [...document.querySelectorAll("#go data")].find((one) => one.value === game);
  const say = (text) => {
    $("said").textContent = text.replace("{card}", () => name);
    $("said").dataset.state = "done";
  };
  const search = new URLSearchParams({ q: name });
  if (node) search.set("game", game);
  $("search").href += "?" + search;
  if (!node) return say(place.nogame);

  const shards = new Map();
  window.KB_SHARD = (key, data) => shards.set(key, data);
  const folder = place.base.replace(/[^/]*$/, "");
  const load = (file, key) => loadScript(folder + file).then(() => shards.get(key));
  async function go() {
    await Promise.all([place.core, place.script, place.base, node.dataset.deck].map(loadScript));
    const deck = window.KBDeck(
      shards.get("deck-" + game),
      window.KBSearch(shards.get("base"), load),
    );
    const found = await deck.card(name);
    if (found.page) return location.replace(pageAt(found.page));
    say(found.card ? place.none : place.unknown);
    for (const label of found.unknown || []) {
      const item = element("li");
      const href = "?" + new URLSearchParams({ game, card: label });
      item.append(element("a", label, { href }));
      $("choices").append(item);
    }
  }
  go().catch((error) => say(String(error)));
})();
