// node index.cjs minisearch|lunr DOCUMENTS FOLDER: makes the index that the page loads, of JSON lines with key, title and text.
const fs = require("node:fs");
const path = require("node:path");

const [engine, documents, folder] = process.argv.slice(2);
const all = fs.readFileSync(documents, "utf8").trim().split("\n").map((line, id) => ({ id, ...JSON.parse(line) }));
const write = (name, data) => fs.writeFileSync(path.join(folder, name), JSON.stringify(data));

if (engine === "minisearch") {
  const MiniSearch = require("minisearch");
  const index = new (MiniSearch.default ?? MiniSearch)({ fields: ["title", "text"], storeFields: ["title"] });
  index.addAll(all);
  write("index.json", index);
} else {
  const lunr = require("lunr");
  const index = lunr(function () {
    this.ref("id");
    this.field("title", { boost: 2 });
    this.field("text");
    all.forEach((one) => this.add(one));
  });
  write("index.json", index);
  write("titles.json", all.map((one) => one.title));
}
