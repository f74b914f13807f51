// Holds the browser's deck script to vectors.json:
// node vectors.cjs SEARCH-CORE.js DECK-CORE.js INDEX DECK-DATA.js VECTORS.json. Prints what differs.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const [search, core, index, data, file] = process.argv.slice(2);
const vectors = JSON.parse(fs.readFileSync(file, "utf-8"));
function shard(name) {
  const text = fs.readFileSync(name, "utf-8");
  return JSON.parse(text.slice(text.indexOf(",") + 1, text.lastIndexOf(")")));
}
for (const script of [search, core])
  vm.runInThisContext(fs.readFileSync(script, "utf-8"), { filename: script });
const load = async (name) => shard(path.join(index, name));
const engine = globalThis.KBSearch(shard(path.join(index, "base.js")), load);
const deck = globalThis.KBDeck(shard(data), engine);

(async () => {
  const differing = [];
  const compare = (text, expected, given) =>
    JSON.stringify(expected) === JSON.stringify(given) || differing.push({ text, expected, given });
  for (const { text, lines } of vectors.lines)
    compare(
      text,
      lines,
      deck.parse(text).map((line) => [line.number, line.text, line.readings, line.optional]),
    );
  for (const { text, answer } of vectors.answers) {
    compare(text, answer, await deck.answer(text, "pl"));
  }
  const kinds = ["name", "form", "near"].map((how) => deck.named("2x Sidiousa (C)\n1 ???", how));
  compare("named", [0, 1], (await Promise.all(kinds)).slice(0, 2));
  const said = (text) => {
    try {
      return deck.parse(text);
    } catch (error) {
      return error.said;
    }
  };
  compare("unreadable", ["json", "long"], ['[{"a": 1}]', "1 a\n".repeat(2001)].map(said));
  // A card that stands beside another is moved to a line of its own.
  const row = "2 Sidious\tCorusant Speeder\tx";
  const { unknown } = await deck.answer(row, "pl");
  const moved = deck.corrected(row, unknown[0], "Coruscant Speeder");
  compare("corrected", "2 Sidious\t\tx\n1 Coruscant Speeder", moved);
  // Cards and traits may have names that every object of JavaScript knows.
  const base = shard(data);
  base.cards.push(["constructor", "", "constructor", [], ["constructor", "toString"]]);
  const odd = globalThis.KBDeck(base, engine);
  const { rules } = await odd.answer("2 constructor");
  compare("constructor", [[], null], [rules, odd.pageOf("constructor")]);
  console.log(JSON.stringify(differing, null, 1));
})();
