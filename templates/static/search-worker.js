// The search off the main thread: {base, core} first, then {number, options} -> {number, answer} or {number, error}.
"use strict";
(function () {
  let latest = 0, ready = null;
  // A shard is `KB_SHARD(name,data);`, so that a page can load it as a script; here it is read as data.
  async function shard(address) {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(answer.status + " " + address);
    const text = await answer.text();
    self.postMessage({ alive: true });
    return JSON.parse(text.slice(text.indexOf(",") + 1, text.lastIndexOf(")")));
  }
  self.postMessage({ alive: true });
  self.onmessage = async (event) => {
    const said = event.data;
    if (said.base) {
      importScripts(said.core);
      const folder = said.base.slice(0, said.base.lastIndexOf("/") + 1);
      ready = shard(said.base).then((base) => self.KBSearch(base, (file) => shard(folder + file)));
      return;
    }
    latest = said.number;
    try {
      const engine = await ready;
      if (said.number !== latest) return;
      const answer = await engine.answer(said.options, () => said.number === latest);
      if (answer) self.postMessage({ number: said.number, answer });
    } catch (error) {
      self.postMessage({ number: said.number, error: String(error) });
    }
  };
})();
