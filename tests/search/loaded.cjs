// Which buckets each query loads into an empty browser: node loaded.cjs MODULES.js INDEX QUERIES.json
// Prints, as JSON, for each query its answer, the names of the files and in how many rounds they
// were asked for.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const [modulesFile, indexFolder, queriesFile] = process.argv.slice(2);
vm.runInThisContext(fs.readFileSync(modulesFile, "utf-8"), { filename: modulesFile });

const texts = new Map();
function bucket(file) {
  if (!texts.has(file)) {
    const text = fs.readFileSync(path.join(indexFolder, file), "utf-8");
    texts.set(file, text.slice(text.indexOf(",") + 1, text.lastIndexOf(")")));
  }
  return JSON.parse(texts.get(file));
}

async function loaded(text) {
  const files = [];
  let rounds = 0;
  let waiting = [];
  // What is asked for at the same time comes at the same time.
  function come() {
    const arriving = waiting;
    waiting = [];
    rounds++;
    for (const [done, file] of arriving) done(bucket(file));
  }
  function load(file) {
    files.push(file);
    if (!waiting.length) setImmediate(come);
    return new Promise((done) => waiting.push([done, file]));
  }
  const answer = await globalThis.KBSearch(bucket("base.js"), load).answer({ text, ui: "en" });
  return { answer, files, rounds };
}

(async () => {
  const all = [];
  for (const text of JSON.parse(fs.readFileSync(queriesFile, "utf-8")))
    all.push(await loaded(text));
  console.log(JSON.stringify(all));
})();
