// A search that outlives its build: when a bucket is gone, a newer build has taken the place of the
// one that the page came from. The base is read again, and the question asked once more.
// `read(isAgain)`: a promise of the data of base.js, past every cache when it is read again.
"use strict";
globalThis.KBSearchSession = function KBSearchSession(read, load) {
  const open = (isAgain) => read(isAgain).then((base) => globalThis.KBSearch(base, load));
  let engine = open(false);
  return async function answer(options, isWanted) {
    const current = engine;
    try {
      return await (await current).answer(options, isWanted);
    } catch {
      // Another question may have opened it again already.
      if (engine === current) engine = open(true);
      return (await engine).answer(options, isWanted);
    }
  };
};
