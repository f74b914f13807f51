// Offline use: the worker, sw.js, keeps the pages that one visits, and the search with them.
(function () {
  "use strict";
  const { $, element, isFile, pageAt, root, ui, whole, words } = window.KB_PAGE;
  // When a search has its first answer, in ms after the page has loaded.
  const ANSWERED = 3000;
  const canKeep = !isFile && "serviceWorker" in navigator;
  async function tell(...messages) {
    await navigator.serviceWorker.register(`${root}/sw.js`, { scope: `${root}/` });
    const { active } = await navigator.serviceWorker.ready;
    for (const message of messages) active.postMessage(message);
  }
  // `hear`: gets what the worker says.
  function hear(onMessage) {
    navigator.serviceWorker.addEventListener("message", ({ data }) => onMessage(data));
  }
  // Nothing of this must hold up what the page itself loads.
  function afterLoad(begin) {
    if (document.readyState === "complete") begin();
    else window.addEventListener("load", begin);
  }
  // Readers of a second page, and those who have searched once, may search without a network.
  let isKept = false;
  function keepSearch() {
    if (isKept || !canKeep || !window.KB_BUILT) return;
    isKept = true;
    tell({ type: "search", addresses: searchFiles() }).catch(() => {});
  }
  window.KB_PAGE.offline = { afterLoad, canKeep, hear, keepSearch, tell };
  if (!canKeep) return;

  // The page, what it loaded before the worker was there, and the page that says what is stored,
  // with its script.
  function visited() {
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name);
    const script = window.KB_BUILT ? [`${root}/${window.KB_BUILT.downloads}`] : [];
    return [location.href, pageAt("offline/index.html"), ...script, ...loaded].map(whole);
  }
  // The search page and what it needs in the language of this page.
  function searchFiles() {
    const { words, terms } = window.KB_BUILT.search;
    const files = [words[ui], terms[ui]].map((name) => `${root}/${name}`);
    return [pageAt("search/index.html"), ...files].map(whole);
  }
  function begin() {
    const isSecond = navigator.serviceWorker.controller;
    tell({ type: "visit", addresses: visited() }, { type: "check" }).catch(() => {});
    if (isSecond) keepSearch();
  }
  hear(({ newer }) => {
    if (!newer) return;
    const reload = element("a", { href: location.href }, words.reload);
    $("notice").replaceChildren(words.newer + " ", reload);
    $("notice").hidden = false;
  });
  // What the worker loads must not hold up a search's first answer.
  afterLoad(() => setTimeout(begin, $("search") ? ANSWERED : 0));
})();
