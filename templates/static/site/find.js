// The search box: / and Ctrl+K lead to it, and it answers once it is used.
(function () {
  "use strict";
  const { $, element, keep, kept, loadScript, root, words } = window.KB_PAGE;
  const isSlashOff = () => kept("kb.slash") === "off";
  // On a Cyrillic or Greek layout the keys of K and / give other signs.
  const isLatin = (key) => /^[ -~]$/.test(key);
  const isSlash = ({ key, code }) => key === "/" || (key === "." && code === "Slash");
  function leadsToBox(event) {
    const { key, code, altKey, ctrlKey, metaKey, target } = event;
    if (altKey) return false;
    if (ctrlKey || metaKey) return isLatin(key) ? key.toLowerCase() === "k" : code === "KeyK";
    const isTyping = target.matches("textarea, select, input:not([type=checkbox], [type=radio])");
    return isSlash(event) && !isSlashOff() && !isTyping;
  }
  document.addEventListener("keydown", (event) => {
    const box = $("q");
    if (!box || !leadsToBox(event)) return;
    event.preventDefault();
    box.focus();
    box.select();
  });

  // A key alone can be spoken or pressed by mistake: WCAG 2.1.4.
  const slash = $("slash");
  if (slash) {
    const [off, on] = [slash.textContent, slash.dataset.on];
    const showLabel = () => (slash.textContent = isSlashOff() ? on : off);
    slash.addEventListener("click", () => {
      keep("kb.slash", isSlashOff() ? "" : "off");
      showLabel();
    });
    slash.hidden = false;
    showLabel();
  }

  async function loadSearch({ target: box }) {
    const { client, box: list } = window.KB_BUILT.search;
    try {
      await Promise.all([client, list].map((name) => loadScript(`${root}/${name}`)));
      await window.KBFind.ready;
    } catch (error) {
      delete window.KBFind;
      const why = element("p.label", navigator.onLine ? words.failed : words.unsaved);
      const message = element("div.popup", { role: "status" }, why);
      box.form.append(message);
      // Who comes back to the box tries again.
      function leave() {
        message.remove();
        box.addEventListener("focus", loadSearch, { once: true });
      }
      box.addEventListener("blur", leave, { once: true });
    }
  }
  if (!window.KB_BUILT) return;
  for (const box of document.querySelectorAll(".find[action] [type=search]"))
    box.addEventListener("focus", loadSearch, { once: true });
})();
