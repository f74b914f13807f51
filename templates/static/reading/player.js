// Sharing a ruling, and its answer in large letters for the player across the table; a tap shows the
// next language.
(function () {
  "use strict";
  const { $, button, element, ui } = window.KB_PAGE;
  const [share, present] = ["share", "present"].map($);
  const texts = [...document.querySelectorAll(".ruling .text")];
  if (!share || !present || !texts.length) return;
  const titleOf = (text) => text.querySelector("h1, .title").textContent;
  if (navigator.share) {
    share.hidden = false;
    share.addEventListener("click", () => {
      const text = texts[0].querySelector(".answer").innerText.trim();
      const about = { title: titleOf(texts[0]), text, url: location.href };
      navigator.share(about).catch(() => {});
    });
  }

  // ---- the large view: as large as the screen allows, with the source and a code that opens it ----
  // Two languages together are worth it only while both can be read across a table. Sizes of letters
  // in rem, so that who has set larger ones gets them.
  const [LARGEST, SMALLEST, SMALLEST_OF_TWO, STEP] = [4, 1.375, 2.25, 0.125];
  function answerOf(text) {
    const answer = element("div.large", { lang: text.lang }, [
      ...text.querySelector(".answer").cloneNode(true).childNodes,
    ]);
    for (const link of answer.querySelectorAll("a, .panel"))
      link.replaceWith(link.matches("a:not(.anchor)") ? link.textContent : "");
    for (const part of answer.querySelectorAll("[id]")) part.removeAttribute("id");
    return answer;
  }
  function fit(dialog) {
    const smallest = dialog.querySelector(".large + .large") ? SMALLEST_OF_TWO : SMALLEST;
    for (let size = LARGEST; size >= smallest; size -= STEP) {
      dialog.style.setProperty("--large", `${size}rem`);
      if (dialog.scrollHeight <= dialog.clientHeight) return true;
    }
    return false;
  }
  const nextTo = (text) => texts[(texts.indexOf(text) + 1) % texts.length];
  function show(dialog, text) {
    const { lang } = text;
    const other = nextTo(text);
    const second = other === text ? null : answerOf(other);
    const languages = (texts.length > 1 ? texts : []).map((one) => {
      const label = one.querySelector(".tongue .label").dataset.name;
      const about = { className: "plain", lang: one.lang, "aria-pressed": one === text };
      return button(label, () => show(dialog, one), about);
    });
    // The facts may be folded, and have no rendered text.
    const CITED = ".facts .source li:first-child :is(a:first-child > :first-child, li > .also)";
    const cited = [...document.querySelectorAll(CITED)].map((part) => part.textContent);
    const source = cited.filter(Boolean).join(" · ");
    const code = document.querySelector(".code svg")?.cloneNode(true);
    // An open question has no banner of its own.
    const standing = document.querySelector(".ruling .banner, .standing .unanswered");
    const said = (standing?.querySelector("strong") ?? standing)?.textContent;
    const className = standing?.matches(".banner") ? standing.className : "banner unanswered";
    dialog.replaceChildren(
      ...(said ? [element("p", { className, lang: ui }, element("strong", said))] : []),
      element("h2", { lang }, titleOf(text)),
      answerOf(text),
      ...(second ? [second] : []),
      element(
        "div.foot",
        element(
          "div",
          document.querySelector(".standing").cloneNode(true),
          source && element("p.also", source),
          element("p.bar", languages),
        ),
        code,
      ),
      button("×", () => dialog.close(), { className: "close", "aria-label": present.dataset.close }),
    );
    dialog.onclick = ({ target }) => target.closest("button") || show(dialog, nextTo(text));
    // The next language stands below where both have room.
    if (fit(dialog) || !second) return;
    second.remove();
    fit(dialog);
  }
  function open() {
    const dialog = element("dialog.player", { "aria-label": present.textContent });
    const refit = () => fit(dialog);
    // The screen stays on while somebody reads; the browser lets go of it when the page is hidden.
    let lock = null;
    const keepOn = async () =>
      (lock = document.hidden ? null : await navigator.wakeLock?.request("screen").catch(() => {}));
    dialog.addEventListener("close", () => {
      window.removeEventListener("resize", refit);
      document.removeEventListener("visibilitychange", keepOn);
      lock?.release();
      dialog.remove();
      if (history.state?.isPlayer) history.back();
    });
    document.body.append(dialog);
    dialog.showModal();
    show(dialog, texts[0]);
    window.addEventListener("resize", refit);
    document.addEventListener("visibilitychange", keepOn);
    keepOn();
  }
  // The view is an entry of the history, so that Back closes it.
  function follow() {
    const dialog = document.querySelector(".player");
    if (!history.state?.isPlayer) dialog?.close();
    else if (!dialog) open();
  }
  present.addEventListener("click", () => {
    // After a reload the entry is still there.
    if (!history.state?.isPlayer) history.pushState({ isPlayer: true }, "");
    follow();
  });
  window.addEventListener("popstate", follow);
})();
