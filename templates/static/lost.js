// At an address without a page: to the English page, where there is one, or to a search.
(function () {
  "use strict";
  const { $, element, loadScript, root } = window.KB_PAGE;
  const MOST = 5;
  const { lost: languages } = document.querySelector("[data-lost]").dataset;
  const english = location.pathname.replace(new RegExp(`/(${languages})/`), "/");
  if (english !== location.pathname)
    fetch(english, { method: "HEAD" }).then((answer) => answer.ok && location.replace(english));

  // The words of the address are searched for.
  const search = $("lost");
  const name = location.pathname
    .replace(/(\/index)?(\.html)?\/?$/, "")
    .split("/")
    .pop();
  const query = /\p{L}/u.test(name) ? name.replace(/[^\p{L}\p{N}]+/gu, " ").trim() : "";
  $("q").value = query;
  search.href = `${search.getAttribute("href")}?${new URLSearchParams({ q: query })}`;

  // What the search finds is shown at once.
  async function showNear() {
    await loadScript(`${root}/${window.KB_BUILT.search.client}`);
    const { ask, marked, pageOf, ready } = window.KBFind;
    await ready;
    const found = await ask({ text: query, limit: MOST, facets: false });
    const rows = found.hits.map((hit) => {
      const { answer, lang, titles } = hit;
      const title = element("a.row", { href: pageOf(hit) }, titles[lang]);
      return element("li", { lang, data: { ruling: hit.key } }, title, marked(answer, "p.also"));
    });
    const near = $("near");
    near.querySelector("ul").append(...rows);
    near.hidden = !rows.length;
  }
  if (query && window.KB_BUILT) showNear().catch(() => {});
})();
