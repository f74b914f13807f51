// Starts the search page's worker, and has it look for what the address asks, while the scripts and
// the style sheet of the page are still on their way. The page takes the worker over: KB_WORKER.
(function () {
  "use strict";
  if (location.protocol === "file:" || !window.Worker) return;
  const links = [...document.querySelectorAll("link[data-search]")];
  const files = Object.fromEntries(links.map((link) => [link.dataset.search, link.href]));
  const asked = new URLSearchParams(location.search);
  const [text, ui] = [(asked.get("q") || "").trim(), document.documentElement.lang];
  // A browser warns of what it loaded ahead and the page itself does not ask for.
  for (const file of Object.values(files))
    fetch(file, { mode: "no-cors", credentials: "include" }).catch(() => {});
  try {
    const worker = new Worker(files.worker);
    const early = { worker, files, isBroken: false };
    worker.onerror = () => (early.isBroken = true);
    worker.postMessage({ base: files.base, core: files.core });
    // The page asks anew, and what was loaded is there.
    if (text && asked.size === 1) worker.postMessage({ number: 0, options: { text, ui } });
    window.KB_WORKER = early;
  } catch (error) {
    // The page finds out by itself that there is no worker.
  }
})();
