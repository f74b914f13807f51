// The search page: box, results, filters, chips, and the address that holds them.
(function () {
  "use strict";
  const { $, button, counted, element, fillAsk, fold, keep } = window.KB_PAGE;
  const { keptData, nameScope, number, pageAt, set, titled, ui } = window.KB_PAGE;
  const client = window.KBFind;
  const [form, box, said, list, more] = ["search", "q", "said", "results", "more"].map($);
  // Without its words the search says so in those of the page.
  function giveUp() {
    box.value ||= new URLSearchParams(location.search).get("q") || "";
    said.textContent = said.dataset.failed;
    form.dataset.state = "failed";
  }
  if (!client) return giveUp();
  const { ask, askWider, badges, filled, marked, pageOf, remember } = client;
  const [facets, chips, ways] = ["facets", "chips", "ways"].map($);
  const examples = document.querySelector(".examples");
  const sheet = facets.querySelector(".sheet");
  const STEP = 10;
  const SINGLE = ["status", "asof"];
  const CHOICES = 12;
  const TAB = "sessionStorage";
  const PLACE = "kb.place";
  const [REST, FOLLOW, SLOW] = [150, 250, 3000];
  // The longest query that a message repeats.
  const LONG = 60;
  const wide = window.matchMedia("(min-width: 60rem)");
  const settled = window.KBMarks.settling();
  let words = null;
  let [limit, last, later, slow, isTyping] = [STEP, null, 0, 0, false];

  // ---- the question ----
  const state = () => new URLSearchParams(location.search);
  const typed = () => box.value.trim();
  // The filters of the address, as [name, value].
  function filtersNow() {
    const address = state();
    const several = Object.keys(words.fields).flatMap((name) =>
      address.getAll(name).map((value) => [name, value]),
    );
    const single = SINGLE.map((name) => [name, address.get(name)]);
    return [...several, ...single].filter(([, value]) => value);
  }
  const wantedOf = (filters) =>
    new URLSearchParams([...(typed() ? [["q", typed()]] : []), ...filters]);
  // The address follows after a pause: browsers allow few changes, and fetch the icon at each.
  let following = 0;
  function go(filters, isNew) {
    clearTimeout(following);
    const wanted = String(wantedOf(filters));
    const search = wanted && "?" + wanted;
    const address = search || location.pathname;
    if (isNew && location.search !== search) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }
  const follow = () => go(filtersNow(), false);
  function changed() {
    limit = STEP;
    clearTimeout(following);
    following = setTimeout(follow, FOLLOW);
    answer(true);
  }
  const engineFilters = (filters) =>
    filters.map(([name, value]) => {
      return { name, value: name === "topic" ? value.split("/").pop() : value };
    });
  const valuesOf = (filters, wanted) =>
    filters.flatMap(([name, value]) => (name === wanted ? value : []));
  // Topics are those of one game.
  const outsideGames = (filters) => filters.filter(([name]) => !["game", "topic"].includes(name));
  async function answer(typing) {
    const filters = filtersNow();
    isTyping = typing;
    clearTimeout(later);
    clearTimeout(slow);
    slow = setTimeout(sayLoading, SLOW);
    form.dataset.state = "busy";
    chipsOf(filters);
    if (!typed() && !filters.length) return empty();
    const browse = filters.length > 0;
    // A space at the end says that the last word is finished.
    const text = box.value.trimStart();
    const options = { text, filters: engineFilters(filters), limit, typing, browse };
    try {
      const answered = await askWider(options);
      if (!answered) return;
      clearTimeout(slow);
      const { found, others } = answered;
      if (found.isWaiting) return empty();
      settled.show(found, (shown) => show(shown, filters, others));
    } catch (error) {
      if (reloadOnce()) return;
      fail(String(error));
    }
  }
  function sayLoading() {
    said.textContent = words.slow;
    form.dataset.state = "slow";
  }
  // The pages of the games may be on this device, or answer where the index does not.
  function fail(error) {
    clear();
    ways.prepend(item(button(words.again, () => answer(false))));
    const message = navigator.onLine ? words.failed : words.offline;
    set(said, { textContent: message, title: error, data: { match: "" } });
    form.dataset.state = "failed";
  }
  // A page is reloaded once if its build is gone, or mixed with another while the site is copied.
  const [{ type: navigation } = {}] = performance.getEntriesByType("navigation");
  function reloadOnce() {
    if (navigation === "reload" || !navigator.onLine) return false;
    follow();
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
    go(filters, true);
    answer(false);
  }

  // ---- the results ----
  const item = (...content) => element("li", content);
  const link = (href, ...content) => element("a", { href }, content);
  // The data of each drawn part. A part with the same data is not drawn again: a keystroke changes
  // little, and drawing costs layout and painting.
  const drawn = new Map();
  function differs(place, data) {
    const drawing = JSON.stringify(data);
    if (drawn.get(place) === drawing) return false;
    drawn.set(place, drawing);
    return true;
  }
  function fillList(id, items) {
    const section = $(id);
    section.querySelector("ul").replaceChildren(...items);
    section.hidden = !items.length;
  }
  // A game's topics, cards and glossary.
  function browse(game) {
    const name = filled("browse", { game: words.games[game] });
    const topics = link(pageAt(`${game}/index.html`), name);
    const others = words.sections[game].flatMap((section) => [
      " · ",
      link(pageAt(`${game}/${section}/index.html`), words[section]),
    ]);
    return item(topics, others);
  }
  // Nothing but the ways to the games.
  function clear() {
    clearTimeout(slow);
    settled.stop();
    list.replaceChildren();
    drawn.clear();
    $("ask").hidden = true;
    more.hidden = facets.hidden = $("cards").hidden = $("terms").hidden = true;
    ways.replaceChildren(...Object.keys(words.games).map(browse));
    ways.hidden = false;
    list.before(ways);
  }
  function empty() {
    clear();
    ask({ text: "", filters: [] }).catch(() => {});
    if (examples) examples.hidden = false;
    said.textContent = words.waiting;
    const recent = client.recent();
    fillList(
      "recent",
      recent.map((query) => item(link("?q=" + encodeURIComponent(query), query))),
    );
    form.dataset.state = "idle";
  }
  // `others`: what other games have and the chosen ones have not, as {label, game}, or null.
  function show(found, filters, others) {
    last = found;
    $("recent").hidden = true;
    if (examples) examples.hidden = true;
    const outside = outsideGames(filters);
    if (others?.game) outside.push(["game", others.game]);
    const toOthers = others && link("?" + wantedOf(outside), others.label);
    status(found, filters, toOthers);
    const isShort = found.heading === "none";
    const isTyped = (name) => fold(name) === fold(typed());
    const offered = found.cards.filter(
      ({ rulings, sole, name }) => rulings || sole || isShort || isTyped(name),
    );
    if (differs("cards", offered)) fillList("cards", offered.map(card));
    const game = filters.find(([name]) => name === "game")?.[1] || "";
    function explain() {
      const terms = client.terms(found.subject || typed(), game, 2);
      if (differs("terms", terms)) fillList("terms", terms.map(term));
    }
    explain();
    if (!window.KB_TERMS)
      client.loadTerms().then(
        () => last === found && explain(),
        () => {},
      );
    waysOn(found, filters, isShort, Boolean(others));
    // Keep the focus on a result that somebody has reached.
    const focused = document.activeElement;
    const held = list.contains(focused) && focused.closest("li").dataset.ruling;
    fillRows(found);
    if (held) {
      const same = titles().find((title) => title.closest("li").dataset.ruling === held);
      (same || titles()[0] || box).focus();
    }
    // The engine ranks only the best of very many rulings.
    const listed = found.total + found.partial;
    more.hidden = listed <= found.hits.length || found.hits.length < limit;
    // While somebody types, the filters follow after a pause.
    if (!listed && !filters.length && !found.hiddenBy && !found.isExcluded) facets.hidden = true;
    else if (facets.hidden || !isTyping) choices(found.facets, listed);
    else later = setTimeout(choices, REST, found.facets, listed);
    form.dataset.state = "done";
  }
  // How sure the answer is, and how many rulings are full matches; first, where else the words stand.
  function status(answer, filters, toOthers) {
    const { cards, heading, hiddenBy, hits, isExcluded, match, searchedFor, suggestion } = answer;
    const hasNone = cards.length > 0 && cards.every(({ rulings }) => !rulings);
    const hidden = { filter: words.filtered, standing: words.ended }[hiddenBy];
    const unmatched = client.unmatched(answer);
    const nothing = unmatched || hidden || (hasNone ? words.nocard : nothingFor(answer, filters));
    const label = client.headingOf(answer, typed());
    const about = [words[label], client.matching(answer, label)];
    const parts = hits.length ? about.filter(Boolean) : [nothing];
    const isAllSaid = toOthers && !hits.length && !hiddenBy && !isExcluded && !unmatched;
    said.textContent = isAllSaid ? "" : parts.join(" · ") || words.results;
    const unknown = hits.length && client.unknownWords(answer);
    if (unknown) said.prepend(unknown, element("br"));
    if (toOthers) said.prepend(toOthers, isAllSaid ? "" : element("br"));
    set(said, { data: { match } });
    set(list, { data: { heading } });
    said.removeAttribute("title");
    const read = suggestion || searchedFor;
    if (read) said.prepend(words.searched + " ", linkTo(read), ". ");
  }
  // What nothing is found for, and in which games.
  function nothingFor({ isEmpty }, filters) {
    if (isEmpty) return filters.length ? words.unfit : words.waiting;
    const games = valuesOf(filters, "game").map((game) => label("game", game));
    const query = typed().length > LONG ? `${typed().slice(0, LONG)}…` : typed();
    return [filled("nothingfor", { query }), ...games].join(" · ");
  }
  // A link to another query with the same filters.
  function linkTo(query) {
    const wanted = state();
    wanted.set("q", query);
    return link("?" + wanted, query);
  }
  const placeOf = (game, ...more) => element("span.where", [words.games[game], ...more].join(", "));
  function card(named) {
    const { game } = named;
    const [name, where] = [client.cardName(named), placeOf(game, client.rulings(named))];
    return item(link(client.cardPage(named), name), " · ", where);
  }
  const term = ({ game, names, href }) => item(link(href, names[0]), " · ", placeOf(game));
  function fillRows(found) {
    const parts = client.parted(found);
    const isSure = found.heading === "answer";
    const drawings = parts.map((hits) => hits.map((hit) => ({ ...hit, score: 0, snippet: 0 })));
    if (!differs("results", [isSure, drawings])) return;
    const first = found.hits[0];
    const [full, partial] = parts.map((hits) =>
      hits.map((hit) => row(hit, isSure && hit !== first)),
    );
    const parting = partial.length ? [element("li.parting", words.partial)] : [];
    list.replaceChildren(...full, ...parting, ...partial);
  }
  // `isFolded`: the row is a title that unfolds, below an answer that is sure.
  function row(hit, isFolded) {
    const { answer, decides, elsewhere, game, key, lang, titles } = hit;
    // The deciding sentence stands before the answer.
    const passages = [answer, elsewhere].filter(Boolean);
    if (decides) passages.reverse();
    const verdict = client.verdict(hit);
    const glyph = element("span.glyph");
    const mark = isFolded ? [glyph, " "] : [];
    const title = element("h2", link(pageOf(hit), mark, titled(titles[lang], lang)));
    const about = [
      lang !== ui && titles[ui] && element("p.also", { lang: ui }, titles[ui]),
      verdict && element("p", verdict),
      passages.map((pieces, at) => marked(pieces, at ? "p.also" : "p")),
    ];
    const end = words.games[game];
    const data = { ruling: key, game };
    if (!isFolded) {
      const where = element("p.where", { lang: ui }, badges(hit), glyph, " ", end);
      return item({ data, lang }, title, about, where);
    }
    const tile = client.verdict({ ...hit, when: {} });
    const unfold = element("summary", { lang: ui }, element("span.hidden", words.answer));
    const where = element("p.where", { lang: ui }, end);
    return item(
      { data, lang, className: "folded" },
      title,
      element("span.marks", { lang: ui }, tile, " ", badges(hit)),
      element("details.said", unfold, element("div", about, where)),
    );
  }

  // ---- without results: the reason, and ways on ----
  // The games that may have the answer: those of the filters, else of the named cards, else all.
  function likelyGames(found, filters) {
    const chosen = valuesOf(filters, "game");
    const named = [...new Set(found.cards.map(({ game }) => game))];
    return [chosen, named, Object.keys(words.games)].find((some) => some.length);
  }
  function howTo() {
    const open = () => {
      $("help").open = true;
      $("help").querySelector("summary").focus();
    };
    return button(words.howto, open, { className: "plain" });
  }
  function waysOn(found, filters, isShort, hasOthers) {
    const items = [];
    const games = likelyGames(found, filters).filter((game) => Object.hasOwn(words.games, game));
    if (isShort) {
      const isMore = hasOthers ? outsideGames(filters).length : filters.length;
      if (isMore && typed()) items.push(item(link("?" + wantedOf([]), words.unfiltered)));
      const isOfWords = !found.isEmpty && !found.unmatched.length;
      if (!found.hits.length && typed()) items.push(item(isOfWords && words.fewer + " ", howTo()));
      items.push(...games.map(browse));
    }
    if (items.length || !ways.hidden) ways.replaceChildren(...items);
    ways.hidden = !items.length;
    // Ways on stand after guesses, or before the empty list.
    if (isShort && found.hits.length) list.after(ways);
    else if (isShort) list.before(ways);
    $("ask").hidden = true;
    if (!typed() || found.match === "all" || found.heading === "answer") return;
    const names = games.map((game) => words.games[game]).join(", ");
    fillAsk(typed(), names, `search/?${wantedOf(filters)}`);
    (isShort ? ways : more).after($("ask"));
    // Who asks in a search box has said so already.
    const part = $("ask").querySelector("details");
    if (location.hash !== "#ask" || !part) return;
    history.replaceState(null, "", location.pathname + location.search);
    part.open = true;
  }

  // ---- filters ----
  function label(name, value) {
    // Anybody may write an address, with any value in it.
    const own = (table, key) => (table && Object.hasOwn(table, key) ? table[key] : undefined);
    if (name === "status" && value === "any") return words.nolonger;
    if (name === "asof") return `${words.asof} ${value}`;
    const [game, topic] = value.split("/");
    if (name === "topic") return own(own(words.topics, game), topic) || value;
    const table = { lang: words.languages, game: words.games }[name] || words[name];
    return own(table, value) || value;
  }
  const isOther = (name, value) => (filter) => filter[0] !== name || filter[1] !== value;
  const isNot = (name) => (filter) => filter[0] !== name;
  function chipsOf(filters) {
    if (!differs("chips", filters)) return;
    const games = valuesOf(filters, "game");
    nameScope(box, games.length === 1 ? label("game", games[0]) : "");
    facets.querySelector("summary .count").textContent = filters.length || "";
    // A button that leaves only some filters.
    const drop = (text, isKept, about) => {
      const leave = () => {
        filter(filtersNow().filter(isKept));
        box.focus();
      };
      return button(text, leave, about);
    };
    const items = filters.map(([name, value]) => {
      const text = label(name, value);
      const about = { "aria-label": filled("drop", { filter: text }) };
      return element("li.chip", text, drop("×", isOther(name, value), about));
    });
    if (filters.length > 1)
      items.unshift(item(drop(words.clear, () => false, { className: "plain" })));
    chips.replaceChildren(...items);
    chips.hidden = !items.length;
  }
  // A field that puts its value, if it has one, in the place of the filters that do not stay.
  function input(facet, name, isKept, given) {
    const onchange = ({ target: { checked, type, value } }) => {
      const isChosen = type === "checkbox" ? checked : value;
      filter([...filtersNow().filter(isKept), ...(isChosen ? [[name, value]] : [])]);
    };
    return element("input", { ...given, data: { facet }, onchange });
  }
  function group(name, counts) {
    const chosen = [...new Set(state().getAll(name))];
    const listed = counts.slice(0, CHOICES);
    const isListed = (value) => listed.some(([other]) => other === value);
    const missing = chosen.filter((value) => !isListed(value)).map((value) => [value, 0]);
    const values = [...listed, ...missing];
    if (values.length < 2 && !chosen.length) return [];
    const choices = values.map(([value, count]) => {
      const given = { type: "checkbox", value, checked: chosen.includes(value) };
      return element(
        "label",
        input(`${name}=${value}`, name, isOther(name, value), given),
        element("span", label(name, value)),
        element("span.count", number(count)),
      );
    });
    return [element("fieldset", element("legend", words.fields[name]), choices)];
  }
  function closeSheet() {
    facets.open = false;
    facets.querySelector("summary").focus();
  }
  function choices(counts, listed) {
    if (facets.hidden) facets.open = wide.matches;
    facets.hidden = false;
    if (!differs("facets", [counts, listed, filtersNow()])) return;
    const held = document.activeElement?.dataset?.facet;
    const ended = { type: "checkbox", value: "any", checked: state().get("status") === "any" };
    const day = { type: "date", value: state().get("asof") || "" };
    const name = (text) => element("span", text);
    sheet.replaceChildren(
      ...Object.keys(words.fields).flatMap((field) => group(field, counts[field])),
      element("label", input("status", "status", isNot("status"), ended), name(words.nolonger)),
      element("label", `${words.asof} `, input("asof", "asof", isNot("asof"), day)),
      button(counted(words.show, listed), closeSheet),
    );
    if (held)
      for (const node of sheet.querySelectorAll("input"))
        if (node.dataset.facet === held) node.focus();
  }

  // ---- the keyboard ----
  const titles = () => [...list.querySelectorAll("h2 a")];
  function step(by) {
    const at = titles().indexOf(document.activeElement) + by;
    if (at < 0) box.focus();
    else titles()[at]?.focus();
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    // A menu was closed.
    if (event.defaultPrevented) return;
    const focused = document.activeElement;
    const isInside = focused === box || list.contains(focused);
    if (event.key === "ArrowDown" && isInside) step(1);
    else if (event.key === "ArrowUp" && list.contains(focused)) step(-1);
    else if (event.key === " " && focused.matches(".folded h2 a")) {
      const said = focused.closest("li").querySelector(".said");
      said.open = !said.open;
    } else if (event.key === "Escape" && isInside) {
      if (focused === box && box.value) {
        box.value = "";
        changed();
      } else box.focus();
    } else return;
    event.preventDefault();
  });

  // ---- the reader's place, for the way back ----
  function keepPlace() {
    follow();
    const place = { search: location.search, limit, top: window.scrollY };
    keep(PLACE, JSON.stringify(place), TAB);
  }
  async function restorePlace() {
    const place = keptData(PLACE, TAB);
    if (place?.search !== location.search || navigation === "navigate") {
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
      remember(typed());
      limit = STEP;
      go(filtersNow(), true);
      answer(false);
    });
    list.addEventListener("click", (event) => event.target.closest("a") && remember(typed()));
    more.addEventListener("click", async () => {
      const from = last ? last.hits.length : 0;
      limit += 2 * STEP;
      await answer(false);
      titles()[from]?.focus();
    });
    $("forget").addEventListener("click", () => {
      client.forget();
      empty();
      box.focus();
    });
    wide.addEventListener("change", () => (facets.open = wide.matches));
    // At once: terms that come after the results move them.
    client.loadTerms().catch(() => {});
    restorePlace();
  }
  client.ready.then(start, giveUp);
})();
