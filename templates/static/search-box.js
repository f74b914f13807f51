// The search box of a page, which answers while somebody types: a combobox with groups of links.
(function () {
  "use strict";
  if (!window.KBFind) return;
  const { ask, badges, cardName, counted, element, fold, ...others } = window.KBFind;
  const { marked, page, pageOf, ...rest } = others;
  const { cardPage, loadTerms, question, ready, recent, remember, rulings, terms } = rest;
  const RULINGS = 5;
  const TERMS = 2;
  const NUMBER = /^\D{0,3}\d+(\.\d+)*$/;
  const REST = 120;
  const narrow = window.matchMedia("(max-width: 44rem)");

  function start(box) {
    const form = box.form;
    const { words } = window.KBFind;
    const popup = element("div", "", "popup");
    const list = element("div", "", "listbox");
    const said = element("p", "", "hidden");
    const base = `${box.id}-hits`;
    let [options, active, later] = [[], -1, 0];
    list.id = base;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", words.results);
    said.setAttribute("role", "status");
    popup.hidden = true;
    popup.append(list);
    form.append(popup, said);
    box.setAttribute("role", "combobox");
    box.setAttribute("aria-autocomplete", "list");
    box.setAttribute("aria-expanded", "false");
    box.setAttribute("aria-controls", base);

    const typed = () => box.value.trim();
    const own = form.querySelector("input[name=game]");
    const game = () => (own && !own.disabled ? own.value : "");
    // On a page of a game: search that game or all.
    function scopes() {
      const row = element("div", "", "scopes");
      const buttons = [words.games[own.value], words.allgames].map((name) =>
        element("button", name, "plain"),
      );
      const press = () =>
        buttons.forEach((button, at) =>
          button.setAttribute("aria-pressed", String(own.disabled === Boolean(at))),
        );
      buttons.forEach((button, at) => {
        button.type = "button";
        button.addEventListener("click", () => {
          own.disabled = Boolean(at);
          press();
          if (document.activeElement === box) answer();
          else box.focus();
        });
      });
      press();
      row.append(...buttons);
      return row;
    }

    if (own) popup.prepend(scopes());

    // ---- the list ----
    function option(href, ...content) {
      const node = element("a", "", "option");
      node.setAttribute("role", "option");
      node.setAttribute("aria-selected", "false");
      node.tabIndex = -1;
      node.href = href;
      node.append(...content);
      return node;
    }
    function colored(node, game) {
      node.dataset.game = game;
      return node;
    }
    function group(name, nodes) {
      if (!nodes.length) return [];
      const [node, label] = [element("div"), element("div", words[name], "label")];
      label.id = `${base}-${name}`;
      label.setAttribute("role", "presentation");
      node.setAttribute("role", "group");
      node.setAttribute("aria-labelledby", label.id);
      node.dataset.group = name;
      node.append(label, ...nodes);
      return [node];
    }
    const where = (...parts) => element("span", parts.filter(Boolean).join(" · "), "where");
    const owner = (id) => (game() ? "" : words.games[id]);

    function cardOption(card) {
      const name = element("b", cardName(card));
      const { game } = card;
      return colored(option(cardPage(card), name, " · ", where(rulings(card), owner(game))), game);
    }
    function hitOption(hit) {
      const title = element("b", hit.titles[hit.lang]);
      const answers = [marked(hit.answer, "answered")];
      if (hit.decides) {
        answers[0].classList.add("also");
        answers.unshift(marked(hit.elsewhere, "answered"));
      }
      for (const node of [title, ...answers]) node.lang = hit.lang;
      const node = option(pageOf(hit), title, ...answers, ...badges(hit), where(owner(hit.game)));
      node.dataset.ruling = hit.key;
      return colored(node, hit.game);
    }
    function termOption(term) {
      const name = element("b", term.names[0]);
      const meaning = element("p", term.meaning, "answered");
      return colored(option(term.href, name, " ", meaning, where(owner(term.game))), term.game);
    }
    const searchPage = (query) => {
      const wanted = new URLSearchParams({ q: query, ...(game() ? { game: game() } : {}) });
      return `${form.getAttribute("action")}?${wanted}`;
    };
    const recentOption = (query) => option(searchPage(query), query);

    // What may help when nothing is found; the buttons above lead to all games.
    function ways(answer, typed) {
      const { suggestion } = answer;
      const better = suggestion
        ? [option(searchPage(suggestion), words.meant, " ", element("b", suggestion))]
        : [];
      const { href, text } = question(answer, typed, game());
      return group("nothing", [...better, option(href, text)]);
    }

    function open(groups, message) {
      list.replaceChildren(...groups);
      list.scrollTop = 0;
      options = [...list.querySelectorAll("[role=option]")];
      options.forEach((node, at) => (node.id = `${base}-${at}`));
      said.textContent = message;
      active = -1;
      box.removeAttribute("aria-activedescendant");
      popup.hidden = !options.length && !own;
      box.setAttribute("aria-expanded", String(options.length > 0));
    }
    function close() {
      clearTimeout(later);
      popup.hidden = true;
      box.setAttribute("aria-expanded", "false");
      box.removeAttribute("aria-activedescendant");
      select(-1);
    }
    // Show an answer whole if no more than a line would be cut.
    function uncut() {
      const answers = [...list.querySelectorAll(".answered")];
      const isNearlyWhole = (node) =>
        node.scrollHeight - node.clientHeight < 1.5 * parseFloat(getComputedStyle(node).lineHeight);
      for (const node of answers.filter(isNearlyWhole)) node.classList.add("whole");
    }
    function show(answer, text) {
      const isNumber = NUMBER.test(text);
      const hits = answer.hits.map(hitOption);
      hits[0]?.classList.add("first");
      const isNear = answer.match === "near";
      const found = answer.match === "most" ? "closest" : isNumber ? "numbers" : "rulings";
      const label = isNear ? "near" : found;
      const named = group("cards", answer.cards.map(cardOption));
      const isCard = answer.cards.some(({ name, sole }) => sole || fold(name) === fold(text));
      const meant = terms(text, game(), TERMS);
      const explained = group("terms", meant.map(termOption));
      const all = option(searchPage(text), element("b", words.all));
      // Rulings come first, unless a whole card or term is typed, or the match is near.
      const isFirst = named.length > 0 && !isCard && !isNear;
      const ruled = isFirst
        ? [...group(label, hits.slice(0, 1)), ...named, ...group("others", hits.slice(1))]
        : [...named, ...group(label, hits)];
      const isTerm = meant.length > 0 && !meant[0].rest;
      const groups = isTerm ? [...explained, ...ruled] : [...ruled, ...explained];
      const total = answer.total ? counted("found", answer.total) : words.nothing;
      const isEmpty = !groups.length && !answer.total;
      open(isEmpty ? ways(answer, text) : [...groups, all], total);
      uncut();
      form.dataset.state = "done";
    }
    async function answer() {
      const text = typed();
      form.dataset.state = "busy";
      if (!text) {
        form.dataset.state = "idle";
        return open(group("recent", recent().map(recentOption)), "");
      }
      const filters = game() ? [{ name: "game", value: game() }] : [];
      const options = { text, filters, limit: RULINGS, typing: true, facets: false };
      try {
        const found = await ask(options);
        const isWanted = () => text === typed() && document.activeElement === box;
        if (!found || !isWanted()) return;
        show(found, text);
        if (window.KB_TERMS) return;
        await loadTerms();
        if (isWanted() && !popup.hidden && active < 0) show(found, text);
      } catch (error) {
        // Without an answer the box still leads to the search page.
        form.dataset.state = "failed";
        close();
      }
    }

    // ---- the keyboard ----
    function select(at) {
      options[active]?.setAttribute("aria-selected", "false");
      active = at;
      const node = options[at];
      if (!node) return box.removeAttribute("aria-activedescendant");
      node.setAttribute("aria-selected", "true");
      box.setAttribute("aria-activedescendant", node.id);
      node.scrollIntoView({ block: "nearest" });
    }
    function follow(node) {
      if (node.dataset.ruling) remember(typed());
      location.href = node.href;
    }
    box.addEventListener("keydown", (event) => {
      if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
      const isOpen = !popup.hidden && options.length > 0;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        if (!isOpen) return answer();
        const [count, by] = [options.length + 1, event.key === "ArrowDown" ? 1 : -1];
        select(((active + 1 + by + count) % count) - 1);
      } else if (event.key === "Enter" && isOpen && options[active]) {
        event.preventDefault();
        follow(options[active]);
      } else if (event.key === "Escape") {
        event.preventDefault();
        if (!popup.hidden) close();
        else box.value = "";
      } else if (event.key === "Tab" && !own) close();
    });
    function changed() {
      clearTimeout(later);
      later = setTimeout(answer, form.dataset.state === "busy" ? REST : 0);
    }
    box.addEventListener("input", (event) => !event.isComposing && changed());
    box.addEventListener("compositionend", changed);
    function begin() {
      // A phone's keyboard covers half of the screen, so the box moves to the top.
      if (narrow.matches) form.scrollIntoView({ block: "start", behavior: "instant" });
      answer();
    }
    box.addEventListener("focus", begin);
    // Stay open if nothing gets the focus: somebody has put a phone's keyboard away to read.
    form.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget && !form.contains(relatedTarget)) close();
    });
    // A press on the list must not take the focus from the box.
    popup.addEventListener("pointerdown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => {
      if (event.target.closest("[data-ruling]")) remember(typed());
    });
    document.addEventListener("pointerdown", (event) => {
      if (!form.contains(event.target)) close();
    });
    form.addEventListener("submit", () => remember(typed()));
    if (document.activeElement === box) begin();
  }

  ready
    .then(() => {
      for (const box of document.querySelectorAll(".find[action] input[type=search]")) start(box);
    })
    .catch(() => {
      // Without words the box still leads to the search page.
    });
})();
