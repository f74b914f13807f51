// While records are watched: reloads the page after a change of the site, and shows problems in the records.
(function () {
  "use strict";
  const { $, counted, element, kept, loadScript, showBuild } = window.KB_PAGE;
  const { dataset } = document.currentScript;
  const revision = Number(dataset.revision);
  // Whether the page names files of the search index, which only a build changes.
  const isIndexPage = "index" in dataset;
  const isProblemPage = "problems" in dataset;
  const words = JSON.parse(dataset.words || "{}");
  const INTERVAL = 1000;
  let [tag, build] = [null, Number(dataset.build)];
  // The editor opens in the language chosen on the site.
  const chosen = kept("kb.lang");
  if (chosen)
    document.cookie =
      "kb-lang=" + encodeURIComponent(chosen) + "; path=/; max-age=31536000; samesite=lax";

  // The bar at the top: links to the editor, and the problems that stopped the build.
  const link = (href, text) => element("a", { href }, text);
  const bar = element("div", { role: "status" });
  const pin = $("pin");
  const editLinks = [
    pin && link("/edit/" + pin.dataset.key, words.this),
    link("/edit/", words.edit),
  ].filter((node) => node && "editing" in dataset);
  function showBar({ problems, count, message }) {
    if (isProblemPage) return;
    const parts = [...editLinks];
    if (problems.length || message) {
      const [{ path, line, message: what } = {}] = problems;
      const text = message || counted(words.problems, count);
      parts.unshift(link("/live/problems", text + " ▸"));
      if (what) parts.push(path + ":" + line + ": " + what);
    }
    bar.className = "live-banner" + (parts.length > editLinks.length ? " banner" : "");
    bar.replaceChildren(...parts);
    bar.hidden = !parts.length;
    document.body.prepend(bar);
  }
  // Replaces the previous build's id and search.
  function nameBuild() {
    const loaded = document.querySelector('script[src$="built.js"]');
    if (window.KBFind || !loaded) return location.reload();
    loadScript(loaded.src).then(showBuild);
  }
  async function poll() {
    if (!document.hidden) {
      try {
        // The server answers as soon as the state differs from this page's, or after some seconds.
        const after = tag ? "?after=" + tag : "";
        const response = await fetch("/live/state" + after, { cache: "no-store" });
        const state = await response.json();
        const isNewBuild = state.build !== build;
        const isTagOld = tag !== null && state.tag !== tag;
        const isPageOld = isIndexPage ? isNewBuild : state.revision !== revision;
        if (isProblemPage ? isTagOld : isPageOld) return location.reload();
        if (isNewBuild && !isProblemPage) {
          build = state.build;
          nameBuild();
        }
        if (state.tag !== tag) showBar(state);
        tag = state.tag;
        return setTimeout(poll, 0);
      } catch (error) {
        /* The server is stopped. */
      }
    }
    setTimeout(poll, INTERVAL);
  }
  showBar({ problems: [] });
  poll();
})();
