// A missing page, on the page on offline use, to which the worker leads: which one
// it is, and where it is stored in another language; a ruling is drawn from the search.
(function () {
  "use strict";
  const { $, element, loadScript, openSearch, pageAt, readerLanguages } = window.KB_PAGE;
  const { root, set, ui, verdictTile, whole, words } = window.KB_PAGE;
  const form = $("offline");
  // What the search knows of a ruling, by its id or a former one; null without such a ruling.
  async function fromIndex(game, id) {
    const { base, core, words } = window.KB_BUILT.search;
    const files = { base: `${root}/${base}`, core: `${root}/${core}` };
    const [engine] = await Promise.all([openSearch(files), loadScript(`${root}/${words[ui]}`)]);
    await engine.buckets.loadKind("d");
    const wanted = Object.entries({ game, id, status: "any" });
    const filters = wanted.map(([name, value]) => ({ name, value }));
    const isWanted = await engine.filters.accepts(filters, []);
    const doc = [...Array(engine.count).keys()].find(isWanted);
    if (doc === undefined) return null;
    await engine.loadRulings([doc]);
    return engine.ruling(doc);
  }
  // The languages of a ruling's texts, that of the missing page first.
  function languagesOf({ texts }, wanted) {
    const rank = (lang) => [wanted, ui, ...readerLanguages, lang].indexOf(lang);
    return Object.keys(texts).sort((one, other) => rank(one) - rank(other));
  }
  function drawn(ruling, codes, elsewhere) {
    const { titles, texts, ends, kind, authority, status, undated } = ruling;
    const names = window.KB_WORDS;
    const standing = Object.entries({ kind, authority, status });
    const isUndated = undated && status === "current" && kind !== "question";
    const paragraphs = (text) => text.split("\n").map((line) => line.trim() && element("p", line));
    const verdict = (lang) => verdictTile(names.verdict, { ...ruling, lang });
    return element(
      "article.ruling",
      element("p.notice.missing", { role: "status" }, words.indexed, elsewhere),
      element(
        "p.standing",
        standing
          .filter(([, value]) => value !== "ruling")
          .map(([name, value]) => element(`span.badge.${name}.${value}`, names[name][value])),
        isUndated && element("span.badge", names.undated),
      ),
      codes.map((lang, at) =>
        element(
          "section.text",
          { lang },
          element(at ? "h2" : "h1", titles[lang]),
          element(
            "div.answer",
            ruling.verdict && element("p", verdict(lang)),
            paragraphs(texts[lang].slice(0, ends[lang])),
          ),
          element("div.more", paragraphs(texts[lang].slice(ends[lang]))),
        ),
      ),
    );
  }
  // Shows in the place of a ruling's page what the search knows of it.
  async function drawRuling(path, wanted, elsewhere) {
    const [, game, id] = /^([^/]+)\/rulings\/([^/]+)\//.exec(path) || [];
    const ruling = id && window.KB_BUILT && (await fromIndex(game, id));
    if (!ruling) return;
    const codes = languagesOf(ruling, wanted);
    document.documentElement.dataset.game = game;
    document.title = ruling.titles[codes[0]];
    $("notice").hidden = true;
    const crumbs = document.querySelector(".crumbs");
    const link = element("a", { href: pageAt(`${game}/index.html`) }, window.KB_WORDS.games[game]);
    crumbs.querySelector("ol").append(element("li", link));
    $("main").replaceChildren(crumbs, drawn(ruling, codes, elsewhere));
  }
  // Links to the same page in the languages in which it is stored.
  async function storedElsewhere(path, tongues) {
    const links = [];
    for (const { hreflang: lang, textContent } of tongues) {
      const page = path.replace(/(^|\/)$/, "$1index.html");
      const href = whole(`${root}/${lang === "en" ? "" : lang + "/"}${page}`);
      links.push(element("a", { href, lang }, textContent));
    }
    return storedOf(links);
  }
  async function storedOf(links) {
    const found = await Promise.all(
      links.map(({ href }) => caches.match(href, { ignoreSearch: true })),
    );
    return links.filter((_, at) => found[at]).flatMap((link) => [" · ", link]);
  }
  // The front page and those of games, as far as they are stored.
  function storedPages() {
    const home = document.querySelector(".crumbs a");
    const games = [...form.querySelectorAll("[name=game]")].map(({ value, labels }) => {
      const href = pageAt(`${value}/index.html`);
      return element("a", { href }, labels[0].children[1].textContent);
    });
    return storedOf([element("a", { href: pageAt("index.html") }, home.textContent), ...games]);
  }
  async function sayMissing(missing) {
    const [before, after] = words.missing.split("%(page)s");
    const notice = set($("notice"), { className: "notice missing", hidden: false });
    const [file, query] = missing.split("?");
    const asked = new URLSearchParams(query).get("q");
    const name = [file.replace(/index\.html$/, ""), asked && `“${asked}”`].filter(Boolean);
    notice.replaceChildren(before, element("a", { href: root + missing }, name.join(" ")), after);
    form.before(document.querySelector("[data-list]"));
    const tongues = [...document.querySelectorAll(".tongues a")];
    const codes = tongues.map(({ hreflang }) => hreflang).join("|");
    const [, lang, path] = new RegExp(`^/(?:(${codes})/)?(.*)`).exec(missing);
    const elsewhere = await storedElsewhere(path, tongues);
    notice.append(...elsewhere);
    const pages = navigator.onLine ? [] : await storedPages();
    if (!navigator.onLine) notice.append(element("br"), words.offline + " ", ...pages.slice(1));
    form.hidden = !navigator.onLine;
    await drawRuling(path, lang || "en", elsewhere);
  }

  const missing = new URLSearchParams(location.search).get("missing");
  if (form && missing) sayMissing(missing).catch(() => {});
})();
