// MiniSearch as its documentation has it for searching while one types: prefixes, slips, titles before texts; the index made beforehand.
import MiniSearch from "./library.js";

export async function open() {
  const index = MiniSearch.loadJSON(await (await fetch("index.json")).text(), { fields: ["title", "text"], storeFields: ["title"] });
  const options = { boost: { title: 2 }, prefix: true, fuzzy: 0.2, combineWith: "AND" };
  return (query) => index.search(query, options).slice(0, 10).map((one) => one.title);
}
