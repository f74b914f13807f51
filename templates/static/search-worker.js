// The search in a worker. It receives {base, core} first, then {number, options}, and sends
// {number, answer} or {number, error}.
"use strict";
(function () {
  let [latest, engine] = [0, null];
  // A bucket is a script `KB_SHARD(name,data);` for pages; a worker reads the data from its text.
  async function bucket(address) {
    const response = await fetch(address);
    if (!response.ok) throw new Error(response.status + " " + address);
    const text = await response.text();
    return JSON.parse(text.slice(text.indexOf(",") + 1, text.lastIndexOf(")")));
  }
  self.onmessage = async ({ data: { base, core, number, options } }) => {
    if (base) {
      // Request the base first: loading the modules blocks this thread, but not requests.
      const first = bucket(base);
      first.catch(() => {});
      importScripts(core);
      const folder = base.slice(0, base.lastIndexOf("/") + 1);
      engine = first.then((data) => self.KBSearch(data, (file) => bucket(folder + file)));
      // The question reports the failure.
      engine.catch(() => {});
      return;
    }
    latest = number;
    try {
      const answer = await (await engine).answer(options, () => number === latest);
      if (answer) self.postMessage({ number, answer });
    } catch (error) {
      self.postMessage({ number, error: String(error) });
    }
  };
})();
