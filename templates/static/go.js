// go/?game=swtcg&card=Darth+Sidious+(C): from a name as it stands on a card to the card's page.
(function () {
  "use strict";
  const $ = (id) => document.getElementById(id);
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
  function script(address) {
    return new Promise((done, fail) => {
      const tag = document.createElement("script");
      tag.src = address;
      tag.onload = done;
      tag.onerror = () => fail(new Error(address));
      document.head.append(tag);
    });
  }
  const folder = place.base.replace(/[^/]*$/, "");
  const load = (file, key) => script(folder + file).then(() => shards.get(key));
  const address = (page) => `${place.root}/${place.prefix}${page}`;
  async function go() {
    await Promise.all([place.core, place.script, place.base, node.dataset.deck].map(script));
    const deck = window.KBDeck(
      shards.get("deck-" + game),
      window.KBSearch(shards.get("base"), load),
    );
    const found = await deck.card(name);
    if (found.page) return location.replace(address(found.page));
    say(found.card ? place.none : place.unknown);
    for (const label of found.unknown || []) {
      const item = document.createElement("li"),
        link = document.createElement("a");
      link.textContent = label;
      link.href = "?" + new URLSearchParams({ game, card: label });
      item.append(link);
      $("choices").append(item);
    }
  }
  go().catch((error) => say(String(error)));
})();
