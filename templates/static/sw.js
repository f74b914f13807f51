// Offline use. Pages that one visits are kept as they were last seen. A build is taken in whole into
// a cache of its own, each file checked against the list's hash; only then is it shown, and the one
// before goes. What is half taken in is never shown, and is gone on with later.
"use strict";
const SCOPE = new URL(self.registration.scope);
const STATE = "kb-state";
const VISITED = "kb-visited";
const PREFIX = "kb-build-";
const AT_ONCE = 6;
// Visited pages that are kept at most, and how long in ms a page may take until its copy is shown.
const MOST_VISITED = 600;
const PATIENCE = 4000;
// Files of the search in a folder that is named by their content, and how many are kept at most.
const BUCKET = /^static\/search\/[^/]+\/[^/]+\.js$/;
const SEARCH = "static/search/base.js";
const MOST_BUCKETS = 2000;
const HASH = /^[0-9a-f]{10,16}$/;
// What programs ask for is never answered from a store.
const LIVE = /^(sw\.js|build\.json|offline\/.*\.json)$|^(api|edit|live)(\/|$)/;
const KEPT_TYPES =
  /^(text\/html|application\/json|text\/javascript|application\/javascript|application\/manifest)/;
const own = (path) => new URL(path, SCOPE).href;
const pathOf = (address) => new URL(address).pathname.slice(SCOPE.pathname.length);
const fileOf = (path) => (path === "" || path.endsWith("/") ? path + "index.html" : path);
let held = null;
let taking = null;

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
  const { method, url } = event.request;
  if (method !== "GET" || !url.startsWith(SCOPE.href) || LIVE.test(pathOf(url))) return;
  event.respondWith(answer(event, pathOf(url)));
});
async function answer(event, path) {
  const { request } = event;
  const found = await fromBuild(path).catch(() => undefined);
  if (found) return found;
  const known = await visitedCopy(request.url, path).catch(() => undefined);
  // What is named by its content never changes.
  if (known?.isLasting) return known.response;
  const fresh = fetch(request).then((response) => {
    event.waitUntil(keepVisited(request.url, path, response.clone()).catch(() => {}));
    // The copy of a page helps more than a server's or a gateway's failure.
    return known && response.status >= 500 ? known.response : response;
  });
  event.waitUntil(fresh.catch(() => {}));
  try {
    if (!known) return await fresh;
    const later = new Promise((done) => setTimeout(done, PATIENCE, known.response));
    return await Promise.race([fresh, later]);
  } catch (error) {
    if (known) return known.response;
    if (request.mode !== "navigate") throw error;
    return missing(path, error);
  }
}
// The file of the build that was taken in.
async function fromBuild(path) {
  const now = await state();
  if (!now) return undefined;
  return (await caches.open(now.cache)).match(own(fileOf(path)), { ignoreSearch: true });
}
// What is not on this device: the page that says what is.
async function missing(path, error) {
  const first = path.split("/")[0];
  const now = await state();
  const languages = [first.length === 2 ? first : "en", "en", ...(now ? [now.ui] : [])];
  for (const lang of languages) {
    const place = own((lang === "en" ? "" : lang + "/") + "offline/index.html");
    if (await caches.match(place, { ignoreSearch: true }))
      return Response.redirect(place + "?missing=" + encodeURIComponent("/" + path));
  }
  throw error;
}

// ---- visited pages ----
// Pages are stored by their file whatever is asked of them; other files by their whole address.
const visitedKey = (address, path) =>
  fileOf(path).endsWith(".html") ? own(fileOf(path)) : address.split("#")[0];
async function visitedCopy(address, path) {
  const cache = await caches.open(VISITED);
  const key = visitedKey(address, path);
  const exact = await cache.match(key);
  const response = exact || (await cache.match(key, { ignoreSearch: true }));
  const hasHash = path.startsWith("static/") && address.includes("?");
  return response && { response, isLasting: Boolean(exact) && (hasHash || BUCKET.test(path)) };
}
async function keepVisited(address, path, response) {
  const { ok, redirected, headers } = response;
  if (!ok || redirected || response.type !== "basic") return;
  if (/no-store/.test(headers.get("cache-control") || "")) return;
  const isStatic = path.startsWith("static/");
  if (!isStatic && !KEPT_TYPES.test(headers.get("content-type") || "")) return;
  // Wait for the whole body: one that breaks off must not take the place of what is stored.
  const body = await response.clone().arrayBuffer();
  if (isStatic && !(await isSound(address, path, body))) return;
  const cache = await caches.open(VISITED);
  const key = visitedKey(address, path);
  if (isStatic)
    for (const old of await cache.keys(key, { ignoreSearch: true }))
      if (old.url !== key) await cache.delete(old);
  await cache.put(key, response);
  if (path === SEARCH) await prune(cache, (stored) => BUCKET.test(stored), MOST_BUCKETS);
  if (!isStatic) await prune(cache, (stored) => !stored.startsWith("static/"), MOST_VISITED);
}
// Whether a file is what its address promises, which is not asked for again: while a site is copied,
// the address of a new script may answer with the old one; a network's sign-in page is no bucket.
async function isSound(address, path, body) {
  if (BUCKET.test(path)) {
    const text = new TextDecoder().decode(body);
    return text.startsWith("KB_SHARD(") && text.trimEnd().endsWith(");");
  }
  const hash = new URL(address).search.slice(1);
  return !HASH.test(hash) || (await hashed(body)).startsWith(hash);
}
// Deletes the oldest of the files whose paths are meant, until `most` are left.
async function prune(cache, isMeant, most) {
  const stored = (await cache.keys()).filter(({ url }) => isMeant(pathOf(url)));
  for (const old of stored.slice(0, Math.max(0, stored.length - most))) await cache.delete(old);
}
// What a page loaded before this worker answered for it.
async function visit(addresses) {
  const cache = await caches.open(VISITED);
  for (const whole of addresses.slice(0, 100)) {
    const address = whole.split("#")[0];
    const path = pathOf(address);
    if (!address.startsWith(SCOPE.href) || LIVE.test(path) || (await fromBuild(path))) continue;
    // The text of a ruling has to be that of its page, which was fetched just now.
    if (!path.endsWith("/index.json") && (await cache.match(visitedKey(address, path)))) continue;
    await fetch(address)
      .then((response) => keepVisited(address, path, response))
      .catch(() => {});
  }
}

// ---- taking in ----
async function tell(said) {
  for (const client of await self.clients.matchAll({ includeUncontrolled: true }))
    client.postMessage(said);
}
self.addEventListener("message", (event) => {
  const said = event.data || {};
  if (said.type === "take") event.waitUntil(once(() => takeAsked(said)));
  else if (said.type === "visit") event.waitUntil(visit(said.addresses).catch(() => {}));
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
  const answer = await fetch(own("offline/" + name + ".json"), { cache: "no-store" });
  const data = await answer.arrayBuffer();
  if (!answer.ok || (await hashed(data)) !== hash)
    throw new Error("changed while it was taken in: " + name);
  return JSON.parse(new TextDecoder().decode(data));
}
async function deleteBuilds(but) {
  for (const name of await caches.keys())
    if (name.startsWith(PREFIX) && name !== but) await caches.delete(name);
}
async function remove() {
  await remember(null);
  await deleteBuilds();
  await caches.delete(VISITED);
  await tell({ type: "removed" });
}
async function check() {
  const now = await state();
  if (!now) return;
  await tell({ type: "ready", date: now.date, games: now.games, uis: languagesOf(now) });
  let listed;
  try {
    listed = await json("offline/index.json");
  } catch (error) {
    return; // no network: what is here is shown
  }
  if (listed.key !== now.key) await take(now.games, languagesOf(now), true);
}
// What earlier editions of this worker stored has one language.
const languagesOf = (stored) => stored.uis || [stored.ui];
async function takeAsked(said) {
  const before = said.add && (await state());
  const both = (first, second) => [...new Set([...first, ...second])];
  await take(
    both(before ? before.games : [], said.games),
    both(before ? languagesOf(before) : [], said.uis),
    false,
  );
}
async function hashed(data) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  const digits = [...digest].map((byte) => byte.toString(16).padStart(2, "0"));
  return digits.join("").slice(0, 16);
}
async function take(games, uis, quiet) {
  try {
    const listed = await json("offline/index.json");
    const chosen = listed.games.filter((game) => games.includes(game));
    const cache = PREFIX + [listed.key, ...uis, ...chosen].join("-");
    await takeFiles(cache, await filesOf(listed, chosen, uis), quiet);
    const date = dated(listed.date, uis[0]);
    const { key, build } = listed;
    await remember({ key, build, date, cache, games: chosen, uis, ui: uis[0] });
    await deleteBuilds(cache);
    await tell({ type: "ready", date, games: chosen, uis, newer: quiet });
  } catch (error) {
    const isFull = error?.name === "QuotaExceededError";
    if (isFull) await deleteBuilds((await state()).cache);
    if (!quiet) await tell({ type: isFull ? "full" : "broken" });
  }
}
// The files of some games in some languages: [path, hash].
async function filesOf(listed, games, uis) {
  const names = uis.flatMap((ui) => [ui, ...games.map((game) => ui + "-" + game)]);
  const groups = ["common", ...names].map((name) => group(name, listed.hashes[name]));
  const rows = (await Promise.all(groups)).flat();
  return [...new Map(rows.map((row) => [row[0], row])).values()];
}
async function takeFiles(name, files, quiet) {
  const cache = await caches.open(name);
  const before = await state();
  const old = before && before.cache !== name ? await caches.open(before.cache) : null;
  const buckets = old ? await bucketsOf(old) : new Map();
  const left = files.slice();
  let done = 0;
  async function takeNext() {
    while (left.length) {
      const [path, hash] = left.shift();
      const there = await cache.match(own(path));
      if (there?.headers.get("x-kb-hash") !== hash) {
        const known = buckets.get(hash) || (old && (await old.match(own(path))));
        const isSame = known?.headers.get("x-kb-hash") === hash;
        await cache.put(own(path), isSame ? known.clone() : await fetched(path, hash));
      }
      done++;
      if (!quiet && (done % 10 === 0 || done === files.length))
        await tell({ type: "progress", done, all: files.length });
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, takeNext));
}
// By hash, the files of the search that a build has: in the next one their folder has another name.
async function bucketsOf(cache) {
  const requests = (await cache.keys()).filter(({ url }) => BUCKET.test(pathOf(url)));
  const responses = await Promise.all(requests.map((request) => cache.match(request)));
  return new Map(responses.map((response) => [response.headers.get("x-kb-hash"), response]));
}
const dated = (date, ui) =>
  new Date(date + "T12:00:00Z").toLocaleDateString(ui === "en" ? "en-GB" : ui, {
    dateStyle: "long",
  });
// A file with the hash of the list. A server tells times by the second: what changed twice within
// one may come from the browser's own store, and is asked for anew.
async function fetched(path, hash) {
  for (const cache of ["no-cache", "reload"]) {
    const answer = await fetch(own(path), { cache });
    if (!answer.ok) throw new Error(answer.status + " " + path);
    const data = await answer.arrayBuffer();
    if ((await hashed(data)) !== hash) continue;
    const type = answer.headers.get("content-type") || "application/octet-stream";
    return new Response(data, { headers: { "content-type": type, "x-kb-hash": hash } });
  }
  throw new Error("changed while it was taken in: " + path);
}
