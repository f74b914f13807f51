// The search page: box, results, filters, chips, and the address that holds them.
(function () {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const client = window.KBFind;
  const { ask, badges, counted, element, filled, marked, number, page, pageOf, remember, ui } =
    client;
  const [form, box, said, list, more] = ["search", "q", "said", "results", "more"].map($);
  const [facets, chips, ways] = ["facets", "chips", "ways"].map($);
  const examples = document.querySelector(".examples");
  const sheet = facets.querySelector(".sheet");
  const STEP = 10;
  const SINGLE = ["status", "asof"];
  const CHOICES = 12;
  const PLACE = "kb.place";
  const REST = 150;
  const wide = window.matchMedia("(min-width: 60rem)");
  let words = null;
  let [limit, last, later, isTyping, isSound] = [STEP, null, 0, false, false];

  // ---- the question ----
  const state = () => new URLSearchParams(location.search);
  const typed = () => box.value.trim();
  // The filters of the address, as [name, value].
  function filtersIn(address) {
    const several = Object.keys(words.fields).flatMap((name) =>
      address.getAll(name).map((value) => [name, value]),
    );
    const single = SINGLE.filter((name) => address.get(name));
    return [...several, ...single.map((name) => [name, address.get(name)])].filter(
      ([, value]) => value,
    );
  }
  const wantedOf = (filters) =>
    new URLSearchParams([...(typed() ? [["q", typed()]] : []), ...filters]);
  function go(wanted, isNew) {
    const search = wanted.size ? "?" + wanted : "";
    const address = search || location.pathname;
    if (isNew && location.search !== search) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }
  const engineFilters = (filters) =>
    filters.map(([name, value]) => {
      return { name, value: name === "topic" ? value.split("/").pop() : value };
    });
  async function answer(typing) {
    const filters = filtersIn(state());
    isTyping = typing;
    clearTimeout(later);
    form.dataset.state = "busy";
    chipsOf(filters);
    if (!typed() && !filters.length) return empty();
    const browse = filters.length > 0;
    const options = { text: typed(), filters: engineFilters(filters), limit, typing, browse };
    try {
      const found = await ask(options);
      if (!found) return;
      show(found, filters);
      // Once is enough, since storage is slow.
      if (!isSound) mark("");
      isSound = true;
    } catch (error) {
      if (reloadOnce()) return;
      said.textContent = words.failed;
      said.title = String(error);
      form.dataset.state = "failed";
    }
  }
  // A page is reloaded once if its build is gone, or mixed with another while the site is copied.
  function mark(reloaded) {
    try {
      const isNew = sessionStorage.getItem("kb.reloaded") !== reloaded;
      sessionStorage.setItem("kb.reloaded", reloaded);
      return isNew;
    } catch (error) {
      return false;
    }
  }
  function reloadOnce() {
    if (!navigator.onLine || !mark("once")) return false;
    go(wantedOf(filtersIn(state())), false);
    location.reload();
    return true;
  }
  function read() {
    box.value = state().get("q") || "";
    limit = STEP;
    return answer(false);
  }
  // Changes the filters, and the address with them.
  function filter(filters) {
    follow();
    limit = STEP;
    go(wantedOf(filters), true);
    answer(false);
  }

  // ---- the results ----
  // The data of each drawn part. A part with the same data is not drawn again: a keystroke changes
  // little, and drawing costs layout and painting.
  const drawn = new Map();
  function differs(place, data) {
    const drawing = JSON.stringify(data);
    if (drawn.get(place) === drawing) return false;
    drawn.set(place, drawing);
    return true;
  }
  function links(id, items) {
    $(id)
      .querySelector("ul")
      .replaceChildren(...items);
    $(id).hidden = !items.length;
  }
  function item(...content) {
    const node = element("li");
    node.append(...content);
    return node;
  }
  function link(href, text) {
    const node = element("a", text);
    node.href = href;
    return node;
  }
  function browse(game) {
    return item(link(page(`${game}/index.html`), filled("browse", { game: words.games[game] })));
  }
  function empty() {
    ask({ text: "", filters: [] }).catch(() => {});
    list.replaceChildren();
    drawn.clear();
    curators(false);
    more.hidden = facets.hidden = $("cards").hidden = $("terms").hidden = true;
    ways.replaceChildren(...Object.keys(words.games).map(browse));
    ways.hidden = false;
    if (examples) examples.hidden = false;
    said.textContent = words.waiting;
    links(
      "recent",
      client.recent().map((query) => item(link("?q=" + encodeURIComponent(query), query))),
    );
    form.dataset.state = "idle";
  }
  function show(found, filters) {
    last = found;
    $("recent").hidden = true;
    if (examples) examples.hidden = true;
    status(found);
    const isShort = found.match === "none" || found.match === "near";
    const isTyped = (name) => client.fold(name) === client.fold(typed());
    const offered = found.cards.filter(
      (one) => one.rulings || one.sole || isShort || isTyped(one.name),
    );
    if (differs("cards", offered)) links("cards", offered.map(card));
    // A card without rulings has a page too: its versions, and the rules that it brings in.
    $("cards").classList.toggle("tiles", !found.total && offered.length > 0);
    const game = filters.find(([name]) => name === "game")?.[1] || "";
    function explain() {
      const terms = client.terms(typed(), game, 2);
      if (differs("terms", terms)) links("terms", terms.map(term));
    }
    explain();
    if (!window.KB_TERMS)
      client.loadTerms().then(
        () => last === found && explain(),
        () => {},
      );
    waysOn(found, filters);
    // Keep the focus on a result that somebody has reached.
    const focused = document.activeElement;
    const held = list.contains(focused) && focused.closest("li").dataset.ruling;
    fill(found.hits);
    if (held) {
      const titles = [...list.querySelectorAll("h2 a")];
      const same = titles.find((title) => title.closest("li").dataset.ruling === held);
      (same || titles[0] || box).focus();
    }
    // The engine ranks only the best of very many rulings.
    more.hidden = found.total <= found.hits.length || found.hits.length < limit;
    // While somebody types, the filters follow after a pause.
    if (!found.total && !filters.length && !found.hiddenBy) facets.hidden = true;
    else if (facets.hidden || !isTyping) choices(found.facets);
    else later = setTimeout(() => choices(found.facets), REST);
    form.dataset.state = "done";
  }
  function status(found) {
    // A guess is labelled as such, and not counted as an answer.
    const hasNone = found.cards.length > 0 && found.cards.every(({ rulings }) => !rulings);
    const hidden = { filter: words.filtered, standing: words.ended }[found.hiddenBy];
    const nothing = hidden || (hasNone ? words.nocard : words.nothing);
    const total = found.total ? counted("found", found.total) : nothing;
    said.textContent = { most: words.closest, near: words.near }[found.match] || total;
    said.dataset.match = found.match;
    said.removeAttribute("title");
    if (found.searchedFor)
      said.prepend(words.searched + " ", element("b", found.searchedFor), ". ");
    if (found.suggestion) {
      const wanted = state();
      wanted.set("q", found.suggestion);
      said.append(" " + words.meant + " ", link("?" + wanted, found.suggestion));
    }
  }
  // A card that the query names.
  function card(named) {
    const where = `${words.games[named.game]}, ${client.rulings(named)}`;
    const label = link(client.cardPage(named), client.cardName(named));
    if (named.rulings) return item(label, " · ", element("span", where, "where"));
    const node = item(label);
    node.dataset.game = named.game;
    label.prepend(element("span", "", "glyph"));
    label.append(" ", element("span", where, "where"));
    return node;
  }
  const term = ({ game, names, href }) =>
    item(link(href, names[0]), " · ", element("span", words.games[game], "where"));
  // A row with the same content stays.
  const rows = new WeakMap();
  function fill(hits) {
    const old = new Map([...list.children].map((node) => [rows.get(node), node]));
    const nodes = hits.map((hit) => {
      const drawing = JSON.stringify({ ...hit, score: 0, snippet: 0 });
      const node = old.get(drawing) || row(hit);
      rows.set(node, drawing);
      return node;
    });
    const kept = new Set(nodes);
    for (const node of old.values()) if (!kept.has(node)) node.remove();
    nodes.forEach((node, at) => {
      if (list.children[at] !== node) list.insertBefore(node, list.children[at] || null);
    });
  }
  function row(hit) {
    const [node, head, title] = [
      element("li"),
      element("h2"),
      link(pageOf(hit), hit.titles[hit.lang]),
    ];
    node.dataset.ruling = hit.key;
    node.dataset.game = hit.game;
    node.lang = title.lang = hit.lang;
    head.append(title);
    // The deciding sentence stands before the answer.
    const passages = [hit.answer, ...(hit.elsewhere ? [hit.elsewhere] : [])];
    if (hit.decides) passages.reverse();
    node.append(head);
    if (hit.lang !== ui && hit.titles[ui]) {
      const own = element("p", hit.titles[ui], "also");
      own.lang = ui;
      node.append(own);
    }
    node.append(...passages.map((pieces, at) => marked(pieces, at ? "also" : "")));
    const where = element("p", "", "where");
    where.lang = ui;
    where.append(...badges(hit), element("span", "", "glyph"), " ", words.games[hit.game], " · ", element("code", hit.key));
    node.append(where);
    return node;
  }

  // ---- without results: the reason, and ways on ----
  const VALUES = { game: () => words.games, kind: () => words.kind };
  // Items for the unknown values of typed filters, with the existing values.
  function* unknown() {
    for (const [whole, field, value] of typed().matchAll(/(?<!\S)(game|kind):(\S+)/giu)) {
      const known = Object.keys(VALUES[field.toLowerCase()]());
      if (known.includes(value.toLowerCase())) continue;
      const choose = known.map((other) => {
        const wanted = state();
        wanted.set("q", typed().replace(whole, `${field}:${other}`));
        return link("?" + wanted, other);
      });
      const text = filled("unknown", { field: words.fields[field.toLowerCase()], value });
      yield item(text, " ", ...choose.flatMap((node) => [node, " "]));
    }
  }
  function waysOn(found, filters) {
    const isShort = found.match === "none" || found.match === "near";
    const items = isShort ? [...unknown()] : [];
    if (isShort && filters.length && typed())
      items.push(item(link("?" + wantedOf([]), words.unfiltered)));
    if (isShort) {
      const chosen = filters.filter(([name]) => name === "game").map(([, value]) => value);
      const named = [...new Set(found.cards.map(({ game }) => game))];
      const games = [chosen, named, Object.keys(words.games)].find((some) => some.length);
      for (const game of games)
        if (Object.hasOwn(words.games, game)) items.push(browse(game));
      if (typed()) {
        const { href, text } = client.question(found, typed(), games.length === 1 ? games[0] : "");
        items.push(item(link(href, text)));
      }
    }
    if (items.length || !ways.hidden) ways.replaceChildren(...items);
    ways.hidden = !items.length;
    // Ways on stand after guesses, or before the empty list.
    if (isShort && found.hits.length) list.after(ways);
    else if (isShort) list.before(ways);
    curators(isShort);
  }

  // The webmaster's link for unanswered questions; {id} becomes the question.
  function curators(isShown) {
    const place = $("ask");
    if (!place) return;
    const node = place.querySelector("a");
    const { report } = node.dataset;
    const question = encodeURIComponent(typed());
    const subject = (report.includes("?") ? "&" : "?") + "subject=" + question;
    const plain = report.startsWith("mailto:") ? report + subject : report;
    node.href = report.includes("{id}") ? report.replaceAll("{id}", question) : plain;
    place.hidden = !isShown || !typed();
    ways.after(place);
  }

  // ---- filters ----
  function label(name, value) {
    // Anybody may write an address, with any value in it.
    const own = (table, key) => (table && Object.hasOwn(table, key) ? table[key] : undefined);
    if (name === "status")
      return value === "any" ? words.nolonger : own(words.status, value) || value;
    if (name === "asof") return `${words.asof} ${value}`;
    const [game, topic] = value.split("/");
    if (name === "topic") return own(own(words.topics, game), topic) || value;
    const table = { lang: words.languages, game: words.games }[name] || words[name];
    return own(table, value) || value;
  }
  const isOther = (name, value) => (filter) => filter[0] !== name || filter[1] !== value;
  function chipsOf(filters) {
    if (!differs("chips", filters)) return;
    facets.querySelector("summary .count").textContent = filters.length || "";
    const items = filters.map(([name, value]) => {
      const [node, drop] = [element("li", label(name, value), "chip"), element("button", "×")];
      drop.type = "button";
      drop.setAttribute("aria-label", filled("drop", { filter: label(name, value) }));
      drop.addEventListener("click", () => {
        filter(filtersIn(state()).filter(isOther(name, value)));
        box.focus();
      });
      node.append(drop);
      return node;
    });
    if (filters.length > 1) {
      const clear = element("button", words.clear, "plain");
      clear.type = "button";
      clear.addEventListener("click", () => {
        filter([]);
        box.focus();
      });
      items.push(item(clear));
    }
    chips.replaceChildren(...items);
    chips.hidden = !items.length;
  }
  function input(type, name, change) {
    const node = element("input");
    node.type = type;
    node.dataset.facet = name;
    node.addEventListener("change", () => change(node));
    return node;
  }
  function line(...content) {
    const node = element("label");
    node.append(...content);
    return node;
  }
  function group(name, counts) {
    const chosen = new Set(state().getAll(name));
    const values = counts.slice(0, CHOICES);
    for (const value of chosen)
      if (!values.some(([other]) => other === value)) values.push([value, 0]);
    if (values.length < 2 && !chosen.size) return [];
    const node = element("fieldset");
    node.append(element("legend", words.fields[name]));
    for (const [value, count] of values) {
      const check = input("checkbox", `${name}=${value}`, () => {
        const others = filtersIn(state()).filter(isOther(name, value));
        filter(check.checked ? [...others, [name, value]] : others);
      });
      check.checked = chosen.has(value);
      const counter = element("span", number(count), "count");
      node.append(line(check, element("span", label(name, value)), counter));
    }
    return [node];
  }
  const without = (name) => filtersIn(state()).filter((filter) => filter[0] !== name);
  function choices(counts) {
    if (facets.hidden) facets.open = wide.matches;
    facets.hidden = false;
    if (!differs("facets", [counts, filtersIn(state())])) return;
    const held = document.activeElement?.dataset?.facet;
    const ended = input("checkbox", "status", () =>
      filter([...without("status"), ...(ended.checked ? [["status", "any"]] : [])]),
    );
    ended.checked = state().get("status") === "any";
    const day = input("date", "asof", () =>
      filter([...without("asof"), ...(day.value ? [["asof", day.value]] : [])]),
    );
    day.value = state().get("asof") || "";
    const dated = line(element("span", words.asof), day);
    dated.className = "dated";
    const groups = Object.keys(words.fields).flatMap((name) => group(name, counts[name]));
    sheet.replaceChildren(...groups, line(ended, element("span", words.nolonger)), dated);
    if (held)
      for (const node of sheet.querySelectorAll("input"))
        if (node.dataset.facet === held) node.focus();
  }

  // ---- the keyboard ----
  function step(by) {
    const titles = [...list.querySelectorAll("h2 a")];
    const at = titles.indexOf(document.activeElement);
    if (at + by < 0) box.focus();
    else titles[at + by]?.focus();
  }
  const panels = () =>
    [...document.querySelectorAll(".dropdown[open]")].filter(
      (one) => one !== facets || !wide.matches,
    );
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const focused = document.activeElement;
    const isInside = focused === box || list.contains(focused);
    if (event.key === "Escape" && panels().length) {
      for (const panel of panels()) {
        panel.open = false;
        panel.querySelector("summary").focus();
      }
    } else if (event.key === "ArrowDown" && isInside) step(1);
    else if (event.key === "ArrowUp" && list.contains(focused)) step(-1);
    else if (event.key === "Escape" && isInside) {
      if (focused === box && box.value) {
        box.value = "";
        changed();
      } else box.focus();
    } else return;
    event.preventDefault();
  });
  document.addEventListener("pointerdown", (event) => {
    for (const panel of panels()) if (!panel.contains(event.target)) panel.open = false;
  });

  // The address follows after a pause: browsers allow few changes, and fetch the icon at each.
  let following = 0;
  function follow() {
    if (!following) return;
    clearTimeout(following);
    following = 0;
    go(wantedOf(filtersIn(state())), false);
  }
  function changed() {
    limit = STEP;
    clearTimeout(following);
    following = setTimeout(follow, 250);
    answer(true);
  }

  // ---- the reader's place, for the way back ----
  function keepPlace() {
    follow();
    const place = { search: location.search, limit, top: window.scrollY };
    try {
      sessionStorage.setItem(PLACE, JSON.stringify(place));
    } catch (error) {
      // Private mode: nothing is kept.
    }
  }
  async function restorePlace() {
    const [{ type } = {}] = performance.getEntriesByType("navigation");
    let place = null;
    try {
      place = JSON.parse(sessionStorage.getItem(PLACE));
    } catch (error) {
      // Nothing was kept.
    }
    if (!place || place.search !== location.search || type === "navigate") {
      const isTyped = document.activeElement === box && typed();
      if (wide.matches || !location.search) box.focus();
      return isTyped ? changed() : read();
    }
    box.value = state().get("q") || "";
    limit = place.limit;
    // Terms that load later would move the results.
    await client.loadTerms().catch(() => {});
    await answer(false);
    window.scrollTo({ top: place.top, behavior: "instant" });
  }

  function start() {
    words = client.words;
    history.scrollRestoration = "manual";
    window.addEventListener("pagehide", keepPlace);
    window.addEventListener("popstate", read);
    box.addEventListener("input", (event) => !event.isComposing && changed());
    box.addEventListener("compositionend", changed);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      clearTimeout(following);
      following = 0;
      remember(typed());
      limit = STEP;
      go(wantedOf(filtersIn(state())), true);
      answer(false);
    });
    list.addEventListener("click", (event) => event.target.closest("a") && remember(typed()));
    more.addEventListener("click", async () => {
      const from = last ? last.hits.length : 0;
      limit += 2 * STEP;
      await answer(false);
      list.querySelectorAll("h2 a")[from]?.focus();
    });
    $("forget").addEventListener("click", () => {
      client.forget();
      empty();
      box.focus();
    });
    wide.addEventListener("change", () => (facets.open = wide.matches));
    restorePlace();
  }
  client.ready.then(start, () => {
    said.textContent = said.dataset.failed;
    form.dataset.state = "failed";
  });
})();
