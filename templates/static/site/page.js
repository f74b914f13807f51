// Every page: language, theme, the search box, copying, offline use. Nothing here is needed to read.
(function () {
  "use strict";
  const { root, ui, english = "" } = document.body.dataset;
  // Terms and provisions are anchors under their own names, whatever these are.
  const $ = (id) => document.querySelector(`#${id}:not(.glossary > div, .provisions > li)`);
  const dataOf = (id) => JSON.parse(document.querySelector(`script#${id}`).textContent);
  const words = dataOf("said-words");
  const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => values[name]);

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

  // ---- scripts, since a page that is opened from a file can fetch nothing ----
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
  const bucketsBeside = (base) => (file) => loadData(base.replace(/[^/]*$/, file));
  // The search in this page, without a worker.
  async function openSearch({ core, base }) {
    const [data] = await Promise.all([loadData(base), loadScript(core)]);
    return window.KBSearch(data, bucketsBeside(base));
  }

  // Some games have no pages in this language, but in English.
  const isEnglish = (game) => ui === "en" || english.split(" ").includes(game);
  const localized = (address) => (isEnglish(address.split("/")[0]) ? "" : ui + "/") + address;
  const pageAt = (address) => `${root}/${localized(address)}`;
  // A link to a ruling by its title in the reader's language, else in English, else in any.
  function linkToRuling(key, titles) {
    const lang = [ui, "en", ...Object.keys(titles)].find((code) => titles[code]);
    const href = pageAt(`${key.replace("/", "/rulings/")}/index.html`);
    return element("a", { href, lang }, titles[lang]);
  }
  const whole = (address) => new URL(address, location.href).href;
  const isFile = location.protocol === "file:";
  const readerLanguages = navigator.languages.map((code) => code.slice(0, 2).toLowerCase());
  // A text as readers compare it, without invisible characters.
  const fold = (text) => KBFold(text.replace(/\p{Cf}/gu, ""));
  // English dates with the day first, as the pages have them.
  const dated = (date) =>
    new Intl.DateTimeFormat(ui === "en" ? "en-GB" : ui, {
      dateStyle: "long",
      timeZone: "UTC",
    }).format(new Date(date));
  const plural = new Intl.PluralRules(ui);
  const { format: number } = new Intl.NumberFormat(ui);
  // A count with its noun, whose forms are those for one, a few and many.
  function counted(forms, count) {
    const at = { one: 0, few: 1 }[plural.select(count)] ?? Infinity;
    return forms[Math.min(at, forms.length - 1)].replace("{n}", number(count));
  }

  // ---- out of the page ----
  function copyOld(text) {
    const area = element("textarea", { value: text });
    const focused = document.activeElement;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    focused.focus();
    return done;
  }
  async function toClipboard(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch (error) {
      return copyOld(text);
    }
  }
  // Copies a text, and says so on the button for a while.
  async function copy(node, text) {
    const label = node.dataset.label || node.textContent;
    node.dataset.label = label;
    if (!(await toClipboard(text))) return;
    set(node, { textContent: words.copied, "aria-live": "polite" });
    setTimeout(() => (node.textContent = label), 2500);
  }
  // Fills in what a reader asks the curators, who may see it at an address: see ask() in
  // _macros.html.
  function fillAsk(title, game, address) {
    const place = $("ask");
    const [link, area] = ["a[data-report]", "textarea"].map((tag) => place.querySelector(tag));
    const url = place.dataset.base + localized(address);
    const text = fill(place.dataset.text, { title, game, url });
    const values = { id: title, title, url, text: text.replaceAll("\n", "\r\n") };
    const value = (_, name) => encodeURIComponent(values[name]);
    if (link) link.href = link.dataset.report.replace(/\{(\w+)\}/g, value);
    else if (area.value !== text) {
      area.value = text;
      area.parentNode.open = false;
    }
    place.hidden = false;
  }
  function saveFile(download, text, type) {
    const href = URL.createObjectURL(new Blob([text], { type }));
    element("a", { href, download }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10000);
  }

  // ---- which build this is: said here, so that a page whose content stays is the same file in every build ----
  let built = null;
  function showBuild() {
    built = window.KB_BUILT;
    const line = $("built");
    if (built && line)
      line.textContent = line.dataset.text
        .replace("{date}", dated(built.date))
        .replace("{build}", built.build);
  }
  showBuild();
  // What other scripts of the pages share.
  const shared = { $, bucketsBeside, button, copy, counted, dataOf, element, fillAsk, fold };
  Object.assign(shared, { keep, kept, keptData, keptList, linkToRuling, loadData, loadScript, number });
  Object.assign(shared, { openSearch, pageAt, readerLanguages, root, saveFile, set, showBuild });
  Object.assign(shared, { ui, words });
  window.KB_PAGE = shared;

  // ---- a page that is in English alone, asked for below another language ----
  const lost = document.querySelector("[data-lost]");
  if (lost) {
    const there = location.pathname.replace(new RegExp(`/(${lost.dataset.lost})/`), "/");
    if (there !== location.pathname)
      fetch(there, { method: "HEAD" }).then((answer) => answer.ok && location.replace(there));
  }

  // ---- the language: a switch keeps the place, the choice is remembered, another language is offered ----
  const tongues = [...document.querySelectorAll(".tongues a")];
  const LANG = "kb.lang";
  for (const link of tongues) {
    const target = link.getAttribute("href");
    const carry = () => (link.href = target + location.search + location.hash);
    for (const type of ["pointerdown", "focus", "click"]) link.addEventListener(type, carry);
    link.addEventListener("click", () => keep(LANG, link.hreflang));
  }
  function settleLanguage() {
    const isFromHere = document.referrer.startsWith(location.origin + "/") && !isFile;
    const chosen = kept(LANG);
    const codes = chosen ? [chosen] : readerLanguages;
    const wanted = codes
      .map((code) => tongues.find((link) => link.hreflang === code))
      .find(Boolean);
    if (!wanted || wanted.hreflang === ui || isFromHere) return;
    const here = location.href.replace(/index\.html$/, "");
    if (chosen && here === whole(root + "/")) location.replace(wanted.href);
    else if (built) offerLanguage(wanted, ...built.languages[wanted.hreflang]);
  }
  function offerLanguage(link, text, yes, no) {
    const { hreflang: lang } = link;
    const href = link.getAttribute("href") + location.search + location.hash;
    const decline = () => {
      keep(LANG, ui);
      box.remove();
    };
    const box = element(
      "aside.toast",
      { lang, "aria-label": text },
      element("p", text),
      element("a", { href, onclick: () => keep(LANG, lang) }, yes),
      button(no, decline, { className: "plain" }),
    );
    document.body.append(box);
    // It covers text that a reader who reads on wants.
    for (const moved of ["touchmove", "wheel"])
      addEventListener(moved, () => box.remove(), { once: true, passive: true });
  }
  settleLanguage();

  // ---- the theme ----
  const themes = $("themes");
  if (themes) {
    const shown = document.documentElement.dataset;
    themes.hidden = false;
    const originals = $("originals");
    originals.checked = kept("kb.originals") === "on";
    originals.addEventListener("change", () => {
      shown.originals = originals.checked ? "on" : "";
      keep("kb.originals", shown.originals);
      originals.dispatchEvent(new CustomEvent("kb-originals", { bubbles: true }));
    });
    for (const choice of themes.querySelectorAll("[name=theme]")) {
      choice.checked = choice.value === (shown.theme || "");
      choice.addEventListener("change", () => {
        keep("kb.theme", choice.value);
        if (choice.value) shown.theme = choice.value;
        else delete shown.theme;
      });
    }
  }
  const menu = $("settings");
  if (menu) {
    document.addEventListener("click", (event) => {
      if (!menu.contains(event.target)) menu.open = false;
    });
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      menu.open = false;
      menu.querySelector("summary").focus();
    });
  }

  // ---- the sections of the game that a page of all games is asked for ----
  const asked = new URLSearchParams(location.search);
  for (const nav of document.querySelectorAll(".sections[hidden]")) {
    nav.hidden = nav.dataset.game !== asked.get("game");
    if (!nav.hidden) document.documentElement.dataset.game = nav.dataset.game;
  }

  // ---- a page that is not there: the words of its address are searched for ----
  const search = $("lost");
  if (search) {
    const part = location.pathname
      .replace(/(\/index)?(\.html)?\/?$/, "")
      .split("/")
      .pop();
    const query = /\p{L}/u.test(part) ? part.replace(/[^\p{L}\p{N}]+/gu, " ").trim() : "";
    $("q").value = query;
    search.href = `${search.getAttribute("href")}?${new URLSearchParams({ q: query })}`;
  }

  // ---- printing: the page's address ----
  const place = $("address");
  window.addEventListener("beforeprint", () => {
    if (place && !place.textContent && !isFile) place.textContent = location.href;
  });

  // ---- the search box: / and Ctrl+K lead to it, and it answers once it is used ----
  function leadsToBox({ key, altKey, ctrlKey, metaKey, target }) {
    if (altKey) return false;
    if (ctrlKey || metaKey) return key.toLowerCase() === "k";
    const isTyping =
      target.isContentEditable ||
      target.matches("textarea, select, input:not([type=checkbox], [type=radio])");
    return key === "/" && kept("kb.slash") !== "off" && !isTyping;
  }
  document.addEventListener("keydown", (event) => {
    const box = $("q");
    if (!box || !leadsToBox(event)) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
  // A key alone can be spoken or pressed by mistake: WCAG 2.1.4.
  const slash = $("slash");
  if (slash) {
    const labels = { off: slash.dataset.on, "": slash.textContent };
    const showLabel = () => (slash.textContent = labels[kept("kb.slash") || ""]);
    slash.addEventListener("click", () => {
      keep("kb.slash", kept("kb.slash") === "off" ? "" : "off");
      showLabel();
    });
    slash.hidden = false;
    showLabel();
  }
  function loadSearch() {
    const scripts = [built.search.client, built.search.box].map((name) => `${root}/${name}`);
    Promise.all(scripts.map(loadScript)).catch(() => {});
  }
  for (const box of built ? document.querySelectorAll(".find[action] [type=search]") : [])
    box.addEventListener("focus", loadSearch, { once: true });

  // ---- what changed since the reader's last event ----
  const since = $("since");
  if (since) {
    const game = $("of-game");
    const hide = () => {
      const isWanted = ({ day, game: own }) => day >= since.value && [own, ""].includes(game.value);
      for (const part of document.querySelectorAll("[data-day]"))
        part.hidden = !isWanted(part.dataset);
      for (const part of document.querySelectorAll("[data-part]"))
        part.hidden = !part.querySelector("[data-day]:not([hidden])");
    };
    since.value = kept("kb.since") || "";
    since.closest("p").hidden = false;
    game.addEventListener("change", hide);
    since.addEventListener("change", () => {
      keep("kb.since", since.value);
      hide();
    });
    hide();
  }

  // ---- copying ----
  for (const acts of document.querySelectorAll(".acts")) acts.hidden = false;
  for (const node of document.querySelectorAll("button[data-copy]"))
    node.addEventListener("click", () => {
      const { copy: said, link, alone } = node.dataset;
      const text = said.trim().replace("{date}", built ? dated(built.date) : "");
      const address = alone === undefined ? link || location.href.split("#")[0] : "";
      copy(node, [text, address].filter(Boolean).join(" "));
    });

  // ---- a text for the curators, which opens and is copied ----
  for (const part of document.querySelectorAll("details.report")) {
    const [summary, said, area] = ["summary", "[role=status]", "textarea"].map((one) =>
      part.querySelector(one),
    );
    const request = said.textContent;
    summary.addEventListener("click", async () => {
      if (part.open) return;
      said.textContent = (await toClipboard(area.value)) ? said.dataset.copied : request;
    });
    area.addEventListener("focus", () => area.select());
  }

  // ---- offline use: visited pages are kept without asking, whole games where one asks for them ----
  const [form, state, notice, bar] = ["offline", "state", "notice", "taken"].map($);
  const offers = [...document.querySelectorAll(".offer")];
  const gamesOf = (offer) => offer.dataset.games.split(" ");
  const canKeep =
    !isFile && "serviceWorker" in navigator && "caches" in window && window.isSecureContext;
  function say(text, name) {
    const asked = offers.filter((offer) => offer.dataset.asked);
    for (const status of [state, ...asked.map((offer) => offer.querySelector("[role=status]"))])
      if (status) set(status, { textContent: text, data: { state: name } });
    if (bar) bar.hidden = true;
  }
  function showStored({ games, uis, date, newer }) {
    for (const offer of offers)
      if (gamesOf(offer).every((game) => games.includes(game)) && uis.includes(ui)) {
        offer.dataset.asked = "yes";
        offer.hidden = false;
        offer.querySelector("button").hidden = true;
      }
    say(fill(words.ready, { date }), "ready");
    if (newer) {
      notice.replaceChildren(
        words.newer + " ",
        element("a", { href: location.href }, words.reload),
      );
      notice.hidden = false;
    }
    if (!form) return;
    $("drop").hidden = false;
    const stored = { game: games, language: uis };
    for (const box of form.querySelectorAll("[type=checkbox]"))
      box.checked = stored[box.name].includes(box.value);
  }
  function onMessage({ data }) {
    if (data.type === "ready") showStored(data);
    else if (data.type === "progress") {
      say(fill(words.take, data), "busy");
      if (bar) set(bar, { max: data.all, value: data.done, hidden: false });
    } else say(words[data.type], data.type);
    if (form && data.type === "removed") $("drop").hidden = true;
  }
  async function register() {
    await navigator.serviceWorker.register(root + "/sw.js", { scope: root + "/" });
    return (await navigator.serviceWorker.ready).active;
  }
  // The page, what it loaded before the worker was there, and the page that says what is stored.
  function visited() {
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
    return [location.href, pageAt("offline/index.html"), ...loaded].map(whole);
  }
  // The search page and what it needs in the language of this page.
  function searchFiles() {
    const { words, terms } = built.search;
    const files = [words[ui], terms[ui]].map((name) => `${root}/${name}`);
    return [pageAt("search/index.html"), ...files].map(whole);
  }
  async function take(games, uis, add) {
    if (navigator.storage && navigator.storage.persist) navigator.storage.persist().catch(() => {});
    try {
      (await register()).postMessage({ type: "take", games, uis, add });
      say(fill(words.take, { done: 0, all: "…" }), "busy");
    } catch (error) {
      say(words.private, "private");
    }
  }
  const chosen = () => ["game", "language"].map((name) => new FormData(form).getAll(name));
  // Without a network, or where archives cannot be opened, nothing is offered for download.
  async function offerDownloads() {
    if (!("DecompressionStream" in window)) return;
    const { archives } = await (await fetch((form || offers[0]).dataset.archives)).json();
    for (const offer of offers) offer.hidden = false;
    const { format } = new Intl.NumberFormat(ui, {
      style: "unit",
      unit: "megabyte",
      maximumFractionDigits: 1,
    });
    const size = (names) => format(names.reduce((sum, name) => sum + archives[name][1], 0) / 1e6);
    const ofGames = (games, uis) => games.flatMap((game) => uis.map((lang) => `${lang}-${game}`));
    const sizeOfAll = (games, uis) => size(["common", ...uis, ...ofGames(games, uis)]);
    for (const offer of offers)
      offer.querySelector(".count").textContent = sizeOfAll(gamesOf(offer), [ui]);
    if (!form) return;
    const submit = form.querySelector("button");
    const show = () => {
      const [games, uis] = chosen();
      for (const node of form.querySelectorAll("[data-size]"))
        node.textContent = size(ofGames([node.dataset.size], uis));
      submit.querySelector(".count").textContent = sizeOfAll(games, uis);
    };
    show();
    submit.disabled = false;
    form.addEventListener("change", show);
  }
  async function sayMissing() {
    const missing = asked.get("missing");
    if (!missing) return;
    const [before, after] = words.missing.split("%(page)s");
    notice.replaceChildren(before, element("a", { href: root + missing }, missing), after);
    notice.className = "notice missing";
    notice.hidden = false;
    form.before(document.querySelector("[data-list]"));
    // The same page may be stored in another language.
    const prefixes = tongues.map(({ hreflang }) => hreflang + "/").join("|");
    const path = missing.replace(new RegExp(`^/(${prefixes})?`), "");
    for (const { hreflang: lang, textContent } of tongues) {
      const href = whole(`${root}/${lang === "en" ? "" : lang + "/"}${path}`);
      if (await caches.match(href, { ignoreSearch: true }))
        notice.append(" ", element("a", { href, lang }, textContent));
    }
  }
  function prepare() {
    const isReader = Boolean(navigator.serviceWorker.controller);
    navigator.serviceWorker.addEventListener("message", onMessage);
    register()
      .then((worker) => {
        worker.postMessage({ type: "visit", addresses: visited() });
        worker.postMessage({ type: "check" });
        if (isReader && built) worker.postMessage({ type: "search", addresses: searchFiles() });
      })
      .catch(() => {});
    if (form || offers.length) offerDownloads().catch(() => {});
    for (const offer of offers)
      offer.querySelector("button").addEventListener("click", () => {
        offer.dataset.asked = "yes";
        take(gamesOf(offer), [ui], true);
      });
    if (!form) return;
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const [games, uis] = chosen();
      take(games, uis.length ? uis : [ui], false);
    });
    $("drop").addEventListener("click", async () =>
      (await register()).postMessage({ type: "remove" }),
    );
    sayMissing();
  }
  // What the worker loads must not hold up a search's first answer.
  function prepareAfterAnswer() {
    const search = $("search");
    if (search?.dataset.state !== "busy") return prepare();
    const observer = new MutationObserver(() => {
      if (search.dataset.state === "busy") return;
      observer.disconnect();
      prepare();
    });
    observer.observe(search, { attributeFilter: ["data-state"] });
  }
  if (canKeep) {
    if (document.readyState === "complete") prepareAfterAnswer();
    else window.addEventListener("load", prepareAfterAnswer);
  } else {
    // The style sheet keeps room for them.
    for (const part of [form, ...offers]) part?.classList.add("impossible");
    const why = isFile ? "files" : "private";
    if (form) say(words[why], why);
  }
})();
