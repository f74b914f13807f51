// The language: a switch keeps the place, the choice is remembered, another language is offered.
(function () {
  "use strict";
  const { button, element, isFile, keep, kept, readerLanguages, root, ui, whole } = window.KB_PAGE;
  const LANG = "kb.lang";
  const LOW = 700;
  const tongues = [...document.querySelectorAll(".tongues a")];
  for (const link of tongues) {
    const target = link.getAttribute("href");
    const carry = () => (link.href = target + location.search + location.hash);
    for (const type of ["pointerdown", "focus", "click"]) link.addEventListener(type, carry);
    link.addEventListener("click", () => keep(LANG, link.hreflang));
  }

  function offer(link, text, yes, no) {
    const { hreflang: lang } = link;
    const href = link.getAttribute("href") + location.search + location.hash;
    const decline = () => {
      keep(LANG, ui);
      box.remove();
    };
    const box = element(
      "aside.toast",
      { lang, "aria-label": text },
      element("p", text),
      element("a", { href, onclick: () => keep(LANG, lang) }, yes),
      button(no, decline, { className: "plain" }),
    );
    // On a low screen it would lie over what somebody came to read.
    if (innerHeight < LOW) return document.querySelector("main").append(box);
    document.body.append(box);
    // Who reads on wants the text below it.
    for (const moved of ["touchmove", "wheel"])
      addEventListener(moved, () => box.remove(), { once: true, passive: true });
  }

  const isFromHere = document.referrer.startsWith(location.origin + "/") && !isFile;
  const chosen = kept(LANG);
  const codes = chosen ? [chosen] : readerLanguages;
  const wanted = codes.map((code) => tongues.find((link) => link.hreflang === code)).find(Boolean);
  if (!wanted || wanted.hreflang === ui || isFromHere) return;
  const here = location.href.replace(/index\.html$/, "");
  if (chosen && here === whole(root + "/")) location.replace(wanted.href);
  else if (window.KB_BUILT) offer(wanted, ...window.KB_BUILT.languages[wanted.hreflang]);
})();
