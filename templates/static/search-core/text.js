// Tokens, folding and spelling distance, as in kb.language.
"use strict";
(globalThis.KBSearchModules ??= {}).text = ({ text: settings }) => {
  const { apostrophes, hyphens, slips } = settings;
  const LETTER = "(?:[\\p{L}\\p{N}][\\u0300-\\u036f]*)";
  const NUMBER = "\\p{Nd}+(?:\\.\\p{Nd}+)+(?![\\p{L}\\p{N}_])";
  const WORD = new RegExp(`${NUMBER}|${LETTER}+(?:[${apostrophes}${hyphens}]${LETTER}+)*`, "gu");
  const HYPHEN = new RegExp(`[${hyphens}]`);
  const SPACE = new RegExp(`[${settings.spaces}]+`, "gu");
  const DROPPED = new RegExp(`(${settings.joined})|[${settings.dropped}]`, "gu");
  const MAX_CACHED = 50000;

  // A typed text composed and without invisible characters, as clean_typed() of kb.core.characters cleans it.
  const clean = (text) =>
    text
      .replace(SPACE, " ")
      .replace(DROPPED, "$1")
      .replace(SPACE, " ")
      .replace(/^ | $/g, "")
      .normalize("NFC");

  // A function that keeps its values, `most` of them.
  function cached(most, compute) {
    const values = new Map();
    return (key) => {
      if (!values.has(key)) {
        if (values.size >= most) values.clear();
        values.set(key, compute(key));
      }
      return values.get(key);
    };
  }

  const PLAIN = /^[a-z0-9]*$/;
  const foldAny = cached(MAX_CACHED, globalThis.KBFold);
  const fold = (text) => (PLAIN.test(text) ? text : foldAny(text));

  const tokenize = (text) =>
    [...text.matchAll(WORD)].map(({ 0: word, index }) => {
      return { start: index, end: index + word.length, text: word };
    });
  const wordsOf = (text) => text.match(WORD) || [];

  // R2-D2 -> R2D2, R2, D2; empty for words without a hyphen.
  function parts(word) {
    const pieces = word.split(HYPHEN).filter(Boolean);
    return pieces.length > 1 ? [pieces.join(""), ...pieces] : [];
  }

  // The owner in a possessive: Vader's -> Vader; empty for other words.
  function owner(word) {
    const possessive = word.length > 3 && word.endsWith("s") && apostrophes.includes(word.at(-2));
    return possessive ? word.slice(0, -2) : "";
  }

  // How many slips a word may hold.
  const allowed = (word) =>
    /\p{Nd}/u.test(word) ? 0 : slips[Math.min(word.length, slips.length - 1)];

  // Optimal string alignment distance, at most `most + 1`.
  function distance(word, other, most) {
    if (Math.abs(word.length - other.length) > most) return most + 1;
    let before = [];
    let last = Array.from({ length: other.length + 1 }, (_, column) => column);
    for (let row = 1; row <= word.length; row++) {
      const current = [row];
      for (let column = 1; column <= other.length; column++) {
        const cost = word[row - 1] === other[column - 1] ? 0 : 1;
        let best = Math.min(last[column] + 1, current[column - 1] + 1, last[column - 1] + cost);
        const isSwap =
          row > 1 && word[row - 1] === other[column - 2] && word[row - 2] === other[column - 1];
        if (isSwap && column > 1) best = Math.min(best, before[column - 2] + 1);
        current[column] = best;
      }
      if (Math.min(...current) > most && (!before.length || Math.min(...last) > most))
        return most + 1;
      before = last;
      last = current;
    }
    return Math.min(last[other.length], most + 1);
  }

  // Whether a folded word is another with a slip of the finger, rather than a word of its own.
  function isSlip(word, other) {
    const [typed, meant] = [word, other].map((form) => form.replace(/(.)\1+/gu, "$1"));
    if (word === other || typed[0] !== meant[0]) return false;
    if (typed.length === meant.length) {
      for (let at = 1; at < typed.length; at++) {
        if (typed[at] === meant[at]) continue;
        if (typed[at] !== meant[at + 1] || typed[at + 1] !== meant[at]) return false;
        at++;
      }
      return true;
    }
    const [shorter, longer] = [typed, meant].sort((one, two) => one.length - two.length);
    const without = (at) => longer.slice(0, at) + longer.slice(at + 1);
    return [...longer].some((_, at) => at && at < longer.length - 1 && without(at) === shorter);
  }

  return { cached, clean, fold, tokenize, wordsOf, parts, owner, allowed, distance, isSlip };
};
