// What is shown before anything is painted: the reader's theme, originals, and on the front page the
// game of the ruling that was read last.
(function () {
  "use strict";
  const { dataset: shown, style } = document.documentElement;
  const ROWS = 6;
  const listed = (name) => JSON.parse(localStorage.getItem(name)) || [];
  function openGame() {
    const viewed = listed("kb.viewed");
    const keys = [...listed("kb.pins"), ...viewed].map(({ key }) => key);
    shown.home = shown.game = viewed[0].key.split("/")[0];
    shown.viewed = "";
    // Room for the list of rulings that another script fills in.
    style.setProperty("--rows", Math.min(ROWS, new Set(keys).size));
  }
  try {
    const theme = localStorage.getItem("kb.theme");
    if (theme === "light" || theme === "dark") shown.theme = theme;
    shown.originals = localStorage.getItem("kb.originals") || "";
    if ("home" in shown) openGame();
  } catch (error) {
    // In private mode, or when nothing was read yet: the system's theme, all games.
  }
})();
