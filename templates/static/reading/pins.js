// Rulings that are pinned, and those that were viewed last, on this device.
(function () {
  "use strict";
  const { $, element, keep, kept, keptList, nameScope, root } = window.KB_PAGE;
  const { set, titled, verdictTile, words } = window.KB_PAGE;
  const MOST_VIEWED = 20;
  const home = new URL(root + "/", location.href).href;
  const isText = (value) => typeof value === "string";
  const isRow = (row) =>
    [row?.address, row?.title, row?.key].every(isText) && (isText(row.verdict) || !row.verdict);
  const keepList = (name, rows) => keep(name, JSON.stringify(rows));

  const text = document.querySelector(".ruling .text");
  const pin = $("pin");
  if (text && pin && location.href.startsWith(home)) {
    const here = {
      address: location.href.split(/[?#]/)[0].slice(home.length),
      title: text.querySelector("h1").textContent,
      lang: text.lang,
      key: pin.dataset.key,
      verdict: pin.dataset.verdict,
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

  // ---- the lists of pages ----
  // Pinned rulings stand first; each ruling once.
  for (const section of document.querySelectorAll("[data-list]")) {
    const lists = section.dataset.list.split(" ");
    const isInside = (row) => isRow(row) && !/^[a-z]+:|^\/\//i.test(row.address);
    const listed = lists.flatMap((list) =>
      keptList(list, isInside).map((row) => ({ ...row, isPinned: list === "kb.pins" })),
    );
    const isFirst = ({ key }, at) => listed.findIndex((row) => row.key === key) === at;
    const rows = listed.filter(isFirst).slice(0, section.dataset.most);
    const items = rows.map(({ address, key, title, lang, verdict, isPinned }) => {
      const [game] = key.split("/");
      const isOther = game !== document.documentElement.dataset.game;
      const glyph = isOther && [element("span.glyph"), " "];
      const mark = isPinned && element("span.icon.pin", { ariaHidden: "true" });
      const tile = verdictTile(words.verdict, { verdict });
      const row = element("a.row", { href: home + address }, mark, glyph, titled(title, lang));
      return element("li", { data: { game } }, row, tile && element("span.marks", tile));
    });
    section.hidden = !rows.length;
    section.querySelector("ul").append(...items);
    const text = rows.map((row) => `- ${row.title}\n  ${home}${row.address}\n`).join("");
    const [copy, clear] = section.querySelectorAll("button");
    copy.dataset.copy = text;
    const [label, before] = [clear.textContent, lists.map((list) => kept(list))];
    let isCleared = false;
    clear.addEventListener("click", () => {
      isCleared = !isCleared;
      lists.forEach((list, at) => keep(list, isCleared ? "[]" : before[at]));
      clear.textContent = isCleared ? clear.dataset.undo : label;
      section.querySelector("ul").hidden = copy.hidden = isCleared;
    });
  }

  // ---- the front page opens as the game of the ruling that was read last: see theme.js ----
  const shown = document.documentElement.dataset;
  const [own, sections] = ["main .find [name=game]", ".sections:not([hidden])"].map((part) =>
    document.querySelector(part),
  );
  if (shown.home && own && sections) {
    document.querySelector(".to-all button")?.addEventListener("click", () => {
      own.disabled = true;
      nameScope($("q"), "");
      sections.hidden = true;
      delete shown.game;
      shown.home = "";
      document.querySelector(".tile a").focus();
    });
  }
})();
