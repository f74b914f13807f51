// What is loaded for questions, and after each: node ahead.cjs MODULES.js INDEX OPTIONS.json [CONNECTION]
// OPTIONS: the options of each question; CONNECTION: navigator.connection, as JSON. Prints, as JSON,
// for each question the names of the files that it waited for, and of those loaded after its answer.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const [modulesFile, indexFolder, optionsFile, connection = "{}"] = process.argv.slice(2);
const navigator = { connection: JSON.parse(connection) };
Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true });
vm.runInThisContext(fs.readFileSync(modulesFile, "utf-8"), { filename: modulesFile });

let files = [];
function shard(file) {
  const text = fs.readFileSync(path.join(indexFolder, file), "utf-8");
  return JSON.parse(text.slice(text.indexOf(",") + 1, text.lastIndexOf(")")));
}
async function load(file) {
  files.push(file);
  await new Promise(setImmediate);
  return shard(file);
}
function taken() {
  const names = files;
  files = [];
  return names;
}
// Waits until nothing has been loaded for a while.
async function quiet() {
  for (let count = -1; count !== files.length; ) {
    count = files.length;
    await new Promise((done) => setTimeout(done, 500));
  }
}

(async () => {
  const engine = globalThis.KBSearch(shard("base.js"), load);
  const all = [];
  for (const options of JSON.parse(fs.readFileSync(optionsFile, "utf-8"))) {
    await engine.answer({ ui: "en", ...options });
    const waited = taken();
    await quiet();
    all.push({ waited, ahead: taken() });
  }
  console.log(JSON.stringify(all));
})();
