// Folds a text as kb.language.fold does: without case, diacritics and apostrophes. The first part of
// each script that folds.
"use strict";
globalThis.KBFold = (function () {
  // As in kb.language.fold.
  const SPECIAL = {
    ł: "l",
    đ: "d",
    ø: "o",
    ß: "ss",
    æ: "ae",
    œ: "oe",
    þ: "th",
    ı: "i",
    й: "й",
    ё: "е",
  };
  for (const apostrophe of "'’‘ʼ`´") SPECIAL[apostrophe] = "";
  for (const dash of "‐‑–—−") SPECIAL[dash] = "-";
  function foldLetter(letter) {
    if (Object.hasOwn(SPECIAL, letter)) return SPECIAL[letter];
    const decomposed = letter.normalize("NFKD").toLowerCase().normalize("NFKD");
    const bases = [...decomposed].filter((char) => !/\p{M}/u.test(char));
    return bases.map((base) => SPECIAL[base] ?? base).join("");
  }
  const folded = new Map();
  function cached(letter) {
    if (!folded.has(letter)) folded.set(letter, foldLetter(letter));
    return folded.get(letter);
  }
  return (text) => {
    const lower = text.normalize("NFC").toLowerCase().normalize("NFC");
    return Array.from(lower, cached).join("");
  };
})();
