// Offline use. A build is taken in whole into a cache of its own, each file checked against the list's hash; only then is it
// shown, and the one before goes. What is half taken in is never shown, and is gone on with later.
"use strict";
const SCOPE = new URL(self.registration.scope), STATE = "kb-state", PREFIX = "kb-build-", AT_ONCE = 6;
const own = (path) => new URL(path, SCOPE).href;
let held = null, taking = null;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

// ---- which build is shown ----
async function state() {
  if (held === null) {
    const answer = await (await caches.open(STATE)).match(own("kb-state"));
    held = answer ? await answer.json() : false;
  }
  return held;
}
async function remember(value) {
  const cache = await caches.open(STATE);
  if (value) await cache.put(own("kb-state"), new Response(JSON.stringify(value)));
  else await cache.delete(own("kb-state"));
  held = value || false;
}

// ---- answering ----
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || !url.href.startsWith(SCOPE.href)) return;
  const path = url.pathname.slice(SCOPE.pathname.length);
  if (path === "sw.js" || path === "build.json" || path === "offline/index.json") return;
  event.respondWith(answer(event.request, path));
});
async function answer(request, path) {
  const now = await state().catch(() => false);
  if (now) {
    const cache = await caches.open(now.cache), name = path === "" || path.endsWith("/") ? path + "index.html" : path;
    const found = await cache.match(own(name), { ignoreSearch: true });
    if (found) return found;
  }
  try {
    return await fetch(request);
  } catch (error) {
    if (request.mode !== "navigate" || !now) throw error;
    // What was not taken in: the page that says what was.
    return Response.redirect(own((now.ui === "en" ? "" : now.ui + "/") + "offline/index.html"));
  }
}

// ---- taking in ----
async function tell(said) {
  for (const client of await self.clients.matchAll({ includeUncontrolled: true })) client.postMessage(said);
}
self.addEventListener("message", (event) => {
  const said = event.data || {};
  if (said.type === "take") event.waitUntil(once(() => take(said.games, said.ui, false)));
  else if (said.type === "check") event.waitUntil(once(check));
  else if (said.type === "remove") event.waitUntil(once(remove));
});
function once(work) {
  taking = (taking || Promise.resolve()).then(work, work).catch(() => {});
  return taking;
}
async function json(path) {
  const answer = await fetch(own(path), { cache: "no-store" });
  if (!answer.ok) throw new Error(answer.status + " " + path);
  return answer.json();
}
// A list of another build, swapped in since the index was read or copied half, would mix two builds.
async function group(name, hash) {
  const answer = await fetch(own("offline/" + name + ".json"), { cache: "no-store" }), data = await answer.arrayBuffer();
  if (!answer.ok || (await hashed(data)) !== hash) throw new Error("changed while it was taken in: " + name);
  return JSON.parse(new TextDecoder().decode(data));
}
async function remove() {
  await remember(null);
  for (const name of await caches.keys()) if (name.startsWith(PREFIX)) await caches.delete(name);
  await tell({ type: "removed" });
}
async function check() {
  const now = await state();
  if (!now) return;
  await tell({ type: "ready", date: now.date, games: now.games });
  let listed;
  try {
    listed = await json("offline/index.json");
  } catch (error) {
    return; // no network: what is here is shown
  }
  if (listed.key !== now.key) await take(now.games, now.ui, true);
}
async function hashed(data) {
  const digest = await crypto.subtle.digest("SHA-256", data);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("").slice(0, 16);
}
async function take(games, ui, quiet) {
  try {
    const listed = await json("offline/index.json"), before = await state();
    const chosen = listed.games.filter((game) => games.includes(game));
    const groups = ["common", ui, ...chosen.map((game) => ui + "-" + game)];
    const files = (await Promise.all(groups.map((name) => group(name, listed.hashes[name])))).flat();
    const name = PREFIX + [listed.key, ui, ...chosen].join("-"), cache = await caches.open(name);
    const old = before && before.cache !== name ? await caches.open(before.cache) : null;
    let done = 0;
    const left = files.slice();
    const one = async ([path, hash]) => {
      const there = await cache.match(own(path));
      if (!there || there.headers.get("x-kb-hash") !== hash) await store(cache, old, path, hash);
      done++;
      if (!quiet && (done % 10 === 0 || done === files.length)) await tell({ type: "progress", done, all: files.length });
    };
    await Promise.all(Array.from({ length: AT_ONCE }, async () => { while (left.length) await one(left.shift()); }));
    await remember({ key: listed.key, build: listed.build, date: dated(listed.date, ui), cache: name, games: chosen, ui });
    for (const other of await caches.keys()) if (other.startsWith(PREFIX) && other !== name) await caches.delete(other);
    await tell({ type: "ready", date: held.date, games: chosen, newer: quiet });
  } catch (error) {
    if (error && error.name === "QuotaExceededError") {
      const now = await state();
      for (const other of await caches.keys()) if (other.startsWith(PREFIX) && other !== (now && now.cache)) await caches.delete(other);
    }
    if (!quiet) await tell({ type: error && error.name === "QuotaExceededError" ? "full" : "broken" });
  }
}
const dated = (date, ui) => new Date(date + "T12:00:00Z").toLocaleDateString(ui, { dateStyle: "long" });
async function store(cache, old, path, hash) {
  const mine = old && (await old.match(own(path)));
  if (mine && mine.headers.get("x-kb-hash") === hash) return cache.put(own(path), mine);
  // A server tells times by the second: what changed twice within one may come from the browser's own store, and is asked for anew.
  let answer, data;
  for (const cached of ["no-cache", "reload"]) {
    answer = await fetch(own(path), { cache: cached });
    if (!answer.ok) throw new Error(answer.status + " " + path);
    data = await answer.arrayBuffer();
    if ((await hashed(data)) === hash) break;
    if (cached === "reload") throw new Error("changed while it was taken in: " + path);
  }
  const type = answer.headers.get("content-type") || "application/octet-stream";
  return cache.put(own(path), new Response(data, { headers: { "content-type": type, "x-kb-hash": hash } }));
}
