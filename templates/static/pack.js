// Search inside an event pack: everything is in the page already.
(function () {
  "use strict";
  const { $, badges, button, counted, dataOf, element } = window.KB_PAGE;
  const { titled } = window.KB_PAGE;
  const [reading] = document.body.dataset.own.split(" ");
  const { absent, markWords, settling, verdictOf, wordsIn } = window.KBMarks;
  const ids = ["q", "said", "results", "found", "cards", "back"];
  const [box, said, list, found, named, back] = ids.map($);
  const [words, numbers] = ["words", "numbers"].map(dataOf);
  // A card's page is its line in the index of cards.
  const base = { ...KB_HELD.get("base"), cardAddress: "#card-{game}-{id}" };
  const engine = KBSearch(base, async (file, name) => KB_HELD.get(name));
  function row(hit, typed) {
    const { answer, decides, elsewhere, key, lang, titles } = hit;
    // The deciding sentence stands before the answer.
    const passages = (decides ? [elsewhere, answer] : [answer, elsewhere]).filter(Boolean);
    const marks = badges(words, hit, titles[lang]);
    const title = titled(titles[lang], lang);
    const link = element("a", { href: "#r" + numbers[key] }, `${numbers[key]} `, title);
    const verdict = hit.verdict && element("p", verdictOf(words.verdict, hit, typed));
    return element(
      "li",
      { lang, data: { ruling: key } },
      element("h2", link),
      verdict,
      passages.map((pieces) => element("p", markWords(pieces, typed))),
      marks.length > 0 && element("p", marks),
    );
  }
  // How sure the answer is, and how many rulings are full matches.
  function label(answer) {
    const { heading, hits, match, searchedFor, suggestion, total } = answer;
    const read = suggestion || searchedFor;
    const unknown = absent(answer);
    const count = total ? counted(words.found, total) : "";
    said.dataset.match = match;
    list.dataset.heading = heading;
    const nothing = unknown ? words.fewer : `${words.nothing} ${words.fewer}`;
    said.textContent = hits.length ? [words[heading], count].filter(Boolean).join(" · ") : nothing;
    if (unknown) said.prepend(words.absent.replace("{words}", () => unknown), element("br"));
    if (!read) return;
    const onclick = () => {
      box.value = read;
      show(false);
      box.focus();
    };
    said.prepend(words.searched + " ", button(read, onclick, { className: "plain" }), element("br"));
  }
  function card({ game, name, rulings, address }) {
    const link = element("a", { href: address }, name);
    return element("li", link, ` · ${words.games[game]}, ${counted(words.found, rulings)}`);
  }
  const settled = settling();
  function wait() {
    settled.stop();
    found.hidden = back.hidden = true;
  }
  let asked = 0;
  async function show(typing) {
    const mine = ++asked;
    const text = box.value.trimStart();
    if (!text) return wait();
    const options = { text, limit: 20, typing, ui: reading };
    const answer = await engine.answer(options, () => mine === asked);
    if (!answer || mine !== asked) return;
    if (answer.isWaiting) return wait();
    // Somebody may have scrolled down to a ruling.
    window.scrollTo({ top: 0, behavior: "instant" });
    settled.show(answer, (shown) => draw(shown, text));
  }
  function draw(answer, text) {
    found.hidden = false;
    label(answer);
    back.hidden = !answer.hits.length;
    // Only cards with rulings are in the index of cards.
    const cards = answer.cards.filter(({ rulings }) => rulings);
    named.firstElementChild.replaceChildren(...cards.map(card));
    named.hidden = !cards.length;
    const rows = answer.hits.map((hit) => row(hit, wordsIn(text)));
    const parting = element("li.parting", words.partial);
    if (answer.total && answer.total < rows.length) rows.splice(answer.total, 0, parting);
    list.replaceChildren(...rows);
    found.dataset.state = "done";
  }
  box.addEventListener("input", () => show(true));
  // Leads to the first result; the link above the page leads back to all.
  $("search").addEventListener("submit", async (event) => {
    event.preventDefault();
    await show(false);
    const first = list.querySelector("a");
    // A guess, or a word that may be mistyped: the reader chooses.
    if (!first || said.dataset.match === "near" || said.querySelector("button")) return;
    box.blur();
    location.hash = first.hash;
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    box.value = "";
    show(false);
  });

  // The contents are folded on a narrow screen; paper and a wide screen have them whole.
  const wide = matchMedia("(min-width: 60rem)");
  function openFolds() {
    for (const part of document.querySelectorAll(".part")) part.open = wide.matches;
  }
  wide.addEventListener("change", openFolds);
  openFolds();
})();
