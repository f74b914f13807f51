// A panel for the links of a page: KBPanel(panel, options). It opens while the mouse or the focus rests
// on a link, and by a tap; the mouse or the focus elsewhere, a press or Escape closes it. Browsers
// without popovers, those before 2024, follow the links.
// linkAt(node): the link that a node belongs to. fill(link): {label, content} of its panel, or a promise
// of it; without it the link is followed. put(link): puts the panel into the page. delay: how long in
// ms the mouse must rest. opensByMouse: a press with the mouse opens the panel, too.
"use strict";
globalThis.KBPanel = function KBPanel(panel, { linkAt, fill, put, delay, opensByMouse }) {
  const REST = 500;
  const GAP = 8;
  // The link whose panel is open, the one whose panel is on its way, the one that was open when a press
  // began, which may have closed it.
  let [opener, wanted, pressed] = [null, null, null];
  let [waiting, isTouch] = [0, false];
  const isMouse = (event) => event.pointerType === "mouse";
  function later(time, action, link) {
    clearTimeout(waiting);
    waiting = setTimeout(action, time, link);
  }
  const close = () => opener && panel.hidePopover();
  const leave = (event) => isMouse(event) && later(REST, close);

  // Whether nothing but what the link stands in is where a panel would be.
  function isFree(link, left, top, width, height) {
    const isEmpty = (x, y) => document.elementFromPoint(x, y)?.contains(link);
    panel.style.pointerEvents = "none";
    const corners = [left, left + width].flatMap((x) => [top, top + height].map((y) => [x, y]));
    const areEmpty = corners.every(([x, y]) => isEmpty(x, y));
    panel.removeAttribute("style");
    return areEmpty;
  }
  // Beside the paragraph of its link if there is room, else below it, else above it: what it explains
  // stays to be read, and so does what stands before, such as a verdict, where that is possible.
  function place(link) {
    const line = link.getClientRects()[0] || link.getBoundingClientRect();
    const text = link.parentElement.closest("p, li, dd, td")?.getBoundingClientRect() || line;
    panel.removeAttribute("style");
    const { width, height, top: edge } = panel.getBoundingClientRect();
    // A sheet at the bottom of a phone: the text moves out of its way, but not below the header.
    if (getComputedStyle(panel).position === "fixed") {
      const header = parseFloat(getComputedStyle(link).scrollMarginTop);
      const covered = Math.min(text.bottom + GAP - edge, text.top - GAP - header);
      if (covered > 0) scrollBy({ top: covered, behavior: "instant" });
      return;
    }
    const move = (left, top) =>
      Object.assign(panel.style, { left: `${scrollX + left}px`, top: `${scrollY + top}px` });
    const lowest = innerHeight - height - GAP;
    const rightmost = document.documentElement.clientWidth - width - GAP;
    const [beside, level] = [text.right + GAP, Math.max(GAP, Math.min(line.top, lowest))];
    if (beside <= rightmost && isFree(link, beside, level, width, height))
      return move(beside, level);
    const left = Math.max(GAP, Math.min(line.left, rightmost));
    const above = [text, line].map(({ top }) => top - height - GAP / 2);
    const below = [text, line].map(({ bottom }) => bottom + GAP / 2);
    const fits = (top) => top >= GAP && top <= lowest;
    move(left, [below[0], above[0], below[1], above[1]].find(fits) ?? below[1]);
  }
  // Whether there is a panel.
  async function open(link) {
    clearTimeout(waiting);
    if (opener === link) return true;
    wanted = link;
    const filled = await fill(link);
    // Meanwhile the reader may have gone on.
    if (wanted !== link) return true;
    if (!filled) return false;
    close();
    panel.replaceChildren(...filled.content);
    panel.setAttribute("aria-label", filled.label);
    put(link);
    opener = link;
    link.setAttribute("aria-expanded", true);
    panel.showPopover();
    place(link);
    return true;
  }
  panel.addEventListener("beforetoggle", ({ newState }) => {
    if (newState === "open") return;
    // The link is still the opener: the focus must not open its panel again.
    if (panel.contains(panel.getRootNode().activeElement)) opener.focus();
    opener.setAttribute("aria-expanded", false);
    opener = wanted = null;
  });

  panel.addEventListener("pointerenter", () => clearTimeout(waiting));
  panel.addEventListener("pointerleave", leave);
  document.addEventListener("pointerover", (event) => {
    const link = linkAt(event.target);
    if (!link || !isMouse(event)) return;
    later(delay, open, link);
    link.addEventListener("pointerleave", leave, { once: true });
  });
  document.addEventListener("focusin", ({ target }) => {
    const link = linkAt(target);
    if (link && link.matches(":focus-visible")) open(link);
  });
  const isInside = (node) => node === opener || (panel.getRootNode().host || panel).contains(node);
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    if (target === wanted) wanted = null;
    if (opener && isInside(target) && relatedTarget && !isInside(relatedTarget)) close();
  });
  document.addEventListener("pointerdown", (event) => {
    [pressed, isTouch] = [opener, !isMouse(event)];
  });
  document.addEventListener("click", async (event) => {
    const link = linkAt(event.target);
    const isFollowed = !opensByMouse && (!isTouch || link === pressed);
    if (!link || isFollowed || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const isOpen = await open(link);
    if (!isOpen) location.href = link.href;
    else if (event.detail === 0) panel.querySelector("a").focus(); // from the keyboard
  });
};
