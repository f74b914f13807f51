// The chips of a card's versions: a chosen one leaves the rulings about that version.
(function () {
  "use strict";
  const sections = document.querySelectorAll("[data-versions]");
  function show() {
    const [, chosen] = /^#v-(\d+)$/.exec(location.hash) ?? [];
    for (const section of sections)
      section.hidden = Boolean(chosen) && !section.dataset.versions.split(" ").includes(chosen);
  }
  window.addEventListener("hashchange", show);
  show();
})();
