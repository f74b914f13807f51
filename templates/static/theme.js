// The reader's theme, and whether originals are shown, before anything is painted.
(function () {
  "use strict";
  try {
    const theme = localStorage.getItem("kb.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
    document.documentElement.dataset.originals = localStorage.getItem("kb.originals") || "";
  } catch (error) {
    /* private mode: the system's theme */
  }
})();
