// Queries typed on another keyboard, as kb.search.keyboards.
"use strict";
(globalThis.KBSearchModules ??= {}).keyboards = (base, { text, expansion, forms }) => {
  const { keyboards: settings } = base;
  const { maxSpellings, endMarks, short, shortWeight } = settings;
  const escaped = (string) => string.replace(/[\\^$.*+?()[\]{}|-]/g, "\\$&");
  const soundPattern = (sounds) => {
    const byLength = Object.keys(sounds).sort((one, other) => other.length - one.length);
    return new RegExp(byLength.map(escaped).join("|"), "gu");
  };
  const keyboards = settings.keyboards.map((one) => ({ ...one, sound: soundPattern(one.sounds) }));
  const stripped = (marks) => new RegExp(`^[${escaped(marks)}]+|[${escaped(marks)}]+$`, "gu");
  const AROUND = stripped(endMarks + '"()');
  const AT_END = new RegExp(`[${escaped(endMarks)}]+$`, "u");
  const translated = (piece, table) => [...piece].map((char) => table[char] ?? char).join("");

  // The words that Latin letters may stand for, the plainest first: the last letters vary first.
  function spellingsOf(piece, { sounds, sound }) {
    const bare = piece.toLowerCase().replace(AROUND, "");
    const heard = bare.match(sound) || [];
    if (!heard.length || heard.join("") !== bare) return [];
    const ahead = (ends, one) =>
      [...sounds[one]].flatMap((letters) => ends.map((end) => letters + end));
    return heard.reduceRight((ends, one) => ahead(ends, one).slice(0, maxSpellings), [""]);
  }

  // The readings of a piece on a keyboard, the likeliest first.
  function readings(piece, keyboard) {
    const { sounds, table } = keyboard;
    if (Object.keys(sounds).length) return spellingsOf(piece, keyboard);
    const bare = piece.replace(AT_END, "");
    const read = translated(bare, table);
    return bare === piece ? [read] : [translated(piece, table), read];
  }

  const load = (pieces) => forms.load(pieces.flatMap(text.wordsOf));
  // 1 if a language knows all words of a piece, else 0.
  function knownPart(piece, lang) {
    const words = text.wordsOf(piece);
    return words.length && words.every((word) => expansion.isFamiliar(word, lang)) ? 1 : 0;
  }
  const weighted = (values, weights) =>
    values.reduce((sum, value, at) => sum + value * weights[at], 0);

  // A piece read on a keyboard, and whether a language knows it; a name may stay as typed.
  async function pieceReading(piece, isTyped, keyboard, lang) {
    const asTyped = knownPart(piece, lang);
    const kept = { spelling: piece, known: asTyped, isBetter: false };
    if (asTyped === 1) return kept;
    const all = readings(piece, keyboard);
    await load(all);
    const better = all.find((spelling) => knownPart(spelling, lang) > asTyped);
    if (better !== undefined) return { spelling: better, known: 1, isBetter: true };
    return keyboard.whole && !isTyped && all.length ? { ...kept, spelling: all[0] } : kept;
  }

  // The pieces read on a keyboard if more than `most` of their weight is known, else null. Unknown
  // pieces come first: if those that are needed for that are no better, the others are not looked up.
  async function reading({ pieces, parts, weights }, most, keyboard, lang) {
    const numbers = pieces.map((_, at) => at);
    numbers.sort((one, other) => parts[one] - parts[other] || one - other);
    const read = [];
    const known = pieces.map(() => 1);
    const readSome = (some) =>
      Promise.all(
        some.map(async (at) => {
          read[at] = await pieceReading(pieces[at], parts[at] > 0, keyboard, lang);
          known[at] = read[at].known;
        }),
      );
    const without = (some) => known.map((part, at) => (some.includes(at) ? 0 : part));
    const isEnough = (at) => weighted(without(numbers.slice(0, at + 1)), weights) <= most;
    const needed = numbers.findIndex((_, at) => isEnough(at)) + 1;
    await readSome(numbers.slice(0, needed));
    if (!read.some(({ isBetter }) => isBetter)) return null;
    await readSome(numbers.slice(needed));
    const score = weighted(known, weights);
    return score > most ? { spelled: read.map(({ spelling }) => spelling), score } : null;
  }

  // The likeliest reading of a query; null for the query as typed.
  async function read(typed, languages) {
    const pieces = typed.split(/\s+/u).filter(Boolean);
    const isMeant = [...settings.meantMarks].some((mark) => typed.includes(mark));
    if (!pieces.length || !languages.length || isMeant || pieces.length > settings.maxPieces)
      return null;
    await load(pieces);
    const parts = pieces.map((piece) =>
      Math.max(...languages.map((lang) => knownPart(piece, lang))),
    );
    const weights = pieces.map((piece) => (piece.length < short ? shortWeight : 1));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const most =
      weighted(parts, weights) + Math.min(settings.betterMost, settings.betterPart * sum);
    if (sum <= most) return null;
    const ways = keyboards.flatMap((keyboard) => {
      const spoken = keyboard.languages.filter((code) => languages.includes(code));
      return spoken.map((lang) => reading({ pieces, parts, weights }, most, keyboard, lang));
    });
    const isOther = ({ spelled }) => spelled.some((spelling, at) => spelling !== pieces[at]);
    const found = (await Promise.all(ways)).filter((way) => way && isOther(way));
    const best = Math.max(...found.map(({ score }) => score));
    return found.find(({ score }) => score === best)?.spelled.join(" ") ?? null;
  }

  return { read };
};
