// The search page: what is typed is answered by static/search-core.js, in a worker, or here where a page is opened from a file.
(function () {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const form = $("search"), box = $("q"), gameBox = $("game"), said = $("said"), list = $("results"), more = $("more"), facets = $("facets");
  const words = JSON.parse($("words").textContent), ui = document.documentElement.lang;
  const STEP = 10, FIELDS = ["topic", "kind", "authority", "lang"], KEPT = 8, RECENT = "kb.recent";
  const plural = new Intl.PluralRules(ui);
  let limit = STEP, number = 0, last = null, later = 0, typed = false;

  // ---- the engine ----
  let engine = location.protocol === "file:" || !window.Worker ? here() : worker();
  function worker() {
    const made = new Worker(form.dataset.worker), full = (name) => new URL(form.dataset[name], location.href).href;
    // Where a worker does not start, or comes no further, the page searches itself. Each shard that it loads is a sign of life.
    const instead = () => { clearTimeout(waiting); made.terminate(); engine = here(); if (form.dataset.state === "busy") ask(false); };
    let waiting = setTimeout(instead, 2500);
    made.postMessage({ base: full("base"), core: full("core") });
    made.onmessage = (event) => {
      clearTimeout(waiting);
      if (event.data.alive) waiting = setTimeout(() => form.dataset.state === "busy" && instead(), 3000);
      else if (event.data.error) failed(event.data.error);
      else if (event.data.number === number) show(event.data.answer);
    };
    made.onerror = instead;
    return (options) => made.postMessage({ number, options });
  }
  function script(address) {
    return new Promise((done, fail) => {
      const node = document.createElement("script");
      node.src = address;
      node.onload = done;
      node.onerror = () => fail(new Error(address));
      document.head.append(node);
    });
  }
  function here() {
    const waiting = new Map(), folder = form.dataset.base.replace(/[^/]*$/, "");
    window.KB_SHARD = (name, data) => waiting.get(name)(data);
    const load = (file, name) => new Promise((done, fail) => { waiting.set(name, done); script(folder + file).catch(fail); });
    const read = (isAgain) => load(isAgain ? `base.js?again=${Date.now()}` : form.dataset.base.slice(folder.length), "base");
    const ready = script(form.dataset.core).then(() => window.KBSearchSession(read, load));
    return async (options) => {
      const mine = number;
      try {
        const answer = await (await ready)(options, () => mine === number);
        if (answer && mine === number) show(answer);
      } catch (error) {
        failed(String(error));
      }
    };
  }
  function failed(reason) {
    said.textContent = words.failed;
    said.title = reason;
    form.dataset.state = "failed";
  }

  // ---- what is asked ----
  const state = () => new URLSearchParams(location.search);
  const text = () => box.value.trim();
  function asked(from) {
    const wanted = new URLSearchParams();
    if (text()) wanted.set("q", text());
    if (gameBox.value) wanted.set("game", gameBox.value);
    for (const name of FIELDS) for (const value of from.getAll(name)) wanted.append(name, value);
    for (const name of ["status", "asof"]) if (from.get(name)) wanted.set(name, from.get(name));
    return wanted;
  }
  function ask(typing) {
    const now = state(), filters = [...now].filter(([name]) => name !== "q").map(([name, value]) => ({ name, value: name === "topic" ? value.split("/").pop() : value }));
    number++;
    typed = typing;
    clearTimeout(later);
    form.dataset.state = "busy";
    const filtered = filters.length > 0;
    if (!text() && !filtered) return empty();
    $("recent").hidden = true;
    engine({ text: text(), filters, limit, typing, browse: filtered, ui });
  }
  function go(wanted, push) {
    const address = wanted.size ? "?" + wanted : location.pathname;
    if (push && location.search !== (wanted.size ? "?" + wanted : "")) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }
  function read() {
    const given = state();
    box.value = given.get("q") || "";
    gameBox.value = given.get("game") || "";
    if (gameBox.selectedIndex < 0) gameBox.value = "";
    limit = STEP;
    ask(false);
  }

  // ---- what is shown ----
  function element(name, text, kind) {
    const node = document.createElement(name);
    if (text) node.textContent = text;
    if (kind) node.className = kind;
    return node;
  }
  const form3 = { one: 0, few: 1 };
  const counted = (name, count) => { const forms = words[name], at = form3[plural.select(count)] ?? forms.length - 1; return forms[Math.min(at, forms.length - 1)].replace("{n}", count.toLocaleString(ui)); };
  function empty() {
    list.textContent = facets.textContent = drawn = "";
    more.hidden = facets.hidden = $("cards").hidden = true;
    curators(false);
    said.textContent = words.waiting;
    form.dataset.state = "idle";
    recent();
  }
  function show(answer) {
    last = answer;
    // A guess is labelled as one, and not counted as an answer.
    const total = answer.total ? counted("found", answer.total) : words.nothing;
    const label = { most: `${total} ${words.relaxed}`, near: words.near }[answer.match];
    said.textContent = label || total;
    said.dataset.match = answer.match;
    said.removeAttribute("title");
    if (answer.searchedFor) said.prepend(words.searched + " ", element("b", answer.searchedFor), ". ");
    if (answer.suggestion) {
      const link = element("a", answer.suggestion), wanted = state();
      wanted.set("q", answer.suggestion);
      link.href = "?" + wanted;
      said.append(" " + words.meant + " ", link);
    }
    cards(answer.cards);
    curators(["near", "none"].includes(answer.match));
    // Who has gone on to the results already is not thrown back by later ones.
    const held = list.contains(document.activeElement) && document.activeElement.closest("li").dataset.ruling;
    list.replaceChildren(...answer.hits.map(row));
    if (held) {
      const links = [...list.querySelectorAll("h2 a")];
      (links.find((link) => link.closest("li").dataset.ruling === held) || links[0] || box).focus();
    }
    more.hidden = answer.total <= answer.hits.length;
    // While one types, the results come first and the filters when the fingers rest.
    clearTimeout(later);
    if (facets.hidden || !typed) choices(answer.facets);
    else later = setTimeout(() => choices(answer.facets), 150);
    form.dataset.state = "done";
  }
  // The link for questions without an answer, where there is one: the question takes the place of {id}.
  function curators(shown) {
    const place = $("ask");
    if (!place) return;
    const link = place.querySelector("a"), report = link.dataset.report, question = encodeURIComponent(text());
    const subject = report.startsWith("mailto:") ? (report.includes("?") ? "&" : "?") + "subject=" + question : "";
    link.href = report.includes("{id}") ? report.replaceAll("{id}", question) : report + subject;
    place.hidden = !shown || !text();
  }
  // The cards that the query names: links to their pages where they have rulings.
  function cards(named) {
    const items = named.map(({ game, name, rulings, address }) => {
      const item = element("li"), label = element(address ? "a" : "span", name);
      if (address) label.href = form.dataset.root + "/" + form.dataset.prefix + address;
      item.append(label, " · ", element("span", `${words.games[game]}, ${rulings ? counted("found", rulings) : words.noruling}`, "where"));
      return item;
    });
    $("cards").querySelector("ul").replaceChildren(...items);
    $("cards").hidden = !items.length;
  }
  function row(hit) {
    const item = element("li"), head = element("h2"), link = element("a", hit.titles[hit.lang]);
    item.dataset.ruling = hit.key;
    item.lang = link.lang = hit.lang;
    link.href = form.dataset.root + "/" + form.dataset.prefix + hit.address;
    head.append(link);
    item.append(head);
    for (const [lang, title] of Object.entries(hit.titles)) {
      if (lang === hit.lang) continue;
      const also = element("p", title, "also");
      also.lang = lang;
      item.append(also);
    }
    const snippet = element("p");
    hit.snippet.forEach((piece, at) => piece && snippet.append(at % 2 ? element("mark", piece) : piece));
    item.append(snippet);
    const where = element("p", "", "where");
    where.lang = ui;
    if (hit.kind !== "ruling") where.append(element("span", words.kind[hit.kind], "badge kind"), " ");
    if (hit.authority !== "official") where.append(element("span", words.authority[hit.authority], "badge authority " + hit.authority), " ");
    if (hit.status !== "current") where.append(element("span", words.status[hit.status], "badge status " + hit.status), " ");
    const game = element("span", words.games[hit.game]);
    where.append(game, " · ", element("code", hit.key));
    item.append(where);
    return item;
  }

  // ---- facets ----
  function label(name, value) {
    // What is asked for stands in the address, and anybody writes those.
    const told = (table, key) => (table && Object.hasOwn(table, key) ? table[key] : undefined);
    if (name === "topic") return told(told(words.topics, value.split("/")[0]), value.split("/")[1]) || value;
    return told(name === "lang" ? words.languages : words[name], value) || value;
  }
  let drawn = "";
  function choices(counts) {
    const drawing = JSON.stringify(counts) + location.search.replace(/(^\?|&)q=[^&]*/, "");
    facets.hidden = false;
    if (drawing === drawn) return;
    drawn = drawing;
    const now = state(), open = facets.open, held = document.activeElement && document.activeElement.dataset && document.activeElement.dataset.facet;
    const made = [element("summary", words.filters)];
    for (const name of FIELDS) {
      const chosen = new Set(now.getAll(name)), values = counts[name].slice(0, 12);
      for (const value of chosen) if (!values.some(([one]) => one === value)) values.push([value, 0]);
      if (values.length < 2 && !chosen.size) continue;
      const group = element("fieldset");
      group.append(element("legend", words.fields[name]));
      for (const [value, count] of values) {
        const line = element("label"), check = element("input");
        check.type = "checkbox";
        check.checked = chosen.has(value);
        check.dataset.facet = name + "=" + value;
        check.addEventListener("change", () => choose(name, value, check.checked));
        line.append(check, element("span", label(name, value)), element("span", count.toLocaleString(ui), "count"));
        group.append(line);
      }
      made.push(group);
    }
    const line = element("label"), check = element("input");
    check.type = "checkbox";
    check.checked = now.get("status") === "any";
    check.dataset.facet = "status";
    check.addEventListener("change", () => { const wanted = asked(state()); if (check.checked) wanted.set("status", "any"); else wanted.delete("status"); go(wanted, true); ask(false); });
    line.append(check, element("span", words.nolonger));
    const dated = element("label", "", "dated"), day = element("input");
    day.type = "date";
    day.value = now.get("asof") || "";
    day.dataset.facet = "asof";
    day.addEventListener("change", () => { const wanted = asked(state()); if (day.value) wanted.set("asof", day.value); else wanted.delete("asof"); go(wanted, true); ask(false); });
    dated.append(element("span", words.asof), day);
    made.push(line, dated);
    facets.replaceChildren(...made);
    facets.open = open || window.matchMedia("(min-width: 60rem)").matches;
    if (held) for (const node of facets.querySelectorAll("input")) if (node.dataset.facet === held) node.focus();
  }
  function choose(name, value, on) {
    follow();
    const wanted = asked(state()), values = wanted.getAll(name).filter((one) => one !== value);
    wanted.delete(name);
    for (const one of on ? [...values, value] : values) wanted.append(name, one);
    limit = STEP;
    go(wanted, true);
    ask(false);
  }

  // ---- recent searches, on this device alone ----
  function kept() {
    try { return JSON.parse(localStorage.getItem(RECENT) || "[]").filter((one) => typeof one === "string"); } catch (error) { return []; }
  }
  function keep(query) {
    if (!query) return;
    try { localStorage.setItem(RECENT, JSON.stringify([query, ...kept().filter((one) => one !== query)].slice(0, KEPT))); } catch (error) { /* private mode: nothing is kept */ }
  }
  function recent() {
    const queries = kept(), place = $("recent"), items = place.querySelector("ul");
    items.replaceChildren(...queries.map((query) => {
      const item = element("li"), link = element("a", query);
      link.href = "?q=" + encodeURIComponent(query);
      item.append(link);
      return item;
    }));
    place.hidden = !queries.length;
  }
  $("forget").addEventListener("click", () => { try { localStorage.removeItem(RECENT); } catch (error) { /* nothing was kept */ } recent(); box.focus(); });

  // ---- the keyboard ----
  function step(by) {
    const links = [...list.querySelectorAll("h2 a")], at = links.indexOf(document.activeElement);
    if (at + by < 0) box.focus();
    else if (links[at + by]) links[at + by].focus();
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const inside = document.activeElement === box || list.contains(document.activeElement);
    if (event.key === "ArrowDown" && inside) { step(1); event.preventDefault(); }
    else if (event.key === "ArrowUp" && list.contains(document.activeElement)) { step(-1); event.preventDefault(); }
    else if (event.key === "Escape" && inside) {
      if (document.activeElement === box && box.value) { box.value = ""; changed(); } else box.focus();
      event.preventDefault();
    }
  });

  // The address follows when the fingers rest: browsers allow few changes of it, and fetch the icon anew at each.
  let following = 0;
  function follow() {
    if (!following) return;
    clearTimeout(following);
    following = 0;
    go(asked(state()), false);
  }
  function changed() {
    limit = STEP;
    clearTimeout(following);
    following = setTimeout(follow, 250);
    ask(true);
  }
  window.addEventListener("pagehide", follow);
  box.addEventListener("input", (event) => { if (!event.isComposing) changed(); });
  box.addEventListener("compositionend", changed);
  gameBox.addEventListener("change", () => { follow(); const wanted = asked(state()); wanted.delete("topic"); limit = STEP; go(wanted, true); ask(false); });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(following);
    following = 0;
    keep(text());
    limit = STEP;
    const wanted = asked(state());
    history.pushState(null, "", wanted.size ? "?" + wanted : location.pathname);
    ask(false);
  });
  list.addEventListener("click", (event) => { follow(); if (event.target.closest("a")) keep(text()); });
  more.addEventListener("click", () => {
    const from = last ? last.hits.length : 0;
    limit += 2 * STEP;
    ask(false);
    const wait = setInterval(() => { const link = list.querySelectorAll("h2 a")[from]; if (link) { link.focus(); clearInterval(wait); } }, 50);
    setTimeout(() => clearInterval(wait), 3000);
  });
  window.addEventListener("popstate", read);
  read();
})();
