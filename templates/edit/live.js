// While records are watched: reloads the page after a change of the site, and shows problems in the records.
(function () {
  "use strict";
  const script = document.currentScript,
    revision = Number(script.dataset.revision),
    // Whether the page names files of the search index, which only a build changes.
    isIndexPage = "index" in script.dataset,
    isProblemPage = "problems" in script.dataset;
  const words = JSON.parse(script.dataset.words || "{}");
  // The editor opens in the language chosen on the site.
  try {
    const chosen = localStorage.getItem("kb.lang");
    if (chosen)
      document.cookie =
        "kb-lang=" + encodeURIComponent(chosen) + "; path=/; max-age=31536000; samesite=lax";
  } catch (error) {
    /* private mode: the browser's language */
  }
  const INTERVAL = 1000;
  let tag = null,
    build = Number(script.dataset.build);

  function link(address, text) {
    const element = document.createElement("a");
    element.href = address;
    element.textContent = text;
    return element;
  }
  // The bar at the top: links to the editor, and the problems that stopped the build.
  const bar = document.createElement("div"),
    editLinks = [];
  bar.setAttribute("role", "status");
  if ("editing" in script.dataset) {
    const id = document.querySelector("#pin");
    if (id && /\/rulings\/[a-z0-9-]+\/(index\.html)?$/.test(location.pathname))
      editLinks.push(link("/edit/" + id.dataset.key, words.this));
    editLinks.push(link("/edit/", words.edit));
  }
  function showBar({ problems, count, message }) {
    if (isProblemPage) return;
    const parts = [...editLinks];
    if (problems.length || message) {
      const [{ path, line, message: what } = {}] = problems,
        text = message || window.KB_PAGE.counted(words.problems, count);
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
    if (window.KBFind || !loaded || !window.KB_PAGE) {
      location.reload();
      return;
    }
    const again = document.createElement("script");
    again.src = loaded.src;
    again.onload = window.KB_PAGE.showBuild;
    document.head.append(again);
  }
  async function poll() {
    if (!document.hidden) {
      try {
        // The server answers as soon as the state differs from this page's, or after some seconds.
        const response = await fetch("/live/state" + (tag ? "?after=" + tag : ""), {
            cache: "no-store",
          }),
          state = await response.json();
        const isNewBuild = state.build !== build;
        const outdated = isProblemPage
          ? tag !== null && state.tag !== tag
          : isIndexPage
            ? isNewBuild
            : state.revision !== revision;
        if (outdated) {
          location.reload();
          return;
        }
        if (isNewBuild && !isProblemPage) {
          build = state.build;
          nameBuild();
        }
        if (state.tag !== tag) showBar(state);
        tag = state.tag;
        setTimeout(poll, 0);
        return;
      } catch (error) {
        /* The server is stopped. */
      }
    }
    setTimeout(poll, INTERVAL);
  }
  showBar({ problems: [] });
  poll();
})();
