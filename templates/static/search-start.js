// Starts the search page's worker with the query of the address, while the scripts and the style
// sheet of the page still load. The page takes the worker over: KB_WORKER.
(function () {
  "use strict";
  if (location.protocol === "file:") return;
  const links = [...document.querySelectorAll("link[data-search]")];
  const files = Object.fromEntries(links.map((link) => [link.dataset.search, link.href]));
  const asked = new URLSearchParams(location.search);
  const [text, ui] = [(asked.get("q") || "").trim(), document.documentElement.lang];
  // The answer takes the place of the hint, which may be higher than it.
  if (text) document.documentElement.dataset.asked = "";
  // Fetched, since browsers warn of preloaded files that the page itself does not use.
  for (const file of Object.values(files))
    fetch(file, { mode: "no-cors", credentials: "include" }).catch(() => {});
  const worker = new Worker(files.worker);
  window.KB_WORKER = { worker, files };
  worker.onerror = () => (window.KB_WORKER = null);
  worker.postMessage({ base: files.base, core: files.core });
  // The page will ask again, and then the buckets are loaded.
  if (text && asked.size === 1) worker.postMessage({ number: 0, options: { text, ui } });
})();
