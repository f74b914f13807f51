// The search box of a page, which answers while somebody types: a combobox with groups of links.
(function () {
  "use strict";
  if (!window.KBFind) return;
  const { button, closeOnBack, element, fold, nameScope, set, titled } = window.KB_PAGE;
  const { askWider, badges, cardName, cardPage, loadTerms } = window.KBFind;
  const { settling } = window.KBMarks;
  const { marked, matching, pageOf, parted, ready, recent, remember } = window.KBFind;
  const { headingOf, rulings, terms, unknownWords, unmatched, verdict } = window.KBFind;
  const RULINGS = 5;
  // So many titles follow a sure answer.
  const OTHERS = 2;
  const TERMS = 2;
  const [REST, SLOW] = [120, 3000];
  const narrow = window.matchMedia("(max-width: 44rem)");

  function start(box, words) {
    const form = box.form;
    const base = `${box.id}-hits`;
    const list = element("div.listbox", { id: base, role: "listbox", "aria-label": words.results });
    const popup = element("div.popup", { hidden: true }, list);
    const said = element("p.hidden", { role: "status" });
    let [options, active, later, slow, forgetBack] = [[], -1, 0, 0, null];
    const settled = settling();
    form.append(popup, said);
    const combobox = { "aria-autocomplete": "list", "aria-expanded": false, "aria-controls": base };
    set(box, { role: "combobox", ...combobox });

    const typed = () => box.value.trim();
    const own = form.querySelector("input[name=game]");
    const game = () => (own && !own.disabled ? own.value : "");
    // On a page of a game: search that game or all.
    function scopes() {
      const press = (isAll) => {
        own.disabled = isAll;
        nameScope(box, isAll ? "" : words.games[own.value]);
        buttons.forEach((node, at) => set(node, { "aria-pressed": isAll === Boolean(at) }));
      };
      const choose = (isAll) => {
        press(isAll);
        if (document.activeElement === box) answer();
        else box.focus();
      };
      const buttons = [words.games[own.value], words.allgames].map((name, at) =>
        button(name, () => choose(Boolean(at)), { className: "plain" }),
      );
      press(own.disabled);
      return element("div.scopes", buttons);
    }
    if (own) popup.prepend(scopes());

    // ---- the list ----
    const option = (href, ...content) =>
      element("a.option", { role: "option", "aria-selected": false, tabIndex: -1, href }, content);
    function group(name, nodes, heading = words[name]) {
      if (!nodes.length) return [];
      const id = `${base}-${name}`;
      const label = element("div.label", { id, role: "presentation" }, heading);
      const about = { role: "group", "aria-labelledby": id, data: { group: name } };
      return [element("div", about, label, nodes)];
    }
    const where = (...parts) => element("span.where", parts.filter(Boolean).join(" · "));
    const owner = (id) => (game() ? "" : words.games[id]);

    function cardOption(card) {
      const name = element("b", cardName(card));
      const data = { game: card.game };
      return option(cardPage(card), { data }, name, " · ", where(rulings(card), owner(card.game)));
    }
    const hitData = ({ key, game }) => ({ ruling: key, game });
    const titleOf = ({ titles, lang }) => element("b", titled(titles[lang], lang));
    const endOf = (hit) => [...badges(hit), where(owner(hit.game))];
    // `isWhole`: nothing of its answer is cut.
    function hitOption(hit, at, isWhole) {
      const { answer, decides, elsewhere, lang } = hit;
      const passage = isWhole ? "p.answered.whole" : "p.answered";
      const answers = decides
        ? [marked(elsewhere, passage), marked(answer, `${passage}.also`)]
        : [marked(answer, passage)];
      for (const node of answers) node.lang = lang;
      const parts = [titleOf(hit), " ", verdict(hit), ...answers, ...endOf(hit)];
      const className = at ? "option" : "option first";
      return option(pageOf(hit), { data: hitData(hit), className }, ...parts);
    }
    // In short: the title, its verdict without the condition, the game if it is another one.
    function titleOption(hit, first) {
      const of = hit.game === first.game ? [] : [where(owner(hit.game))];
      const parts = [titleOf(hit), " ", verdict({ ...hit, when: {} }), " ", ...badges(hit), ...of];
      return option(pageOf(hit), { data: hitData(hit), className: "option title" }, ...parts);
    }
    function termOption({ game, names, meaning, href }) {
      const name = element("b", names[0]);
      const text = element("p.answered", meaning);
      return option(href, { data: { game } }, name, " ", text, where(owner(game)));
    }
    const searchPage = (query, of = game()) => {
      const wanted = new URLSearchParams({ q: query, ...(of ? { game: of } : {}) });
      return `${form.getAttribute("action")}?${wanted}`;
    };
    const recentOption = (query) => option(searchPage(query), query);

    // `others`: what other games have and the game has not, as {label, game}, or null.
    const otherGames = (others, typed) =>
      others ? [option(searchPage(typed, others.game), element("b", others.label))] : [];
    // What may help when nothing is found.
    function ways(answer, typed, others) {
      const label = answer.isExcluded ? "excluded" : "nothing";
      const nodes = [...otherGames(others, typed), option(`${searchPage(typed)}#ask`, words.ask)];
      return group(label, nodes, unmatched(answer) || words[label]);
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
      if (!popup.hidden) forgetBack ??= closeOnBack(close);
      set(box, { "aria-expanded": options.length > 0 });
    }
    function close() {
      clearTimeout(later);
      clearTimeout(slow);
      settled.stop();
      popup.hidden = true;
      forgetBack?.();
      forgetBack = null;
      set(box, { "aria-expanded": false });
      select(-1);
    }
    // Show an answer whole if no more than a line would be cut.
    function uncut() {
      const answers = [...list.querySelectorAll(".answered")];
      const isNearlyWhole = (node) =>
        node.scrollHeight - node.clientHeight < 1.5 * parseFloat(getComputedStyle(node).lineHeight);
      for (const node of answers.filter(isNearlyWhole)) node.classList.add("whole");
    }
    function show(answer, text, others) {
      const { heading, hits } = answer;
      const isNear = heading === "none";
      const label = headingOf(answer, text);
      const isExcluded = label === "excluded";
      const isSure = label === "answer";
      set(list, { data: { heading: label } });
      const titles = hits.slice(1, 1 + OTHERS).map((hit) => titleOption(hit, hits[0]));
      const [full, partial] = isSure
        ? [[hitOption(hits[0], 0, true), ...titles], []]
        : parted({ ...answer, hits: hits.map((hit, at) => hitOption(hit, at)) });
      const headed = [unknownWords(answer), words[label] || words.results].filter(Boolean).join(" ");
      const best = (nodes) => group(label === "numbers" ? label : "rulings", nodes, headed);
      const isCard = answer.cards.some(({ name, sole }) => sole || fold(name) === fold(text));
      // A name among other words is worth a line if it leads to a ruling.
      const cards = answer.cards.filter((card) => isCard || isNear || card.rulings);
      const named = group("cards", cards.map(cardOption));
      const meant = terms(answer.subject || text, game(), TERMS);
      const explained = group("terms", meant.map(termOption));
      const all = option(searchPage(text), element("b", words.all));
      // Rulings come first, unless a whole card or term is typed, or the match is near.
      const isFirst = named.length > 0 && !isCard && !isNear;
      const shown = isFirst || isSure ? 1 : full.length;
      const [before, after] = isFirst ? [[], named] : [named, []];
      const further = group("others", full.slice(shown));
      const ruled = [...before, ...best(full.slice(0, shown)), ...after, ...further];
      ruled.push(...group("partial", partial));
      const isTerm = meant.some(({ rest }) => !rest);
      const groups = isTerm ? [...explained, ...ruled] : [...ruled, ...explained];
      const nothing = isExcluded ? words.excluded : unmatched(answer) || words.nothing;
      const headline = isExcluded ? nothing : words[label];
      const counted = [headline, matching(answer, label)].filter(Boolean).join(" · ");
      const message = [unknownWords(answer), counted].filter(Boolean).join(" ");
      const isNothing = !hits.length && (isExcluded || !groups.length);
      const listed = isNothing
        ? [...groups, ...ways(answer, text, others)]
        : [...otherGames(others, text), ...groups, all];
      open(listed, hits.length ? message : (others?.label ?? nothing));
      uncut();
      form.dataset.state = "done";
    }
    function wait() {
      clearTimeout(slow);
      settled.stop();
      form.dataset.state = "idle";
      open(group("recent", recent().map(recentOption)), "");
    }
    async function answer() {
      const text = typed();
      if (!text) return wait();
      form.dataset.state = "busy";
      clearTimeout(slow);
      slow = setTimeout(sayInstead, SLOW, "slow", text);
      const filters = game() ? [{ name: "game", value: game() }] : [];
      const asked = { filters, limit: RULINGS, typing: true, facets: false };
      // A space at the end says that the last word is finished.
      const options = { ...asked, text: box.value.trimStart() };
      try {
        const answered = await askWider(options);
        const isWanted = () => text === typed() && document.activeElement === box;
        if (!answered || !isWanted()) return;
        const { found, others } = answered;
        if (found.isWaiting) return wait();
        clearTimeout(slow);
        let drawn = null;
        function draw(shown) {
          if (!isWanted() || active >= 0) return;
          drawn = shown;
          show(shown, text, others);
        }
        settled.show(found, draw);
        if (window.KB_TERMS) return;
        await loadTerms().catch(() => {});
        if (drawn && !popup.hidden) draw(drawn);
      } catch (error) {
        form.dataset.state = "failed";
        clearTimeout(slow);
        settled.stop();
        if (document.activeElement === box) sayInstead(navigator.onLine ? "failed" : "offline", text);
      }
    }
    // Without an answer the box still leads to the search page.
    function sayInstead(label, text) {
      open(group(label, [option(searchPage(text), element("b", words.again))]), words[label]);
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
    box.addEventListener("keydown", (event) => {
      if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
      const isOpen = !popup.hidden && options.length > 0;
      const isArrow = ["ArrowDown", "ArrowUp"].includes(event.key);
      const isChoice = event.key === "Enter" && isOpen && options[active];
      if (isArrow || isChoice || event.key === "Escape") event.preventDefault();
      if (isArrow) {
        if (!isOpen) return answer();
        const [count, by] = [options.length + 1, event.key === "ArrowDown" ? 1 : -1];
        select(((active + 1 + by + count) % count) - 1);
      } else if (isChoice) options[active].click();
      else if (event.key === "Escape") {
        if (!popup.hidden) close();
        else box.value = "";
      } else if (event.key === "Tab" && !own) close();
    });
    function changed() {
      select(-1);
      clearTimeout(later);
      later = setTimeout(answer, form.dataset.state === "busy" ? REST : 0);
    }
    box.addEventListener("input", (event) => !event.isComposing && changed());
    box.addEventListener("compositionend", changed);
    function begin() {
      // A phone's keyboard covers half of the screen: a box in a page moves to the top.
      if (narrow.matches && form.closest("main")) form.scrollIntoView({ block: "start", behavior: "instant" });
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
    .then(({ words }) => {
      for (const box of document.querySelectorAll(".find[action] input[type=search]"))
        start(box, words);
    })
    .catch(() => {
      // Without words the box still leads to the search page.
    });
})();
