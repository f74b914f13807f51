// Sharing a ruling, and its answer in large letters for the player across the table.
(function () {
  "use strict";
  const { $, button, element } = window.KB_PAGE;
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

  function show(dialog, text) {
    const { lang } = text;
    const answer = element("div.large", { lang }, [
      ...text.querySelector(".answer").cloneNode(true).childNodes,
    ]);
    for (const link of answer.querySelectorAll("a, .panel"))
      link.replaceWith(link.matches("a:not(.anchor)") ? link.textContent : "");
    for (const part of answer.querySelectorAll("[id]")) part.removeAttribute("id");
    const others = (texts.length > 1 ? texts : []).map((other) => {
      const label = other.querySelector(".tongue .label").dataset.name;
      const about = { className: "plain", lang: other.lang, "aria-pressed": other === text };
      return button(label, () => show(dialog, other), about);
    });
    const end = button(present.dataset.close, () => dialog.close());
    dialog.replaceChildren(
      element("h2", { lang }, titleOf(text)),
      answer,
      document.querySelector(".standing").cloneNode(true),
      element("p.bar", others, end),
    );
  }
  present.addEventListener("click", () => {
    const dialog = element("dialog.player", { "aria-label": present.textContent });
    show(dialog, texts[0]);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  });
})();
