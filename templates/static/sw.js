// Offline use. Pages that one visits are kept as they were last seen, and the search with them.
// A build is taken in by archives, each into a cache of its own and checked by its hash; only when
// all are there is it shown, and the one before goes.
"use strict";
const SCOPE = new URL(self.registration.scope);
const STATE = "kb-state";
const VISITED = "kb-visited";
const PREFIX = "kb-build-";
// Visited pages that are kept at most, and how long in ms a page may take until its copy is shown.
const MOST_VISITED = 600;
const PATIENCE = 4000;
// Files of the search in a folder that is named by their content, and how many are kept at most.
const BUCKET = /^static\/search\/[^/]+\/[^/]+\.js$/;
const SEARCH = "static/search/base.js";
const MOST_BUCKETS = 2000;
const HASH = /^[0-9a-f]{10,16}$/;
// Bytes of the search's archive that are loaded unasked.
const MOST_UNASKED = 2_000_000;
const KEPT_SEARCH = "kb-kept-search";
const TYPES = {
  css: "text/css",
  html: "text/html; charset=utf-8",
  js: "text/javascript",
  json: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  webmanifest: "application/manifest+json",
};
// What programs ask for is never answered from a store.
const LIVE = /^(sw\.js|build\.json|offline\/.*\.(json|bin))$|^(api|edit|live)(\/|$)/;
const KEPT_TYPES =
  /^(text\/html|application\/json|text\/javascript|application\/javascript|application\/manifest)/;
const own = (path) => new URL(path, SCOPE).href;
const pathOf = (address) => new URL(address).pathname.slice(SCOPE.pathname.length);
const fileOf = (path) => (path === "" || path.endsWith("/") ? path + "index.html" : path);
let held = null;

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

// ---- which build is shown ----
async function state() {
  if (held === null) {
    const answer = await (await caches.open(STATE)).match(own(STATE));
    held = answer ? await answer.json() : {};
  }
  return held;
}
async function remember(value) {
  const cache = await caches.open(STATE);
  if (value.caches) await cache.put(own(STATE), new Response(JSON.stringify(value)));
  else await cache.delete(own(STATE));
  held = value;
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
    return missing(path + new URL(request.url).search, error);
  }
}
// The file of the build that was taken in.
async function fromBuild(path) {
  const { caches: names = [] } = await state();
  for (const cacheName of names) {
    const found = await caches.match(own(fileOf(path)), { cacheName, ignoreSearch: true });
    if (found) return found;
  }
  return undefined;
}
// What is not on this device: the page that says what is.
async function missing(path, error) {
  const first = path.split("/")[0];
  const { ui = "en" } = await state();
  for (const lang of [first.length === 2 ? first : "en", "en", ui]) {
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
    if (await cache.match(visitedKey(address, path))) continue;
    await fetch(address)
      .then((response) => keepVisited(address, path, response))
      .catch(() => {});
  }
}

// The search: from the second page on, that of an edition once, where it is small.
async function keepSearch(addresses) {
  const connection = self.navigator.connection;
  if ((await state()).caches || connection?.saveData || !self.DecompressionStream) return;
  const archive = archiveOf(await json("offline/index.json"), "common");
  const mark = own(`${KEPT_SEARCH}?${archive.hash}`);
  const cache = await caches.open(VISITED);
  if (archive.size > MOST_UNASKED || (await cache.match(mark))) return;
  const files = await filesOf(archive);
  await cache.delete(own(KEPT_SEARCH), { ignoreSearch: true });
  for (const [path, response] of files) {
    if (!BUCKET.test(path)) await cache.delete(own(path), { ignoreSearch: true });
    await cache.put(own(path), response);
  }
  for (const address of addresses)
    await keepVisited(address, pathOf(address), await fetch(address, { cache: "no-cache" }));
  await cache.put(mark, new Response());
}

// ---- taking in ----
async function tell(said) {
  for (const client of await self.clients.matchAll({ includeUncontrolled: true }))
    client.postMessage(said);
}
const TASKS = {
  take: takeAsked,
  check,
  search: ({ addresses }) => keepSearch(addresses),
  remove,
};
// One task after the other.
let tasks = Promise.resolve();
self.addEventListener("message", (event) => {
  const { data } = event;
  const ignore = () => {};
  if (data.type === "visit") return event.waitUntil(visit(data.addresses).catch(ignore));
  tasks = tasks.then(() => TASKS[data.type](data)).catch(ignore);
  event.waitUntil(tasks);
});
async function json(path) {
  const answer = await fetch(own(path), { cache: "no-store" });
  if (!answer.ok) throw new Error(answer.status + " " + path);
  return answer.json();
}
function archiveOf(listed, name) {
  const [hash, size] = listed.archives[name];
  return { name, hash, size };
}
// The files of an archive: [path, response]. One of another build, swapped in since the index was
// read or copied half, would mix two builds.
async function filesOf({ name, hash }) {
  const answer = await fetch(own(`offline/${name}.bin?${hash}`), { cache: "no-store" });
  const data = await answer.arrayBuffer();
  if (!answer.ok || (await hashed(data)) !== hash)
    throw new Error("changed while it was taken in: " + name);
  const opened = new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"));
  const whole = new Uint8Array(await new Response(opened).arrayBuffer());
  let start = whole.indexOf(10) + 1;
  const rows = JSON.parse(new TextDecoder().decode(whole.subarray(0, start)));
  return rows.map(([path, size]) => {
    const type = TYPES[path.split(".").pop()] || "application/octet-stream";
    const file = whole.slice(start, start + size);
    start += size;
    return [path, new Response(file, { headers: { "content-type": type } })];
  });
}
async function deleteBuilds(but) {
  for (const name of await caches.keys())
    if (name.startsWith(PREFIX) && !but.includes(name)) await caches.delete(name);
}
async function remove() {
  await remember({});
  await deleteBuilds([]);
  await caches.delete(VISITED);
  await tell({ type: "removed" });
}
async function check() {
  const { caches: taken, date, games, key, uis } = await state();
  if (!taken) return;
  await tell({ type: "ready", date, games, uis });
  // Without a network, what is here is shown.
  const listed = await json("offline/index.json");
  if (listed.key !== key) await take(games, uis, true);
}
async function takeAsked({ add, games, uis }) {
  const before = add ? await state() : {};
  const both = (first = [], second) => [...new Set([...first, ...second])];
  await take(both(before.games, games), both(before.uis, uis), false);
}
async function hashed(data) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  const digits = [...digest].map((byte) => byte.toString(16).padStart(2, "0"));
  return digits.join("").slice(0, 16);
}
async function take(games, uis, quiet) {
  const { caches: before = [] } = await state();
  try {
    const listed = await json("offline/index.json");
    const { key, build } = listed;
    const chosen = listed.games.filter((game) => games.includes(game));
    const names = uis.flatMap((ui) => [ui, ...chosen.map((game) => ui + "-" + game)]);
    const archives = ["common", ...names].map((name) => archiveOf(listed, name));
    await takeArchives(archives, before, quiet);
    const taken = archives.map(cacheOf);
    const date = dated(listed.date, uis[0]);
    await remember({ key, build, date, caches: taken, games: chosen, uis, ui: uis[0] });
    await deleteBuilds(taken);
    await tell({ type: "ready", date, games: chosen, uis, newer: quiet });
  } catch (error) {
    const isFull = error?.name === "QuotaExceededError";
    if (isFull) await deleteBuilds(before);
    if (!quiet) await tell({ type: isFull ? "full" : "broken" });
  }
}
const cacheOf = ({ name, hash }) => `${PREFIX}${name}-${hash}`;
// One that the build before has is not loaded again.
async function takeArchives(archives, before, quiet) {
  for (const [number, archive] of archives.entries()) {
    if (!before.includes(cacheOf(archive))) {
      const files = await filesOf(archive);
      const cache = await caches.open(cacheOf(archive));
      await Promise.all(files.map(([path, response]) => cache.put(own(path), response)));
    }
    if (!quiet) await tell({ type: "progress", done: number + 1, all: archives.length });
  }
}
const dated = (date, ui) =>
  new Date(date + "T12:00:00Z").toLocaleDateString(ui === "en" ? "en-GB" : ui, {
    dateStyle: "long",
  });
