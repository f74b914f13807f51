// The words of a query in the passages of its results, on the site and in a pack. window.KBMarks.
(function () {
  "use strict";
  const { element, fold } = window.KB_PAGE;
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
  window.KBMarks = { foldedWords, markWords, wordsIn };
})();
