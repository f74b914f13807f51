// On the pages of problems and of the editor: the language is chosen for the site too.
(function () {
  "use strict";
  for (const link of document.querySelectorAll("#settings a"))
    link.addEventListener("click", () => window.KB_PAGE.keep("kb.lang", link.hreflang));
})();
