// Every page: the search box, copying citations, and offline use. Nothing here is needed to read.
(function () {
  "use strict";
  const root = document.body.dataset.root, words = JSON.parse(document.querySelector("script#said-words").textContent);
  // Terms and provisions are anchors under their own names, whatever these are.
  const $ = (id) => document.querySelector(`#${id}:not(.glossary > div, .provisions > li)`);
  const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => values[name]);
  const kept = (name) => { try { return localStorage.getItem(name); } catch (error) { return null; } };
  const keep = (name, value) => { try { localStorage.setItem(name, value); } catch (error) { /* private mode: nothing is kept */ } };

  // ---- which build this is: said here, so that a page whose content stays is the same file in every build ----
  const built = window.KB_BUILT, line = $("built");
  if (built && line) {
    const day = new Intl.DateTimeFormat(document.body.dataset.ui, { dateStyle: "long", timeZone: "UTC" }).format(new Date(built.date));
    line.textContent = line.dataset.text.replace("{date}", day).replace("{build}", built.build);
  }

  // ---- the search box: / and Ctrl+K lead to it, and it answers once it is used ----
  document.addEventListener("keydown", (event) => {
    const chord = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k";
    const slash = event.key === "/" && !event.ctrlKey && !event.altKey && !event.metaKey;
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && !["checkbox", "radio"].includes(event.target.type);
    const box = $("q");
    if (!box || !(chord || (slash && !typing && !event.target.isContentEditable))) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
  const load = (name) => new Promise((done, fail) => {
    const node = document.createElement("script");
    node.src = root + "/" + built.search[name];
    node.onload = done;
    node.onerror = fail;
    document.head.append(node);
  });
  for (const find of document.querySelectorAll(".find[action]")) {
    const box = find.querySelector("input[type=search]"), drop = find.querySelector(".chip button");
    if (built && built.search) box.addEventListener("focus", () => load("client").then(() => load("box")).catch(() => {}), { once: true });
    if (!drop) continue;
    drop.hidden = false;
    drop.addEventListener("click", () => {
      find.querySelector("input[name=game]").disabled = true;
      drop.closest(".chip").hidden = true;
      box.focus();
    });
  }

  // ---- what changed since the reader's last event ----
  const since = $("since");
  if (since) {
    const hide = () => { for (const part of document.querySelectorAll("[data-day]")) part.hidden = Boolean(since.value) && part.dataset.day < since.value; };
    since.value = kept("kb.since") || "";
    since.closest("p").hidden = false;
    since.addEventListener("change", () => { keep("kb.since", since.value); hide(); });
    hide();
  }

  // ---- copying ----
  for (const acts of document.querySelectorAll(".acts")) acts.hidden = false;
  function copyOld(text) {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const label = button.textContent;
    button.addEventListener("click", async () => {
      const link = button.dataset.link || location.href.split("#")[0], text = [button.dataset.copy.trim().replace("{date}", built ? built.date : ""), link].filter(Boolean).join(" ");
      let done = false;
      try { await navigator.clipboard.writeText(text); done = true; } catch (error) { done = copyOld(text); }
      if (!done) return;
      button.textContent = words.copied;
      button.setAttribute("aria-live", "polite");
      setTimeout(() => { button.textContent = label; }, 2500);
    });
  }

  // ---- offline use ----
  const form = $("offline"), state = $("state"), notice = $("notice"), bar = $("taken");
  const say = (text, name) => { if (state) { state.textContent = text; state.dataset.state = name; } };
  const fromFiles = location.protocol === "file:";
  const able = !fromFiles && "serviceWorker" in navigator && "caches" in window && window.isSecureContext;
  function heard(event) {
    const said = event.data || {};
    if (said.type === "progress") {
      say(fill(words.take, { done: said.done, all: said.all }), "busy");
      if (bar) { bar.hidden = false; bar.max = said.all; bar.value = said.done; }
    } else if (said.type === "ready") {
      say(fill(words.ready, { date: said.date }), "ready");
      if (bar) bar.hidden = true;
      if (form) { $("drop").hidden = false; for (const box of form.elements.game.length ? form.elements.game : [form.elements.game]) box.checked = said.games.includes(box.value); }
      if (said.newer) {
        const link = document.createElement("a");
        link.href = location.href;
        link.textContent = words.reload;
        notice.replaceChildren(words.newer + " ", link);
        notice.hidden = false;
      }
    } else if (said.type === "removed") { say(words.removed, "removed"); $("drop").hidden = true; }
    else if (said.type === "full" || said.type === "broken" || said.type === "private") { say(words[said.type], said.type); if (bar) bar.hidden = true; }
  }
  async function worker() {
    await navigator.serviceWorker.register(root + "/sw.js", { scope: root + "/" });
    return (await navigator.serviceWorker.ready).active;
  }
  const ui = document.body.dataset.ui;
  if (able) {
    navigator.serviceWorker.addEventListener("message", heard);
    navigator.serviceWorker.getRegistration(root + "/").then((held) => { if (held && held.active) held.active.postMessage({ type: "check" }); }).catch(() => {});
  }
  if (form) {
    if (fromFiles) say(words.files, "files");
    else if (!able) say(words.private, "private");
    else offer();
  }
  async function offer() {
    form.hidden = false;
    fetch(form.dataset.groups).then((answer) => answer.json()).then((listed) => {
      for (const node of form.querySelectorAll("[data-size]")) {
        const size = listed.groups[ui + "-" + node.dataset.size][1] / 1e6;
        node.textContent = new Intl.NumberFormat(ui, { style: "unit", unit: "megabyte", maximumFractionDigits: 1 }).format(size);
      }
    }).catch(() => {});
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const games = [...new FormData(form).getAll("game")];
      try {
        if (navigator.storage && navigator.storage.persist) navigator.storage.persist().catch(() => {});
        (await worker()).postMessage({ type: "take", games, ui });
        say(fill(words.take, { done: 0, all: "…" }), "busy");
      } catch (error) {
        say(words.private, "private");
      }
    });
    $("drop").addEventListener("click", async () => (await worker()).postMessage({ type: "remove" }));
  }
})();
