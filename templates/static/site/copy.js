// Copies citations, links and lists, and texts for the curators.
(function () {
  "use strict";
  const { $, element, fill, pageAt, set, ui, whole, words } = window.KB_PAGE;
  function copyOld(text) {
    const area = element("textarea", { value: text });
    const focused = document.activeElement;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    focused.focus();
    return done;
  }
  // Whether a text could be copied.
  async function toClipboard(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch (error) {
      return copyOld(text);
    }
  }
  // Copies a text, and says so on the button for a while. Whether it could be copied.
  async function copy(node, text) {
    const label = node.dataset.label || node.textContent;
    node.dataset.label = label;
    // A shorter word must not move what stands beside it.
    Object.assign(node.style, {
      minWidth: `${node.offsetWidth}px`,
      minHeight: `${node.offsetHeight}px`,
    });
    if (!(await toClipboard(text))) return false;
    set(node, { textContent: words.copied, "aria-live": "polite" });
    setTimeout(() => (node.textContent = label), 2500);
    return true;
  }

  // ---- buttons ----
  for (const acts of document.querySelectorAll(".acts")) acts.classList.remove("waits");
  for (const node of document.querySelectorAll("button[data-copy]"))
    node.addEventListener("click", () => {
      const { copy: said, link, alone } = node.dataset;
      const text = said.trim().replace("{date}", window.KB_BUILT?.dates[ui] ?? "");
      const address = alone === undefined ? link || location.href.split("#")[0] : "";
      copy(node, [text, address].filter(Boolean).join(" "));
    });

  // ---- a text for the curators ----
  for (const part of document.querySelectorAll("details.report")) {
    const [area, button] = ["textarea", "button"].map((one) => part.querySelector(one));
    // A site that does not know where it is served names its pages without a host.
    const { url } = area.dataset;
    if (url) area.defaultValue = area.value.replace(url, location.href.split("#")[0]);
    button.addEventListener("click", async () => {
      if (!(await copy(button, area.value))) area.select();
    });
    // What the reader adds comes last.
    part.addEventListener("toggle", () => {
      if (!part.open) return;
      area.setSelectionRange(area.value.length, area.value.length);
      area.focus();
      part.scrollIntoView({ block: "nearest" });
    });
  }
  // Fills in what a reader asks the curators, who may see it at an address: see ask() in
  // _macros.html.
  function fillAsk(title, game, address) {
    const place = $("ask");
    const [link, area] = ["a[data-report]", "textarea"].map((tag) => place.querySelector(tag));
    const url = whole(pageAt(address));
    const text = fill(place.dataset.text, { title, game, url });
    const values = { id: title, title, url, text: text.replaceAll("\n", "\r\n") };
    const value = (_, name) => encodeURIComponent(values[name]);
    if (link) link.href = link.dataset.report.replace(/\{(\w+)\}/g, value);
    else if (area.defaultValue !== text) {
      area.value = area.defaultValue = text;
      area.parentNode.open = false;
    }
    place.hidden = false;
  }
  Object.assign(window.KB_PAGE, { copy, fillAsk });
})();
