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
  function isKnown(piece, lang) {
    const words = text.wordsOf(piece);
    return words.length > 0 && words.every((word) => expansion.isFamiliar(word, lang));
  }
  const weightOf = (known, weights) =>
    weights.reduce((sum, weight, at) => sum + (known[at] ? weight : 0), 0);

  // A piece read on a keyboard, and whether a language knows it then; a name may stay as typed.
  async function pieceReading(piece, isTyped, keyboard, lang) {
    if (isKnown(piece, lang)) return { spelling: piece, known: true };
    const all = readings(piece, keyboard);
    await load(all);
    const spelling = all.find((one) => isKnown(one, lang));
    if (spelling !== undefined) return { spelling, known: true };
    return { spelling: keyboard.whole && !isTyped && all.length ? all[0] : piece, known: false };
  }

  // The likeliest reading of a query; null for the query as typed.
  async function read(typed, languages) {
    const pieces = typed.split(/\s+/u).filter(Boolean);
    const isMeant = [...settings.meantMarks].some((mark) => typed.includes(mark));
    if (!pieces.length || !languages.length || isMeant || pieces.length > settings.maxPieces)
      return null;
    await load(pieces);
    const known = pieces.map((piece) => languages.some((lang) => isKnown(piece, lang)));
    const weights = pieces.map((piece) => (piece.length < short ? shortWeight : 1));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const most = weightOf(known, weights) + Math.min(settings.betterMost, settings.betterPart * sum);
    if (sum <= most) return null;
    // Known pieces are looked up only if another reading makes an unknown one known.
    async function reading(keyboard, lang) {
      const read = [];
      const readThose = (isWanted) =>
        Promise.all(
          pieces.map(async (piece, at) => {
            if (known[at] !== isWanted) return;
            read[at] = await pieceReading(piece, known[at], keyboard, lang);
          }),
        );
      await readThose(false);
      if (!read.some((one) => one.known)) return null;
      await readThose(true);
      const spelled = read.map(({ spelling }) => spelling);
      return { spelled, score: weightOf(read.map((one) => one.known), weights) };
    }
    const ways = keyboards.flatMap((keyboard) => {
      const spoken = keyboard.languages.filter((code) => languages.includes(code));
      return spoken.map((lang) => reading(keyboard, lang));
    });
    const isOther = ({ spelled }) => spelled.some((spelling, at) => spelling !== pieces[at]);
    const found = (await Promise.all(ways)).filter(
      (way) => way && way.score > most && isOther(way),
    );
    const best = Math.max(...found.map(({ score }) => score));
    return found.find(({ score }) => score === best)?.spelled.join(" ") ?? null;
  }

  return { read };
};
