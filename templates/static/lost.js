// At an address without a page: to the English page, where there is one, or to a search, in the
// language of the address.
(function () {
  "use strict";
  const { $, element, fold, loadScript, root, showGame, titled, ui } = window.KB_PAGE;
  const MOST = 5;
  const { lost: languages } = document.querySelector("[data-lost]").dataset;
  const home = new URL(`${root}/`, document.baseURI).pathname;
  // The page of a language is opened for an address, which is shown again.
  if (location.hash.startsWith(`#${home}${ui}/`)) history.replaceState(null, "", location.hash.slice(1));
  const english = location.pathname.replace(new RegExp(`/(${languages})/`), "/");
  const [lang] = location.pathname.slice(home.length).split("/");
  const inLanguage = `${home}${lang}/404.html#${location.pathname}`;
  const isOther = lang !== ui && languages.split("|").includes(lang);
  if (english !== location.pathname)
    fetch(english, { method: "HEAD" }).then(({ ok }) => {
      if (ok || isOther) location.replace(ok ? english : inLanguage);
    });

  // The words of the address that name no part of the site are searched for, in its game.
  const FOLDERS = ["cards", "errata", "glossary", "index", "rulings", "sources", "topics"];
  // A parameter is decoded whatever stands in it.
  const path = location.pathname.slice(home.length).replaceAll("&", "%26");
  const parts = new URLSearchParams(`path=${path}`)
    .get("path")
    .split("/")
    .map((part) => part.replace(/\.html$/, ""));
  if (languages.split("|").includes(parts[0])) parts.shift();
  const games = [...document.querySelectorAll("main [data-game]")].map((node) => node.dataset.game);
  const game = games.find((id) => id === parts[0]) || "";
  const name = (game ? parts.slice(1) : parts).filter((part) => !FOLDERS.includes(part)).join(" ");
  const query = /\p{L}/u.test(name) ? name.replace(/[^\p{L}\p{N}]+/gu, " ").trim() : "";
  const [search, box] = ["lost", "q"].map($);
  const wanted = new URLSearchParams({ q: query });
  if (game) {
    wanted.set("game", game);
    showGame(game);
  }
  box.value = query;
  search.href = `${search.getAttribute("href")}?${wanted}`;

  async function showNear() {
    await loadScript(`${root}/${window.KB_BUILT.search.client}`);
    const { ask, cardName, cardPage, marked, pageOf, ready, rulings, verdict } = window.KBFind;
    await ready;
    const filters = game ? [{ name: "game", value: game }] : [];
    const found = await ask({ text: query, filters, limit: MOST, facets: false });
    const bare = (text) => fold(text).replace(/[^\p{L}\p{N}]+/gu, "");
    const isNamed = ({ name, rulings: count }) => count || bare(name) === bare(query);
    const cards = found.cards.filter(isNamed).map((card) => {
      const name = element("a.row", { href: cardPage(card) }, cardName(card));
      const count = element("span.count", rulings(card));
      return element("li", { data: { game: card.game } }, name, " ", count);
    });
    const rows = found.hits.map((hit) => {
      const { answer, lang, titles } = hit;
      const title = element("a.row", { href: pageOf(hit) }, titled(titles[lang], lang));
      const marks = element("span.marks", verdict(hit));
      return element("li", { lang, data: { ruling: hit.key } }, title, marks, marked(answer, "div"));
    });
    const near = $("near");
    near.querySelector("ul").append(...cards, ...rows);
    near.hidden = !cards.length && !rows.length;
  }
  if (query && window.KB_BUILT) showNear().catch(() => {});
})();
