// Every page: language, theme, the search box, copying, offline use. Nothing here is needed to read.
(function () {
  "use strict";
  const root = document.body.dataset.root,
    words = JSON.parse(document.querySelector("script#said-words").textContent);
  // Terms and provisions are anchors under their own names, whatever these are.
  const $ = (id) => document.querySelector(`#${id}:not(.glossary > div, .provisions > li)`);
  const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => values[name]);
  const kept = (name) => {
    try {
      return localStorage.getItem(name);
    } catch (error) {
      return null;
    }
  };
  const keep = (name, value) => {
    try {
      localStorage.setItem(name, value);
    } catch (error) {
      /* private mode: nothing is kept */
    }
  };
  const ui = document.body.dataset.ui;
  let built = null;
  // English dates with the day first, as the pages have them.
  const dated = (date) =>
    new Intl.DateTimeFormat(ui === "en" ? "en-GB" : ui, {
      dateStyle: "long",
      timeZone: "UTC",
    }).format(new Date(date));
  // ---- which build this is: said here, so that a page whose content stays is the same file in every build ----
  function showBuild() {
    built = window.KB_BUILT;
    const line = $("built");
    if (built && line)
      line.textContent = line.dataset.text
        .replace("{date}", dated(built.date))
        .replace("{build}", built.build);
  }
  const element = (name, text = "", values = {}) =>
    Object.assign(document.createElement(name), { textContent: text, ...values });
  function loadScript(address) {
    return new Promise((done, fail) => {
      const node = element("script", "", { src: address, async: false });
      node.onload = done;
      node.onerror = () => fail(new Error(address));
      document.head.append(node);
    });
  }
  // Some games have no pages in this language, but in English.
  const english = (document.body.dataset.english || "").split(" ");
  const pageAt = (address) =>
    `${root}/${ui === "en" || english.includes(address.split("/")[0]) ? "" : ui + "/"}${address}`;
  // What other scripts of the pages share.
  window.KB_PAGE = { root, words, ui, kept, keep, fill, showBuild, $, element, loadScript, pageAt };
  showBuild();

  // ---- a page that is in English alone, asked for below another language ----
  const lost = document.querySelector("[data-lost]");
  if (lost) {
    const there = location.pathname.replace(new RegExp(`/(${lost.dataset.lost})/`), "/");
    if (there !== location.pathname)
      fetch(there, { method: "HEAD" }).then((answer) => answer.ok && location.replace(there));
  }

  // ---- the language: a switch keeps the place, the choice is remembered, another language is offered ----
  const tongues = [...document.querySelectorAll(".tongues a")];
  for (const link of tongues) {
    const target = link.getAttribute("href");
    const carry = () => {
      link.href = target + location.search + location.hash;
    };
    for (const type of ["pointerdown", "focus", "click"]) link.addEventListener(type, carry);
    link.addEventListener("click", () => keep("kb.lang", link.hreflang));
  }
  const codes = [
    ...new Set((navigator.languages || []).map((code) => code.slice(0, 2).toLowerCase())),
  ];
  const fromOutside =
    !document.referrer.startsWith(location.origin + "/") || location.protocol === "file:";
  function settleLanguage() {
    const chosen = kept("kb.lang"),
      spoken = chosen ? [chosen] : codes;
    const wanted = spoken
      .map((code) => tongues.find((link) => link.hreflang === code))
      .find(Boolean);
    if (!wanted || wanted.hreflang === ui || !fromOutside) return;
    const home = new URL(root + "/", location.href),
      here = location.href.replace(/index\.html$/, "");
    if (chosen && here === home.href) location.replace(wanted.href);
    else if (built && built.languages) offerLanguage(wanted, ...built.languages[wanted.hreflang]);
  }
  function offerLanguage(link, text, yes, no) {
    const box = element("aside", "", { className: "toast", lang: link.hreflang });
    const go = element("a", yes, {
      href: link.getAttribute("href") + location.search + location.hash,
    });
    const stay = element("button", no, { type: "button", className: "plain" });
    box.setAttribute("aria-label", text);
    go.addEventListener("click", () => keep("kb.lang", link.hreflang));
    stay.addEventListener("click", () => {
      keep("kb.lang", ui);
      box.remove();
    });
    box.append(element("p", text), go, stay);
    document.body.append(box);
    // It covers text that a reader who reads on wants.
    for (const moved of ["touchmove", "wheel"])
      addEventListener(moved, () => box.remove(), { once: true, passive: true });
  }
  if (tongues.length) settleLanguage();

  // ---- the theme ----
  const themes = $("themes");
  if (themes) {
    themes.hidden = false;
    const theme = document.documentElement.dataset.theme || "";
    const originals = $("originals");
    originals.checked = kept("kb.originals") === "on";
    originals.addEventListener("change", () => {
      keep("kb.originals", originals.checked ? "on" : "");
      document.documentElement.dataset.originals = originals.checked ? "on" : "";
      originals.dispatchEvent(new CustomEvent("kb-originals", { bubbles: true }));
    });
    for (const button of themes.querySelectorAll("[name=theme]")) {
      button.checked = button.value === theme;
      button.addEventListener("change", () => {
        keep("kb.theme", button.value);
        if (button.value) document.documentElement.dataset.theme = button.value;
        else delete document.documentElement.dataset.theme;
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
  const asked = new URLSearchParams(location.search).get("game");
  for (const nav of document.querySelectorAll(".sections[hidden]")) {
    nav.hidden = nav.dataset.game !== asked;
    if (!nav.hidden) document.documentElement.dataset.game = asked;
  }

  // ---- a page that is not there: the words of its address are searched for ----
  const search = $("lost");
  if (search) {
    const part = location.pathname.replace(/(\/index)?(\.html)?\/?$/, "").split("/").pop();
    const query = /\p{L}/u.test(part) ? part.replace(/[^\p{L}\p{N}]+/gu, " ").trim() : "";
    $("q").value = query;
    const wanted = new URLSearchParams({ q: query });
    search.setAttribute("href", `${search.getAttribute("href")}?${wanted}`);
  }

  // ---- printing: the page's address ----
  const place = $("address");
  if (place)
    window.addEventListener("beforeprint", () => {
      if (!place.textContent && /^http/.test(location.protocol)) place.textContent = location.href;
    });

  // ---- the search box: / and Ctrl+K lead to it, and it answers once it is used ----
  document.addEventListener("keydown", (event) => {
    const chord =
      (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k";
    const slash = event.key === "/" && !event.ctrlKey && !event.altKey && !event.metaKey;
    const typing =
      /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) &&
      !["checkbox", "radio"].includes(event.target.type);
    const box = $("q");
    if (
      !box ||
      !(
        chord ||
        (slash && kept("kb.slash") !== "off" && !typing && !event.target.isContentEditable)
      )
    )
      return;
    event.preventDefault();
    box.focus();
    box.select();
  });
  // A key alone can be spoken or pressed by mistake: WCAG 2.1.4.
  const slashSwitch = $("slash");
  if (slashSwitch) {
    const labels = { "": slashSwitch.textContent, off: slashSwitch.dataset.on };
    const showSwitch = () => {
      slashSwitch.textContent = labels[kept("kb.slash") || ""];
    };
    slashSwitch.addEventListener("click", () => {
      keep("kb.slash", kept("kb.slash") === "off" ? "" : "off");
      showSwitch();
    });
    slashSwitch.hidden = false;
    showSwitch();
  }
  for (const find of document.querySelectorAll(".find[action]")) {
    const box = find.querySelector("input[type=search]");
    if (built && built.search)
      box.addEventListener(
        "focus",
        () => Promise.all(
            ["client", "box"].map((name) => loadScript(root + "/" + built.search[name])),
          ).catch(() => {}),
        { once: true },
      );
  }

  // ---- what changed since the reader's last event ----
  const since = $("since"),
    ofGame = $("of-game");
  if (since) {
    const hide = () => {
      for (const part of document.querySelectorAll("[data-day]"))
        part.hidden =
          part.dataset.day < since.value || ![part.dataset.game, ""].includes(ofGame.value);
      for (const part of document.querySelectorAll("[data-part]"))
        part.hidden = !part.querySelector("[data-day]:not([hidden])");
    };
    since.value = kept("kb.since") || "";
    since.closest("p").hidden = false;
    ofGame.addEventListener("change", hide);
    since.addEventListener("change", () => {
      keep("kb.since", since.value);
      hide();
    });
    hide();
  }

  // ---- copying ----
  for (const acts of document.querySelectorAll(".acts")) acts.hidden = false;
  function copyOld(text) {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const label = button.textContent;
    button.addEventListener("click", async () => {
      const link =
          "alone" in button.dataset ? "" : button.dataset.link || location.href.split("#")[0],
        text = [button.dataset.copy.trim().replace("{date}", built ? dated(built.date) : ""), link]
          .filter(Boolean)
          .join(" ");
      let done = false;
      try {
        await navigator.clipboard.writeText(text);
        done = true;
      } catch (error) {
        done = copyOld(text);
      }
      if (!done) return;
      button.textContent = words.copied;
      button.setAttribute("aria-live", "polite");
      setTimeout(() => {
        button.textContent = label;
      }, 2500);
    });
  }

  // ---- offline use: visited pages are kept without asking, whole games where one asks for them ----
  const form = $("offline"),
    state = $("state"),
    notice = $("notice"),
    bar = $("taken"),
    offers = [...document.querySelectorAll(".offer")];
  const fromFiles = location.protocol === "file:";
  const able =
    !fromFiles && "serviceWorker" in navigator && "caches" in window && window.isSecureContext;
  function say(text, name) {
    for (const status of [
      state,
      ...offers
        .filter((offer) => offer.dataset.asked)
        .map((offer) => offer.querySelector("[role=status]")),
    ]) {
      if (!status) continue;
      status.textContent = text;
      status.dataset.state = name;
    }
  }
  function showStored(stored) {
    for (const offer of offers)
      if (
        offer.dataset.games.split(" ").every((game) => stored.games.includes(game)) &&
        stored.uis.includes(ui)
      ) {
        offer.dataset.asked = "yes";
        offer.hidden = false;
        offer.querySelector("button").hidden = true;
      }
    say(fill(words.ready, { date: stored.date }), "ready");
    if (bar) bar.hidden = true;
    if (!form) return;
    $("drop").hidden = false;
    for (const box of form.querySelectorAll("[name=game]"))
      box.checked = stored.games.includes(box.value);
    for (const box of form.querySelectorAll("[name=language]"))
      box.checked = stored.uis.includes(box.value);
  }
  function onMessage(event) {
    const said = event.data || {};
    if (said.type === "progress") {
      say(fill(words.take, { done: said.done, all: said.all }), "busy");
      if (bar) {
        bar.hidden = false;
        bar.max = said.all;
        bar.value = said.done;
      }
    } else if (said.type === "ready") {
      showStored(said);
      if (said.newer) {
        const link = element("a", words.reload, { href: location.href });
        notice.replaceChildren(words.newer + " ", link);
        notice.hidden = false;
      }
    } else if (said.type === "removed") {
      say(words.removed, "removed");
      $("drop").hidden = true;
    } else if (["full", "broken", "private"].includes(said.type)) {
      say(words[said.type], said.type);
      if (bar) bar.hidden = true;
    }
  }
  async function register() {
    await navigator.serviceWorker.register(root + "/sw.js", { scope: root + "/" });
    return (await navigator.serviceWorker.ready).active;
  }
  // The page, what it loaded before the worker was there, and the page that says what is stored.
  function visited() {
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name),
      offline = (ui === "en" ? "" : ui + "/") + "offline/index.html";
    // What a link of this page leads to and needs, so that it works without a network too.
    const kept = [...document.querySelectorAll("a[data-keep]")].flatMap((link) => [
      link.href.split("?")[0],
      ...link.dataset.keep.split(" ").map((name) => new URL(name, location.href).href),
    ]);
    return [location.href, new URL(root + "/" + offline, location.href).href, ...loaded, ...kept];
  }
  async function send(message) {
    if (navigator.storage && navigator.storage.persist) navigator.storage.persist().catch(() => {});
    try {
      (await register()).postMessage(message);
      say(fill(words.take, { done: 0, all: "…" }), "busy");
    } catch (error) {
      say(words.private, "private");
    }
  }
  // The search page and what it needs in the language of this page.
  function searchFiles() {
    const page = (ui === "en" ? "" : ui + "/") + "search/index.html",
      { words, terms } = built.search;
    return [page, words[ui], terms[ui]].map((name) => new URL(root + "/" + name, location.href).href);
  }
  // Without a network, or where archives cannot be opened, nothing is offered for download.
  async function offerDownloads() {
    if (!("DecompressionStream" in window)) return;
    const source = (form || offers[0]).dataset.archives,
      listed = await (await fetch(source)).json();
    for (const offer of offers) offer.hidden = false;
    if (form) form.querySelector("button").disabled = false;
    const size = (names) => names.reduce((sum, name) => sum + listed.archives[name][1], 0);
    const ofGame = (game) => (lang) => lang + "-" + game;
    const format = (bytes) =>
      new Intl.NumberFormat(ui, {
        style: "unit",
        unit: "megabyte",
        maximumFractionDigits: 1,
      }).format(bytes / 1e6);
    const show = () => {
      const chosen = form && new FormData(form);
      const languages = chosen ? chosen.getAll("language") : [ui];
      for (const node of document.querySelectorAll("[data-size]"))
        node.textContent = format(size(languages.map(ofGame(node.dataset.size))));
      if (chosen) {
        const games = chosen.getAll("game").flatMap((game) => languages.map(ofGame(game)));
        form.querySelector("button .count").textContent = format(
          size(["common", ...languages, ...games]),
        );
      }
      for (const offer of offers) {
        const games = offer.dataset.games.split(" ").map((game) => ofGame(game)(ui));
        offer.querySelector(".count").textContent = format(size(["common", ui, ...games]));
      }
    };
    show();
    if (form) form.addEventListener("change", show);
  }
  async function sayMissing() {
    const missing = new URLSearchParams(location.search).get("missing");
    if (!missing) return;
    const [before, after] = words.missing.split("%(page)s");
    const link = element("a", missing, { href: root + missing });
    notice.replaceChildren(before, link, after);
    notice.className = "notice missing";
    notice.hidden = false;
    form.before(document.querySelector("[data-list]"));
    // The same page may be stored in another language.
    const prefixes = tongues.map(({ hreflang }) => hreflang + "/").join("|");
    const path = missing.replace(new RegExp(`^/(${prefixes})?`), "");
    for (const { hreflang, textContent } of tongues) {
      const href = `${root}/${hreflang === "en" ? "" : hreflang + "/"}${path}`;
      if (await caches.match(new URL(href, location.href).href, { ignoreSearch: true }))
        notice.append(" ", element("a", textContent, { href, lang: hreflang }));
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
    for (const offer of offers) {
      offer.querySelector("button").addEventListener("click", () => {
        offer.dataset.asked = "yes";
        send({ type: "take", games: offer.dataset.games.split(" "), uis: [ui], add: true });
      });
    }
    if (!form) return;
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const chosen = new FormData(form),
        uis = chosen.getAll("language");
      send({ type: "take", games: chosen.getAll("game"), uis: uis.length ? uis : [ui] });
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
  if (able) {
    if (document.readyState === "complete") prepareAfterAnswer();
    else window.addEventListener("load", prepareAfterAnswer);
  } else {
    // The style sheet keeps room for them.
    for (const part of [form, ...offers]) if (part) part.classList.add("impossible");
    if (form) say(fromFiles ? words.files : words.private, fromFiles ? "files" : "private");
  }
})();
