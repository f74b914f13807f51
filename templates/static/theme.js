// The reader's theme, before anything is painted.
(function () {
  "use strict";
  try {
    const theme = localStorage.getItem("kb.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch (error) {
    /* private mode: the system's theme */
  }
})();
