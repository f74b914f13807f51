// The language that the reader reads better stands first on the page of a ruling.
(function () {
  "use strict";
  const { element, readerLanguages, ui } = window.KB_PAGE;
  const texts = [...document.querySelectorAll(".ruling .text")];
  const rank = ({ lang }) => (lang === ui ? -1 : readerLanguages.indexOf(lang) + 1 || 99);
  const [first] = texts;
  const [best] = [...texts].sort((one, other) => rank(one) - rank(other));
  if (!best || best === first || first.lang === ui) return;
  // The first text is folded in its place.
  const summary = first.querySelector(".tongue .label").textContent;
  const heading = first.querySelector("h1");
  heading.replaceWith(element("h2.title", [...heading.childNodes]));
  first.append(
    element("details.fold", element("summary", { lang: ui }, summary), [...first.childNodes]),
  );
  const fold = best.querySelector(".fold");
  const title = best.querySelector(".title");
  fold.querySelector("summary").remove();
  title.remove();
  fold.replaceWith(element("h1", [...title.childNodes]), ...fold.childNodes);
  first.before(best);
})();
