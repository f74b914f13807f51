// Folds: other languages are open on wide screens and in print, and where a link leads.
(function () {
  "use strict";
  const { kept } = window.KB_PAGE;
  const wide = matchMedia("(min-width: 60rem)");
  function openFolds() {
    const isOpen = wide.matches || kept("kb.originals") === "on";
    for (const fold of document.querySelectorAll(".fold")) fold.open = isOpen;
  }
  function openTarget() {
    let target = null;
    try {
      target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch (error) {
      return; // no such place
    }
    const closed = [target?.closest("details"), target?.querySelector("details")].filter(
      (fold) => fold && !fold.open,
    );
    for (const fold of closed) fold.open = true;
    if (closed.length) target.scrollIntoView();
  }
  openFolds();
  wide.addEventListener("change", openFolds);
  document.addEventListener("kb-originals", openFolds);
  window.addEventListener("hashchange", openTarget);
  openTarget();
  window.addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll(".fold, .code")) part.open = true;
  });
})();
