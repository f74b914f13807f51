// What answers show alike on the site and in a pack: the words of a query in the passages of its
// results, and the heading while somebody types. window.KBMarks.
(function () {
  "use strict";
  const { element, fold, verdictTile } = window.KB_PAGE;
  const WORDS = /[\p{L}\p{N}]+/gu;
  const foldedWords = (text) => text.match(WORDS) || [];
  const wordsIn = (text) => foldedWords(fold(text));
  // Whether a matching word is one that was typed, in any form, or means the same: forms of a word
  // begin alike.
  const ALIKE = 0.6;
  function isTyped(match, typed) {
    const isForm = (word, other) => {
      const length = Math.max(2, Math.round(ALIKE * Math.min(word.length, other.length)));
      return word.slice(0, length) === other.slice(0, length);
    };
    return wordsIn(match).some((word) => typed.some((other) => isForm(word, other)));
  }
  // The nodes of a passage, whose every second piece is a match. `typed`: the words of the query.
  function markWords(pieces, typed) {
    const mark = (match) => element(isTyped(match, typed) ? "mark" : "mark.synonym", match);
    return pieces.map((piece, at) => piece && (at % 2 ? mark(piece) : piece));
  }

  // The verdict of a result. Yes and No answer the title, so they have a colour only if it was
  // typed: who asks the opposite would read them wrongly. Short words of a title are left out.
  const SHORT = 3;
  function verdictOf(words, hit, typed) {
    const tile = verdictTile(words, hit);
    const isTitle = (title) =>
      wordsIn(title).every((word) => word.length <= SHORT || isTyped(word, typed));
    if (["yes", "no"].includes(hit.verdict) && !Object.values(hit.titles).some(isTitle))
      tile.classList.add("aside");
    return tile;
  }

  // The words of a query that no ruling has, joined; "" for an answer, or if the query was corrected.
  function absent({ heading, searchedFor, suggestion, words }) {
    if (searchedFor || suggestion || ["answer", "named"].includes(heading)) return "";
    return words
      .filter(({ nearby }) => !nearby.length)
      .map(({ text }) => text)
      .join(", ");
  }

  // While somebody types, a heading that denies, and that nothing was found, wait for a pause, after
  // which the last word counts as finished; a heading that stands already may stay. An unfinished word
  // denies nothing.
  const REST = 700;
  const DENIALS = ["close", "none"];
  const strength = (heading) => DENIALS.indexOf(heading);
  // {show, stop}: `show` draws an answer by a function, now, after the pause or both.
  function settling() {
    let [shown, later] = ["", 0];
    function stop() {
      clearTimeout(later);
      shown = "";
    }
    function show(answer, draw) {
      clearTimeout(later);
      const { heading, hits, isTyping, isUnfinished } = answer;
      function say(heading) {
        shown = heading;
        draw({ ...answer, heading });
      }
      const isAllowed = !isTyping || (hits.length && strength(heading) <= strength(shown));
      if (isAllowed) return say(heading);
      if (hits.length) say(DENIALS.includes(shown) ? shown : "");
      if (!hits.length || !isUnfinished) later = setTimeout(say, REST, heading);
    }
    return { show, stop };
  }
  window.KBMarks = { absent, foldedWords, markWords, settling, verdictOf, wordsIn };
})();
