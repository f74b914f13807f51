// The search in a worker. It receives {base, core} first, then {number, options}, and sends
// {number, answer} or {number, error}.
"use strict";
(function () {
  let latest = 0,
    answer = null,
    told = -Infinity;
  const OFTEN = 500;
  // Tells the page that the worker is alive; seldom, since each message delays the page.
  function live() {
    if (performance.now() - told < OFTEN) return;
    told = performance.now();
    self.postMessage({ alive: true });
  }
  // A bucket is a script `KB_SHARD(name,data);` for pages; a worker reads the data from its text.
  async function bucket(address, cache = "default") {
    const response = await fetch(address, { cache });
    if (!response.ok) throw new Error(response.status + " " + address);
    const text = await response.text();
    live();
    return JSON.parse(text.slice(text.indexOf(",") + 1, text.lastIndexOf(")")));
  }
  live();
  self.onmessage = async (event) => {
    const said = event.data;
    if (said.base) {
      // Request the base first: loading the modules blocks this thread, but not requests.
      const first = bucket(said.base);
      first.catch(() => {});
      importScripts(said.core);
      const folder = said.base.slice(0, said.base.lastIndexOf("/") + 1);
      const read = (isAgain) => (isAgain ? bucket(said.base, "reload") : first);
      answer = self.KBSearchSession(read, (file) => bucket(folder + file));
      return;
    }
    latest = said.number;
    told = -Infinity;
    try {
      const found = await answer(said.options, () => said.number === latest);
      if (found) self.postMessage({ number: said.number, answer: found });
    } catch (error) {
      self.postMessage({ number: said.number, error: String(error) });
    }
  };
})();
