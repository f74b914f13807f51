// The search off the main thread: {base, core} first, then {number, options}, which gives
// {number, answer} or {number, error}.
"use strict";
(function () {
  let latest = 0,
    answer = null,
    told = -Infinity;
  const OFTEN = 500;
  // Says that it works, so that the page waits; seldom, for each message holds the page up.
  function live() {
    if (performance.now() - told < OFTEN) return;
    told = performance.now();
    self.postMessage({ alive: true });
  }
  // A bucket is `KB_SHARD(name,data);`, so that a page can load it as a script; here it is read as data.
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
      // Loading the modules holds this thread up, and not what it asked for before.
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
