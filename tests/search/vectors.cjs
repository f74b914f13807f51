// Holds the browser's search modules to vectors.json: node vectors.cjs MODULES.js INDEX VECTORS.json
// MODULES.js: the joined modules; INDEX: the folder of base.js and the buckets. Prints what differs as JSON.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const [modulesFile, indexFolder, vectorsFile] = process.argv.slice(2);
const vectors = JSON.parse(fs.readFileSync(vectorsFile, "utf-8"));

function bucket(file) {
  const text = fs.readFileSync(path.join(indexFolder, file), "utf-8");
  return JSON.parse(text.slice(text.indexOf(",") + 1, text.lastIndexOf(")")));
}

vm.runInThisContext(fs.readFileSync(modulesFile, "utf-8"), { filename: modulesFile });
const base = bucket("base.js");
const engine = globalThis.KBSearch(base, async (file) => bucket(file));
const { text, query, forms } = engine;

// Offsets of JavaScript's strings are UTF-16 units, those of the vectors code points.
const codePoints = (string, end) => [...string.slice(0, end)].length;
const rounded = (score) => Math.round(score * 1e6) / 1e6;

const CHECKS = {
  queries: (vector) => ({ text: vector.text, ...query.parse(vector.text) }),
  texts(vector) {
    const tokens = text.tokenize(vector.text);
    return {
      text: vector.text,
      places: tokens.map(({ start, end }) => [
        codePoints(vector.text, start),
        codePoints(vector.text, end),
      ]),
      words: tokens.map((token) => [token.text, text.fold(token.text), text.parts(token.text)]),
    };
  },
  spellings: ({ word, other }) => ({
    word,
    other,
    distance: text.distance(word, other, 3),
    allowed: text.allowed(word),
    isSlip: text.isSlip(word, other),
  }),
  async words({ word, lang }) {
    await forms.load([word]);
    const { lemmas, how } = forms.analyze(word, lang);
    return { word, lang, lemmas: [...lemmas].sort(), how };
  },
  async searches({ text: typed, interface: ui }) {
    const answer = await engine.answer({ text: typed, ui });
    const { total, match, confidence, hiddenBy, isExcluded } = answer;
    const { suggestion, searchedFor, cards, hits } = answer;
    const results = hits.map((hit) => [
      hit.key,
      rounded(hit.score),
      hit.match,
      hit.lang,
      hit.snippet.join(""),
      [hit.answer, hit.elsewhere].map((pieces) => pieces && pieces.join("|")),
      hit.decides,
      hit.status,
    ]);
    const named = cards.map(({ game, name, rulings, address, foreign }) => [
      game,
      name,
      rulings,
      address,
      foreign,
    ]);
    return {
      text: typed,
      interface: ui,
      total,
      match,
      confidence,
      hiddenBy,
      isExcluded,
      suggestion,
      searchedFor,
      cards: named,
      results,
    };
  },
};

// Scores are rounded, and sums may differ in their last digit.
const TOLERANCE = 2e-6;
function same(one, other) {
  if (typeof one === "number" && typeof other === "number")
    return Math.abs(one - other) <= TOLERANCE;
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object")
    return one === other;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => key in other && same(one[key], other[key]))
  );
}

(async () => {
  const differing = [];
  for (const [kind, check] of Object.entries(CHECKS))
    for (const vector of vectors[kind] || []) {
      const given = await check(vector);
      if (!same(vector, given)) differing.push({ kind, expected: vector, given });
    }
  console.log(JSON.stringify(differing, null, 1));
})();
