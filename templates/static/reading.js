// Pages of rulings: panels of cards and terms, folds, filters, pins, the large view. Nothing here is needed to read.
(function () {
  "use strict";
  const { $, button, element, fold, keep, kept, keptList, linkToRuling } = window.KB_PAGE;
  const { readerLanguages, root, set, ui, words } = window.KB_PAGE;
  // A page as this device keeps it.
  const isRow = (row) => typeof row?.address === "string" && typeof row.title === "string";
  const keepList = (name, rows) => keep(name, JSON.stringify(rows));
  const home = new URL(root + "/", location.href).href;

  // ---- the language that the reader reads better stands first ----
  const texts = [...document.querySelectorAll(".ruling .text")];
  const rank = ({ lang }) => (lang === ui ? -1 : readerLanguages.indexOf(lang) + 1 || 99);
  // Puts a folded text before the first one, which is folded in its place.
  function lead(text, first) {
    const fold = text.querySelector(".fold");
    const title = text.querySelector(".title");
    const heading = first.querySelector("h1");
    const summary = first.querySelector(".tongue .label").textContent;
    heading.replaceWith(element("h2.title", [...heading.childNodes]));
    first.append(
      element("details.fold", element("summary", { lang: ui }, summary), [...first.childNodes]),
    );
    fold.querySelector("summary").remove();
    title.remove();
    fold.replaceWith(element("h1", [...title.childNodes]), ...fold.childNodes);
    first.before(text);
  }
  if (texts.length > 1 && texts[0].lang !== ui) {
    const best = [...texts].sort((one, other) => rank(one) - rank(other))[0];
    if (best !== texts[0]) {
      lead(best, texts[0]);
      texts.splice(texts.indexOf(best), 1);
      texts.unshift(best);
    }
  }

  // ---- folds: the other languages are open on wide screens and in print, and where a link leads ----
  const wide = matchMedia("(min-width: 60rem)");
  function openFolds() {
    const isOpen = wide.matches || kept("kb.originals") === "on";
    for (const fold of document.querySelectorAll(".fold")) fold.open = isOpen;
  }
  function openTarget() {
    let target = null;
    try {
      target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    } catch (error) {
      return; // no such place
    }
    const closed = [target?.closest("details"), target?.querySelector("details")].filter(
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
  if (filter) {
    filter.closest("p").hidden = false;
    const rows = [...document.querySelectorAll("[data-filtered] > *")];
    const contents = rows.map((row) => fold(row.textContent));
    filter.addEventListener("input", () => {
      const wanted = fold(filter.value.trim());
      rows.forEach((row, at) => (row.hidden = !contents[at].includes(wanted)));
      for (const part of document.querySelectorAll("[data-part]")) {
        part.hidden = !part.querySelector("[data-filtered] > :not([hidden])");
        part.open = wanted || wide.matches;
      }
    });
  }

  // ---- panels ----
  const MOST_VERSIONS = 8;
  const MOST_RULINGS = 5;
  // The open panel and the link that it belongs to; the link whose panel is on its way.
  let [panel, opener, wanted, waiting] = [null, null, null, 0];
  function closePanel() {
    clearTimeout(waiting);
    wanted = null;
    if (!panel) return;
    panel.remove();
    opener.removeAttribute("aria-expanded");
    panel = opener = null;
  }
  // The data of a card is the same for all languages, and lies beside the English page.
  const fetched = new Map();
  function cardOf({ href }) {
    const page = href.replace(/#.*/, "").replace(/index\.html$/, "");
    const below = page.slice(home.length).replace(new RegExp(`^${ui}/`), "");
    const load = async () => {
      const answer = await fetch(`${home}${below}index.json`);
      return answer.ok ? answer.json() : null;
    };
    if (!fetched.has(below))
      fetched.set(
        below,
        load().catch(() => null),
      );
    return fetched.get(below);
  }
  const wholePage = (href, text) => element("a.whole", { href }, text);
  function cardPanel({ name, cards, about, mentioned, titles }, link) {
    const versions = cards
      .slice(0, MOST_VERSIONS)
      .map(({ label, sets, type, side }) =>
        element("li", [label, ...sets, type, side].filter(Boolean).join(" · ")),
      );
    if (cards.length > MOST_VERSIONS) versions.push(element("li", "…"));
    const keys = [...about, ...mentioned].slice(0, MOST_RULINGS);
    const rulings = keys.map((key) => element("li", linkToRuling(key, titles[key])));
    return [
      element("p.name", name),
      element("ul", versions),
      rulings.length && element("ul.known", rulings),
      wholePage(link.href, words.card),
    ];
  }
  const termPanel = (link) => [
    element("span", { lang: link.closest("[lang]").lang }, link.dataset.meaning),
    wholePage(link.href, words.term),
  ];
  // Whether there is a panel; false if its card cannot be loaded.
  async function openPanel(link) {
    clearTimeout(waiting);
    if (opener === link) return true;
    wanted = link;
    const isCard = link.matches(".card");
    const card = isCard ? await cardOf(link) : null;
    // While the card was fetched, the reader may have gone on.
    if (wanted !== link) return true;
    if (isCard && !card) return false;
    closePanel();
    opener = link;
    const about = { role: "dialog", lang: ui, "aria-label": card?.name ?? link.textContent };
    panel = element("span.panel", about, card ? cardPanel(card, link) : termPanel(link));
    link.after(panel);
    link.setAttribute("aria-expanded", "true");
    place(panel, link);
    panel.addEventListener("pointerenter", () => clearTimeout(waiting));
    panel.addEventListener("pointerleave", leave);
    panel.addEventListener("focusout", lose);
    return true;
  }
  // Below the line of its link, or above if there is more room.
  function place({ style, offsetWidth, offsetHeight, offsetParent }, link) {
    const box = link.getClientRects()[0] || link.getBoundingClientRect();
    const base = (offsetParent || document.body).getBoundingClientRect();
    const rightmost = document.documentElement.clientWidth - offsetWidth - 8;
    const left = Math.max(8, Math.min(box.left, rightmost));
    const isBelow =
      box.bottom + offsetHeight + 8 < window.innerHeight || box.top < offsetHeight + 8;
    const top = isBelow ? box.bottom + 4 : box.top - offsetHeight - 4;
    style.left = `${left - base.left}px`;
    style.top = `${top - base.top}px`;
  }
  function leave(event) {
    clearTimeout(waiting);
    if (event.pointerType === "mouse") waiting = setTimeout(closePanel, 300);
  }
  // Closes the panel when the focus leaves it for something else.
  function lose({ relatedTarget }) {
    if (panel && relatedTarget && relatedTarget !== opener && !panel.contains(relatedTarget))
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
  const MOST_VIEWED = 20;
  const heading = document.querySelector(".ruling h1");
  const pin = $("pin");
  if (heading && pin && location.href.startsWith(home)) {
    const here = {
      address: location.href.split(/[?#]/)[0].slice(home.length),
      title: heading.textContent,
      lang: texts[0].lang,
      key: pin.dataset.key,
    };
    const isOther = (row) => isRow(row) && row.key !== here.key;
    const isPinned = () => keptList("kb.pins", isRow).some((row) => !isOther(row));
    const label = pin.textContent;
    const showPin = () =>
      set(pin, { "aria-pressed": isPinned(), textContent: isPinned() ? pin.dataset.on : label });
    keepList("kb.viewed", [here, ...keptList("kb.viewed", isOther)].slice(0, MOST_VIEWED));
    showPin();
    pin.addEventListener("click", () => {
      const others = keptList("kb.pins", isOther);
      keepList("kb.pins", isPinned() ? others : [here, ...others]);
      showPin();
    });
  }
  function saveFile(download, text, type) {
    const href = URL.createObjectURL(new Blob([text], { type }));
    element("a", { href, download }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10000);
  }
  for (const section of document.querySelectorAll("[data-list]")) {
    const isInside = (row) => isRow(row) && !/^[a-z]+:|^\/\//i.test(row.address);
    const rows = keptList(section.dataset.list, isInside);
    section.hidden = !rows.length;
    section
      .querySelector("ul")
      .append(
        ...rows.map(({ address, title, lang }) =>
          element("li", element("a.row", { href: home + address, lang }, title)),
        ),
      );
    const text = rows.map((row) => `- ${row.title}\n  ${home}${row.address}\n`).join("");
    const [copy, save, clear] = section.querySelectorAll("button");
    copy.dataset.copy = text;
    save.addEventListener("click", () => saveFile("rulings.txt", text, "text/plain"));
    clear.addEventListener("click", () => {
      keepList(section.dataset.list, []);
      section.hidden = true;
    });
  }

  // ---- sharing, and the answer in large letters for the player across the table ----
  const [share, present] = ["share", "present"].map($);
  if (share && navigator.share) {
    share.hidden = false;
    share.addEventListener("click", () => {
      const text = texts[0].querySelector(".answer").innerText.trim();
      navigator.share({ title: heading.textContent, text, url: location.href }).catch(() => {});
    });
  }
  function showText(dialog, text) {
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
      return button(label, () => showText(dialog, other), about);
    });
    dialog.replaceChildren(
      element("h2", { lang }, text.querySelector("h1, .title").textContent),
      answer,
      document.querySelector(".standing").cloneNode(true),
      element(
        "p.bar",
        others,
        button(present.dataset.close, () => dialog.close()),
      ),
    );
  }
  if (present) {
    present.addEventListener("click", () => {
      const dialog = element("dialog.player", { "aria-label": present.textContent });
      showText(dialog, texts[0]);
      dialog.addEventListener("close", () => dialog.remove());
      document.body.append(dialog);
      dialog.showModal();
    });
  }
})();
