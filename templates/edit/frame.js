// For every page of the editor: elements, messages, and the language, which is chosen for the site too.
window.KbMake = function (tag, text, name) {
  "use strict";
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  if (name) element.className = name;
  return element;
};
// Messages of a page: `counted` in the plural form of a number, `filled` with values for names.
window.KbWords = function (words) {
  "use strict";
  const ui = document.documentElement.lang,
    plural = new Intl.PluralRules(ui),
    FORMS = { one: 0, few: 1 };
  return {
    counted(name, count) {
      const forms = words[name],
        at = FORMS[plural.select(count)] ?? forms.length - 1;
      return forms[Math.min(at, forms.length - 1)].replace("{n}", count.toLocaleString(ui));
    },
    filled: (name, values) => words[name].replace(/%\((\w+)\)s/g, (_, key) => values[key]),
  };
};
(function () {
  "use strict";
  const menu = document.getElementById("settings");
  for (const link of menu.querySelectorAll("a"))
    link.addEventListener("click", () => {
      try {
        localStorage.setItem("kb.lang", link.hreflang);
      } catch (error) {
        /* private mode: the cookie keeps the language */
      }
    });
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
})();
