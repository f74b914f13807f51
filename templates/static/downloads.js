// Downloading games for offline use: the offers on the pages of games, and the form of the page on
// offline use.
(function () {
  "use strict";
  const { $, fill, isFile, offline, set, ui, words } = window.KB_PAGE;
  const [form, state, bar] = ["offline", "state", "taken"].map($);
  const submit = form?.querySelector("button");
  // After these messages the copy that was there still works.
  const IS_KEPT = ["full", "broken"];
  const offers = [...document.querySelectorAll(".offer")];
  const gamesOf = (offer) => offer.dataset.games.split(" ");
  // English dates with the day first, as the pages have them.
  const dates = { dateStyle: "long", timeZone: "UTC" };
  const dated = (date) => new Date(date).toLocaleDateString(ui === "en" ? "en-GB" : ui, dates);

  // ---- what is said ----
  function say(text, name) {
    const asked = offers.filter((offer) => offer.dataset.asked);
    for (const status of [state, ...asked.map((offer) => offer.querySelector("[role=status]"))])
      if (status) set(status, { textContent: text, data: { state: name } });
    if (bar) bar.hidden = true;
    if (form) checkChoice();
  }
  function showStored({ games, uis, date }) {
    hasCopy = true;
    for (const offer of offers)
      if (gamesOf(offer).every((game) => games.includes(game)) && uis.includes(ui)) {
        offer.dataset.asked = "yes";
        offer.classList.remove("waits");
        offer.querySelector("button").hidden = true;
      }
    const ready = fill(words.ready, { date: dated(date) });
    if (!form) return say(ready, "ready");
    const taken = { game: games, language: uis };
    const boxes = [...form.querySelectorAll("[type=checkbox]")];
    for (const box of boxes) box.checked = taken[box.name].includes(box.value);
    const names = boxes.filter((box) => box.checked).map((box) => box.labels[0].children[1]);
    say(`${ready}: ${names.map((name) => name.textContent).join(", ")}`, "ready");
    stored = String(chosen());
    form.dispatchEvent(new Event("change"));
  }
  // The choice that is stored, which needs no download; whether anything is.
  let [stored, hasCopy] = ["", false];
  function showChoice() {
    $("stored").hidden = !stored;
    submit.hidden = stored === String(chosen());
    checkChoice();
  }
  // A download needs a game, a language and a network, and time for one download after the other.
  let hasSizes = false;
  function checkChoice() {
    const isReady = hasSizes && navigator.onLine && state.dataset.state !== "busy";
    submit.disabled = !isReady || !chosen().every((some) => some.length);
  }
  function onMessage(message) {
    const { type, done, all } = message;
    if (type === "ready") showStored(message);
    else if (type === "progress") {
      say(fill(words.take, message), "busy");
      if (bar) set(bar, { max: all, value: done, hidden: false });
    } else {
      const kept = hasCopy && IS_KEPT.includes(type) && words.kept;
      say([words[type], kept].filter(Boolean).join(" "), type);
    }
    if (type !== "removed") return;
    [stored, hasCopy] = ["", false];
    if (form) showChoice();
  }

  // ---- what is downloaded ----
  async function take(games, uis, add) {
    navigator.storage?.persist?.().catch(() => {});
    try {
      await offline.tell({ type: "take", games, uis, add });
      say(fill(words.take, { done: 0, all: "…" }), "busy");
      if (bar) set(bar, { value: 0, hidden: false });
      state?.scrollIntoView({ block: "nearest" });
    } catch (error) {
      say(words.private, "private");
    }
  }
  const chosen = () => ["game", "language"].map((name) => new FormData(form).getAll(name));
  // Without a network, or where archives cannot be opened, nothing is offered for download.
  async function offerDownloads() {
    if (!("DecompressionStream" in window)) return;
    const { parts } = await (await fetch((form || offers[0]).dataset.archives)).json();
    const megabytes = { style: "unit", unit: "megabyte", minimumFractionDigits: 1 };
    const { format } = new Intl.NumberFormat(ui, megabytes);
    // In tenths of a megabyte, so that the sizes that are shown add up.
    const bytes = (names) => [...new Set(names)].reduce((sum, name) => sum + parts[name][1], 0);
    const tenths = (names) => Math.ceil(bytes(names) / 1e5);
    // A game whose pages are not in a language is read in English.
    const part = (ui, game) => (`${ui}-${game}` in parts ? ui : "en") + "-" + game;
    const ofShared = (uis) => tenths(["common", ...uis]);
    const ofGame = (game, uis) => tenths(uis.map((lang) => part(lang, game)));
    const ofAll = (games, uis) => games.reduce((sum, game) => sum + ofGame(game, uis), ofShared(uis));
    const size = (count) => format(count / 10);
    for (const offer of offers) {
      offer.classList.remove("waits");
      offer.querySelector(".count").textContent = size(ofAll(gamesOf(offer), [ui]));
    }
    if (!form) return;
    function showSizes() {
      const [games, uis] = chosen();
      for (const node of form.querySelectorAll("[data-size]")) {
        const { size: game } = node.dataset;
        const isKnown = !game || uis.length;
        node.textContent = isKnown ? size(game ? ofGame(game, uis) : ofShared(uis)) : "";
      }
      const isChosen = games.length && uis.length;
      submit.querySelector(".count").textContent = isChosen ? size(ofAll(games, uis)) : "";
    }
    showSizes();
    hasSizes = true;
    checkChoice();
    form.addEventListener("change", showSizes);
  }

  if (!offline.canKeep) {
    for (const part of [form, ...offers]) if (part) part.hidden = true;
    const why = isFile ? "files" : "private";
    if (form) say(words[why], why);
    return;
  }
  offline.hear(onMessage);
  offline.afterLoad(() => offerDownloads().catch(() => {}));
  for (const offer of offers)
    offer.querySelector("button").addEventListener("click", () => {
      offer.dataset.asked = "yes";
      take(gamesOf(offer), [ui], true);
    });
  if (!form) return;
  form.classList.remove("waits");
  form.addEventListener("change", showChoice);
  for (const name of ["online", "offline"]) window.addEventListener(name, checkChoice);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [games, uis] = chosen();
    take(games, uis, false);
  });
  $("drop").addEventListener("click", () => offline.tell({ type: "remove" }));
})();
