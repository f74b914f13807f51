// What the scripts of a page share: window.KB_PAGE. Nothing of them is needed to read.
(function () {
  "use strict";
  const { root, ui, own = ui, english = "" } = document.body.dataset;
  const ownLanguages = own.split(" ");
  // Terms and provisions are anchors under their own names, whatever these are.
  const $ = (id) => document.querySelector(`#${id}:not(.glossary > div, .provisions > li)`);
  const dataOf = (id) => JSON.parse(document.querySelector(`script#${id}`).textContent);
  const words = window.KB_SAID;
  const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => values[name]);
  // A text as readers compare it, without invisible characters.
  const fold = (text) => KBFold(text.replace(/\p{Cf}/gu, ""));
  const page = (window.KB_PAGE = { $, dataOf, fill, fold, root, ui, words });

  // ---- what this device keeps; nothing in private mode ----
  function kept(name, area = "localStorage") {
    try {
      return window[area].getItem(name);
    } catch (error) {
      return null;
    }
  }
  // Whether it was kept.
  function keep(name, value, area = "localStorage") {
    try {
      window[area].setItem(name, value);
      return true;
    } catch (error) {
      return false;
    }
  }
  // Other sites of the same origin may have written something else there.
  function keptData(name, area) {
    try {
      return JSON.parse(kept(name, area));
    } catch (error) {
      return null;
    }
  }
  const keptList = (name, isItem) => [keptData(name)].flat().filter(isItem);
  Object.assign(page, { keep, kept, keptData, keptList });

  // ---- elements ----
  // element("a.row", { href }, "text", node): a tag with classes, then properties or attributes,
  // texts and nodes. What is empty is left out.
  function element(tag, ...parts) {
    const [name, ...classes] = tag.split(".");
    const node = document.createElement(name);
    if (classes.length) node.className = classes.join(" ");
    for (const part of parts.flat(Infinity).filter(Boolean))
      if (typeof part === "string" || part instanceof Node) node.append(part);
      else set(node, part);
    return node;
  }
  function set(node, { data = {}, ...values }) {
    Object.assign(node.dataset, data);
    for (const [name, value] of Object.entries(values))
      if (name in node) node[name] = value;
      else node.setAttribute(name, value);
    return node;
  }
  const button = (text, onclick, values) =>
    element("button", { type: "button", onclick, ...values }, text);
  // Back on a phone closes what is open, in browsers that know how. Gives a function that ends that.
  function closeOnBack(close) {
    const watcher = window.CloseWatcher && new CloseWatcher();
    watcher?.addEventListener("close", close);
    return () => watcher?.destroy();
  }
  Object.assign(page, { button, closeOnBack, element, set });

  // ---- scripts and their data: a page that is opened from a file can fetch nothing ----
  function loadScript(src) {
    return new Promise((done, fail) => {
      const onerror = () => fail(new Error(src));
      const node = element("script", { async: false, onload: () => done(node), onerror, src });
      document.head.append(node);
    });
  }
  window.KB_SHARD = (name, data) => Object.assign(document.currentScript, { data });
  // The data of a script `KB_SHARD(name, data);`.
  const loadData = async (address) => (await loadScript(address)).data;
  // The search in this page, without a worker.
  async function openSearch({ core, base }) {
    const [data] = await Promise.all([loadData(base), loadScript(core)]);
    return window.KBSearch(data, (file) => loadData(base.replace(/[^/]*$/, file)));
  }
  Object.assign(page, { loadData, loadScript, openSearch });

  // ---- addresses ----
  const isFile = location.protocol === "file:";
  const whole = (address) => new URL(address, location.href).href;
  // Some games have no pages in this language, but in English.
  const isEnglish = (game) => ui === "en" || english.split(" ").includes(game);
  const localized = (address) => (isEnglish(address.split("/")[0]) ? "" : ui + "/") + address;
  const pageAt = (address) => `${root}/${localized(address)}`;
  // The language that a reader reads a ruling in: the own, else English, else any.
  const readIn = (titles) =>
    [...ownLanguages, "en", ...Object.keys(titles)].find((code) => titles[code]);
  function linkToRuling(key, titles) {
    const lang = readIn(titles);
    const href = pageAt(`${key.replace("/", "/rulings/")}/index.html`);
    return element("a", { href }, titled(titles[lang], lang));
  }
  // A title, marked where it is in no language that readers of this page read: title_() in
  // _macros.html.
  const titled = (title, lang) =>
    element(ownLanguages.includes(lang) ? "span" : "span.foreign", { lang }, title);
  // How a ruling stands, where that is not the usual: ruling_row() in _macros.html. `words`: those of
  // kinds, authorities and statuses; a title may begin with the kind: Example: two pilots.
  function badges(words, { kind, authority, status }, title) {
    const badge = (field, value) => element(`span.badge.${field}.${value}`, words[field][value]);
    // Of an open question that is all there is to say.
    const isOpen = kind === "question" && status === "unanswered";
    const isTitled = kind === "ruling" || title.startsWith(words.kind[kind]);
    const nodes = [
      !isTitled && !isOpen && badge("kind", kind),
      authority !== "official" && !isOpen && badge("authority", authority),
      status !== "current" && badge("status", status),
    ];
    return nodes.filter(Boolean).flatMap((node) => [node, " "]);
  }
  // A verdict, with its condition in the reader's language, else in the language shown. `words`: those
  // of verdicts, by verdict.
  function verdictTile(words, { lang, verdict, when = {} }) {
    if (!verdict) return null;
    const code = [ui, lang, ...Object.keys(when)].find((each) => when[each]);
    const about = code ? [": ", element("span", { lang: code }, when[code])] : [];
    const word = element("b", { lang: ui }, words[verdict] ?? verdict);
    return element(`span.verdict.verdict-${words[verdict] ? verdict : "number"}`, word, about);
  }
  Object.assign(page, { badges, isFile, linkToRuling, pageAt });
  Object.assign(page, { readIn, titled, verdictTile, whole });

  // ---- languages, numbers ----
  const readerLanguages = navigator.languages.map((code) => code.slice(0, 2).toLowerCase());
  const plural = new Intl.PluralRules(ui);
  // The first number in the style of a language costs a phone 100 ms.
  const number = (count) => (count < 1000 ? String(count) : count.toLocaleString(ui));
  // A count with its noun, whose forms are those for one, a few and many.
  function counted(forms, count) {
    const at = { one: 0, few: 1 }[plural.select(count)] ?? Infinity;
    return forms[Math.min(at, forms.length - 1)].replace("{n}", number(count));
  }

  // Says which game a search box is limited to, in place of its hint; "" for all games.
  function nameScope(box, game) {
    box.placeholder = game ? `${box.labels[0].textContent}: ${game}` : box.dataset.hint;
  }
  Object.assign(page, { counted, nameScope, number, readerLanguages });

  // ---- which build this is: said here, so that a page whose content stays is the same in every build ----
  page.showBuild = () => {
    const [built, line] = [window.KB_BUILT, $("built")];
    if (!built || !line) return;
    line.textContent = line.dataset.text.replace("{date}", built.dates[ui]);
  };
  page.showBuild();

  // ---- a page of all games that is asked for one game, or opens as it: its sections, and its search ----
  const sections = [...document.querySelectorAll(".sections[hidden]")];
  page.showGame = (game) => {
    const shown = sections.find((nav) => nav.dataset.game === game);
    if (!shown) return;
    for (const nav of sections) nav.hidden = nav !== shown;
    document.documentElement.dataset.game = game;
    for (const crumbs of document.querySelectorAll("[data-of]"))
      crumbs.hidden = crumbs.dataset.of !== game;
    const form = document.querySelector(".find[action]");
    if (!form) return;
    form.querySelector("[name=game]")?.remove();
    if (sections.length > 1)
      form.prepend(element("input", { type: "hidden", name: "game", value: game }));
    nameScope($("q"), shown.getAttribute("aria-label"));
  };
  const { home } = document.documentElement.dataset;
  page.showGame(home || new URLSearchParams(location.search).get("game"));

  // ---- printing: the page's address ----
  const place = $("address");
  window.addEventListener("beforeprint", () => {
    if (place && !place.textContent && !isFile) place.textContent = location.href;
  });
})();
