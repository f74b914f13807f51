// Pages of rulings: panels of cards and terms, folds, filters, pins, the large view. Nothing here is needed to read.
(function () {
  "use strict";
  const { root, words, ui, kept, keep, $, element, pageAt } = window.KB_PAGE;
  // Other sites of the same origin may have written something else there.
  const isRow = (row) => row && typeof row.address === "string" && typeof row.title === "string";
  const list = (name) => {
    try {
      return JSON.parse(kept(name) || "[]").filter(isRow);
    } catch (error) {
      return [];
    }
  };
  const home = new URL(root + "/", location.href).href;

  // ---- the language that the reader reads better stands first ----
  const texts = [...document.querySelectorAll(".ruling .text")],
    ranks = (navigator.languages || []).map((code) => code.slice(0, 2).toLowerCase());
  const rank = (text) => (text.lang === ui ? -1 : ranks.indexOf(text.lang) + 1 || 99);
  function lead(text, first) {
    const fold = text.querySelector(".fold"),
      label = first.querySelector(".tongue .label").textContent,
      title = text.querySelector(".title"),
      heading = first.querySelector("h1");
    const newTitle = element("h2", "", { className: "title" }),
      newHeading = element("h1"),
      newFold = element("details", "", { className: "fold" }),
      summary = element("summary", label, { lang: ui });
    newTitle.append(...heading.childNodes);
    newHeading.append(...title.childNodes);
    heading.remove();
    title.remove();
    fold.querySelector("summary").remove();
    newFold.append(summary, newTitle, ...first.childNodes);
    first.append(newFold);
    text.append(newHeading, ...fold.childNodes);
    fold.remove();
    first.before(text);
  }
  if (texts.length > 1 && texts[0].lang !== ui) {
    const best = texts.slice().sort((one, other) => rank(one) - rank(other))[0];
    if (best !== texts[0] && rank(best) < rank(texts[0])) {
      lead(best, texts[0]);
      texts.splice(texts.indexOf(best), 1);
      texts.unshift(best);
    }
  }

  // ---- folds: the other languages are open on wide screens and in print, and where a link leads ----
  const folds = [...document.querySelectorAll(".fold")],
    wide = matchMedia("(min-width: 60rem)");
  function openFolds() {
    for (const fold of folds) fold.open = wide.matches || kept("kb.originals") === "on";
  }
  function openTarget() {
    let target = null;
    try {
      target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch (error) {
      /* no such place */
    }
    if (!target) return;
    const closed = [target.closest("details"), target.querySelector("details")].filter(
      (fold) => fold && !fold.open,
    );
    for (const fold of closed) fold.open = true;
    if (closed.length) target.scrollIntoView();
  }
  openFolds();
  wide.addEventListener("change", openFolds);
  document.addEventListener("kb-originals", openFolds);
  window.addEventListener("hashchange", openTarget);
  openTarget();
  window.addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll(".fold, .code, .said")) part.open = true;
  });

  // ---- filters of long lists ----
  const filter = $("list-filter");
  const folded = (text) =>
    text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "").replace(/ł/g, "l");
  if (filter) {
    filter.closest("p").hidden = false;
    const rows = [...document.querySelectorAll("[data-filtered] > *")].map((row) => [
      row,
      folded(row.textContent),
    ]);
    filter.addEventListener("input", () => {
      const wanted = folded(filter.value.trim());
      for (const [row, text] of rows) row.hidden = !text.includes(wanted);
      for (const part of document.querySelectorAll("[data-part]")) {
        part.hidden = !part.querySelector("[data-filtered] > :not([hidden])");
        part.open = wanted || wide.matches;
      }
    });
  }

  // ---- panels ----
  let panel = null,
    opener = null,
    wanted = null,
    waiting = 0;
  const fetched = new Map(),
    MOST_VERSIONS = 8,
    MOST_RULINGS = 5;
  function closePanel() {
    clearTimeout(waiting);
    wanted = null;
    if (!panel) return;
    panel.remove();
    opener.removeAttribute("aria-expanded");
    panel = opener = null;
  }
  async function cardOf(link) {
    // The data of a card is the same for all languages, and lies beside the English page.
    const page = link.href.replace(/#.*/, "").replace(/index\.html$/, "");
    const below = page.slice(home.length),
      prefix = below.startsWith(ui + "/") ? ui.length + 1 : 0;
    const address = home + below.slice(prefix) + "index.json";
    if (!fetched.has(address))
      fetched.set(
        address,
        fetch(address)
          .then((answer) => (answer.ok ? answer.json() : null))
          .catch(() => null),
      );
    return fetched.get(address);
  }
  const titleOf = (titles) => [ui, "en", ...Object.keys(titles)].find((lang) => titles[lang]);
  function cardPanel(card, link) {
    const parts = [element("p", card.name, { className: "name" })],
      versions = element("ul");
    for (const one of card.cards.slice(0, MOST_VERSIONS))
      versions.append(
        element("li", [one.label, ...one.sets, one.type, one.side].filter(Boolean).join(" · ")),
      );
    if (card.cards.length > MOST_VERSIONS) versions.append(element("li", "…"));
    parts.push(versions);
    const rulings = element("ul", "", { className: "known" });
    for (const key of [...card.about, ...card.mentioned].slice(0, MOST_RULINGS)) {
      const titles = card.titles[key],
        lang = titleOf(titles),
        item = element("li"),
        [game, id] = key.split("/");
      item.append(
        element("a", titles[lang], {
          href: pageAt(`${game}/rulings/${id}/index.html`),
          lang,
        }),
      );
      rulings.append(item);
    }
    if (rulings.children.length) parts.push(rulings);
    parts.push(element("a", words.card, { href: link.href, className: "whole" }));
    return parts;
  }
  async function openPanel(link) {
    clearTimeout(waiting);
    if (opener === link) return true;
    wanted = link;
    const card = link.matches(".card") ? await cardOf(link) : null;
    // While the card was fetched, the reader may have gone on.
    if (wanted !== link) return true;
    if (link.matches(".card") && !card) return false;
    closePanel();
    opener = link;
    panel = element("span", "", { className: "panel", lang: ui });
    panel.setAttribute("role", "dialog");
    panel.setAttribute("aria-label", card ? card.name : link.textContent);
    if (card) panel.append(...cardPanel(card, link));
    else
      panel.append(
        element("span", link.dataset.meaning, { lang: (link.closest("[lang]") || {}).lang || ui }),
        element("a", words.term, { href: link.href, className: "whole" }),
      );
    link.after(panel);
    link.setAttribute("aria-expanded", "true");
    const box = link.getClientRects()[0] || link.getBoundingClientRect(),
      base = (panel.offsetParent || document.body).getBoundingClientRect();
    const left = Math.max(
      8,
      Math.min(box.left, document.documentElement.clientWidth - panel.offsetWidth - 8),
    );
    const below =
      box.bottom + panel.offsetHeight + 8 < window.innerHeight || box.top < panel.offsetHeight + 8;
    panel.style.left = `${left - base.left}px`;
    panel.style.top = `${(below ? box.bottom + 4 : box.top - panel.offsetHeight - 4) - base.top}px`;
    panel.addEventListener("pointerenter", () => clearTimeout(waiting));
    panel.addEventListener("pointerleave", leave);
    panel.addEventListener("focusout", lose);
    return true;
  }
  function leave(event) {
    clearTimeout(waiting);
    if (event.pointerType === "mouse") waiting = setTimeout(closePanel, 300);
  }
  function lose(event) {
    if (
      panel &&
      event.relatedTarget &&
      event.relatedTarget !== opener &&
      !panel.contains(event.relatedTarget)
    )
      closePanel();
  }
  const linkAt = (node) =>
    node instanceof Element ? node.closest("a.card, a.term[data-meaning]") : null;
  for (const term of document.querySelectorAll("a.term[title]")) {
    term.dataset.meaning = term.title;
    term.removeAttribute("title");
  }
  document.addEventListener("pointerover", (event) => {
    const link = linkAt(event.target);
    if (!link || event.pointerType !== "mouse" || link === opener) return;
    clearTimeout(waiting);
    waiting = setTimeout(openPanel, 350, link);
    link.addEventListener("pointerleave", leave, { once: true });
  });
  document.addEventListener("focusin", (event) => {
    const link = linkAt(event.target);
    if (link && link.matches(":focus-visible")) openPanel(link);
  });
  document.addEventListener("focusout", (event) => {
    if (event.target === opener) lose(event);
    else if (event.target === wanted) wanted = null;
  });
  let touched = false;
  document.addEventListener("pointerdown", (event) => {
    touched = event.pointerType !== "mouse";
  });
  document.addEventListener("click", async (event) => {
    const link = linkAt(event.target);
    if (!link) {
      if (panel && !panel.contains(event.target)) closePanel();
      return;
    }
    // The first tap opens the panel, a second one follows the link; so does a click.
    if (!touched || link === opener || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (!(await openPanel(link))) location.href = link.href;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !panel) return;
    const back = panel.contains(document.activeElement) ? opener : null;
    closePanel();
    if (back) {
      back.focus();
      closePanel();
    }
  });

  // ---- pins and what was viewed last, on this device ----
  const heading = document.querySelector(".ruling h1"),
    pin = $("pin"),
    MOST_VIEWED = 20;
  const here = heading && {
    address: location.href.split(/[?#]/)[0].slice(home.length),
    title: heading.textContent,
    lang: texts[0].lang,
    key: pin ? pin.dataset.key : "",
  };
  if (here && location.href.startsWith(home)) {
    keep(
      "kb.viewed",
      JSON.stringify(
        [here, ...list("kb.viewed").filter((one) => one.key !== here.key)].slice(0, MOST_VIEWED),
      ),
    );
    const pinned = () => list("kb.pins").some((one) => one.key === here.key);
    const label = pin.textContent;
    const showPin = () => {
      pin.setAttribute("aria-pressed", pinned());
      pin.textContent = pinned() ? pin.dataset.on : label;
    };
    showPin();
    pin.addEventListener("click", () => {
      const others = list("kb.pins").filter((one) => one.key !== here.key);
      keep("kb.pins", JSON.stringify(pinned() ? others : [here, ...others]));
      showPin();
    });
  }
  for (const section of document.querySelectorAll("[data-list]")) {
    const rows = list(section.dataset.list).filter((one) => !/^[a-z]+:|^\/\//i.test(one.address));
    if (!rows.length) continue;
    section.hidden = false;
    for (const row of rows) {
      const item = element("li");
      item.append(
        element("a", row.title, { href: home + row.address, lang: row.lang, className: "row" }),
      );
      section.querySelector("ul").append(item);
    }
    const text = rows.map((row) => `- ${row.title}\n  ${home}${row.address}\n`).join("");
    const [copy, save, clear] = section.querySelectorAll("button");
    copy.dataset.copy = text;
    save.addEventListener("click", () => {
      const link = element("a", "", {
        href: URL.createObjectURL(new Blob([text], { type: "text/plain" })),
        download: "rulings.txt",
      });
      link.click();
      URL.revokeObjectURL(link.href);
    });
    clear.addEventListener("click", () => {
      keep(section.dataset.list, "[]");
      section.hidden = true;
    });
  }

  // ---- sharing, and the answer in large letters for the player across the table ----
  const share = $("share"),
    present = $("present");
  if (share && navigator.share) {
    share.hidden = false;
    share.addEventListener("click", () =>
      navigator
        .share({
          title: heading.textContent,
          text: texts[0].querySelector(".answer").innerText.trim(),
          url: location.href,
        })
        .catch(() => {}),
    );
  }
  function showText(dialog, text) {
    const title = element("h2", text.querySelector("h1, .title").textContent, { lang: text.lang }),
      answer = element("div", "", { className: "large", lang: text.lang });
    answer.append(...text.querySelector(".answer").cloneNode(true).childNodes);
    for (const link of answer.querySelectorAll("a, .panel"))
      link.replaceWith(link.matches("a:not(.anchor)") ? link.textContent : "");
    for (const part of answer.querySelectorAll("[id]")) part.removeAttribute("id");
    const standing = document.querySelector(".standing").cloneNode(true),
      bar = element("p", "", { className: "bar" });
    for (const other of texts.length > 1 ? texts : []) {
      const button = element("button", other.querySelector(".tongue .label").dataset.name, {
        type: "button",
        className: "plain",
        lang: other.lang,
      });
      button.setAttribute("aria-pressed", other === text);
      button.addEventListener("click", () => showText(dialog, other));
      bar.append(button);
    }
    const close = element("button", present.dataset.close, { type: "button" });
    close.addEventListener("click", () => dialog.close());
    bar.append(close);
    dialog.replaceChildren(title, answer, standing, bar);
  }
  if (present) {
    present.hidden = !("HTMLDialogElement" in window);
    present.addEventListener("click", () => {
      const dialog = element("dialog", "", { className: "player" });
      dialog.setAttribute("aria-label", present.textContent);
      showText(dialog, texts[0]);
      dialog.addEventListener("close", () => dialog.remove());
      document.body.append(dialog);
      dialog.showModal();
    });
  }
})();
