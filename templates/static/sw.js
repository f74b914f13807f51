// Offline use. Copies lie in a list of caches: the archives of a build that was taken in, then the
// pages that one has visited, as they were last seen, with the search. An archive is checked by its
// hash; when all of a build are there, that build is shown, and the one before goes.
"use strict";
const SCOPE = new URL(self.registration.scope);
const STATE = "kb-state";
const VISITED = "kb-visited";
const ARCHIVE = "kb-build-";
const OFFLINE = "offline/index.html";
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
// What programs ask for is never answered from a store.
const LIVE = /^(sw\.js|build\.json|offline\/.*\.(json|bin))$|^(api|edit|live)(\/|$)/;
const KEPT_TYPES =
  /^(text\/html|application\/json|text\/javascript|application\/javascript|application\/manifest)/;
const own = (path) => new URL(path, SCOPE).href;
const pathOf = (address) => new URL(address).pathname.slice(SCOPE.pathname.length);
const fileOf = (path) => (path === "" || path.endsWith("/") ? path + "index.html" : path);
const isAnswered = (address) => address.startsWith(SCOPE.href) && !LIVE.test(pathOf(address));

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

// ---- which build is shown ----
// {key, date, games, uis, caches} of the build that was taken in; without one {search}: the hash of
// the archive of the search that was kept.
let held = null;
async function state() {
  if (held === null) {
    const answer = await (await caches.open(STATE)).match(own(STATE));
    held = answer ? await answer.json() : {};
  }
  return held;
}
async function remember(value) {
  const cache = await caches.open(STATE);
  await cache.put(own(STATE), new Response(JSON.stringify(value)));
  held = value;
}

// ---- answering ----
self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && isAnswered(url)) event.respondWith(answer(event));
});
async function answer(event) {
  const { request } = event;
  const known = await copyOf(request.url).catch(() => undefined);
  if (known?.isLasting) return known.response;
  const fresh = fetch(request).then((response) => {
    event.waitUntil(keep(request.url, response.clone()).catch(() => {}));
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
    return missing(request.url, error);
  }
}
// Pages are stored by their file whatever is asked of them; other files by their whole address.
function keyOf(address) {
  const file = fileOf(pathOf(address));
  return file.endsWith(".html") ? own(file) : address.split("#")[0];
}
// {response, isLasting, isExact}: a file of the build that was taken in, or one that its content
// names, never changes; not exact if another edition is stored of what an address asks for.
async function copyOf(address) {
  const path = pathOf(address);
  const { caches: taken = [] } = await state();
  for (const cacheName of taken) {
    const response = await caches.match(own(fileOf(path)), { cacheName, ignoreSearch: true });
    if (response) return { response, isLasting: true, isExact: true };
  }
  const cache = await caches.open(VISITED);
  const exact = await cache.match(keyOf(address));
  const response = exact || (await cache.match(keyOf(address), { ignoreSearch: true }));
  const isExact = Boolean(exact);
  const isNamed = BUCKET.test(path) || (path.startsWith("static/") && address.includes("?"));
  return response && { response, isLasting: isExact && isNamed, isExact };
}
// What is not on this device: the page that says what is.
async function missing(address, error) {
  const path = pathOf(address);
  const first = path.split("/")[0];
  const asked = encodeURIComponent("/" + path + new URL(address).search);
  const { uis = [] } = await state();
  const languages = [first.length === 2 ? first : "en", "en", ...uis];
  const places = languages.map((lang) => own((lang === "en" ? "" : lang + "/") + OFFLINE));
  // A reader who has visited pages of another language only has the page in that language.
  const visited = (await (await caches.open(VISITED)).keys()).map(({ url }) => url);
  for (const place of [...places, ...visited.filter((url) => url.endsWith("/" + OFFLINE))])
    if (await caches.match(place, { ignoreSearch: true }))
      return Response.redirect(place + "?missing=" + asked);
  throw error;
}

// ---- visited pages ----
async function keep(address, response) {
  const { ok, redirected, headers } = response;
  if (!ok || redirected || response.type !== "basic") return;
  if (/no-store/.test(headers.get("cache-control") || "")) return;
  const path = pathOf(address);
  const isStatic = path.startsWith("static/");
  if (!isStatic && !KEPT_TYPES.test(headers.get("content-type") || "")) return;
  // Wait for the whole body: one that breaks off must not take the place of what is stored.
  const body = await response.clone().arrayBuffer();
  if (isStatic && !(await isSound(address, body))) return;
  const cache = await caches.open(VISITED);
  const key = keyOf(address);
  if (isStatic)
    for (const old of await cache.keys(key, { ignoreSearch: true }))
      if (old.url !== key) await cache.delete(old);
  await cache.put(key, response);
  if (path === SEARCH) await prune(cache, (stored) => BUCKET.test(stored), MOST_BUCKETS);
  if (!isStatic) await prune(cache, (stored) => !stored.startsWith("static/"), MOST_VISITED);
}
// Whether a file is what its address promises, which is not asked for again: while a site is copied,
// the address of a new script may answer with the old one; a network's sign-in page is no bucket.
async function isSound(address, body) {
  if (BUCKET.test(pathOf(address))) {
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
async function visit({ addresses }) {
  for (const address of addresses.filter(isAnswered).slice(0, 100)) {
    if ((await copyOf(address))?.isExact) continue;
    await fetch(address)
      .then((response) => keep(address, response))
      .catch(() => {});
  }
}
// The search: from the second page on, that of an edition once, where it is small.
async function keepSearch({ addresses }) {
  const { caches: taken, search } = await state();
  if (taken || self.navigator.connection?.saveData || !self.DecompressionStream) return;
  const archive = archiveOf(await json("offline/index.json"), "common");
  if (archive.size > MOST_UNASKED || search === archive.hash) return;
  const cache = await caches.open(VISITED);
  for await (const files of filesOf(archive))
    for (const [path, response] of files) {
      if (!BUCKET.test(path)) await cache.delete(own(path), { ignoreSearch: true });
      await cache.put(own(path), response);
    }
  for (const address of addresses) await keep(address, await fetch(address, { cache: "no-cache" }));
  await remember({ search: archive.hash });
}

// ---- taking in a build ----
async function tell(said) {
  for (const client of await self.clients.matchAll({ includeUncontrolled: true }))
    client.postMessage(said);
}
const TASKS = { take, check, search: keepSearch, remove };
// One task after the other.
let tasks = Promise.resolve();
self.addEventListener("message", (event) => {
  const { data } = event;
  const ignore = () => {};
  if (data.type === "visit") return event.waitUntil(visit(data).catch(ignore));
  tasks = tasks.then(() => TASKS[data.type](data)).catch(ignore);
  event.waitUntil(tasks);
});
async function json(path) {
  const answer = await fetch(own(path), { cache: "no-store" });
  if (!answer.ok) throw new Error(answer.status + " " + path);
  return answer.json();
}
function archiveOf(listed, name) {
  const [hash, size, parts] = listed.parts[name];
  return { name, hash, size, parts, cache: `${ARCHIVE}${name}-${hash}` };
}
async function hashed(data) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  const digits = [...digest].map((byte) => byte.toString(16).padStart(2, "0"));
  return digits.join("").slice(0, 16);
}
// The files of an archive, part by part: [path, response]. One of another build, swapped in since
// the index was read or copied half, would mix two builds.
async function* filesOf({ name, hash, parts }) {
  const answer = await fetch(own(`offline/${name}.bin?${hash}`), { cache: "no-store" });
  const data = await answer.arrayBuffer();
  if (!answer.ok || (await hashed(data)) !== hash)
    throw new Error("changed while it was taken in: " + name);
  let start = 0;
  for (const size of parts) {
    const part = new Blob([data.slice(start, (start += size))]).stream();
    const opened = new Response(part.pipeThrough(new DecompressionStream("gzip")));
    yield entriesOf(new Uint8Array(await opened.arrayBuffer()));
  }
}
// What kb/site/offline.py writes.
function entriesOf(part) {
  const files = [];
  for (let start = 0; start < part.length; ) {
    const end = part.indexOf(10, start);
    const line = new TextDecoder().decode(part.subarray(start, end));
    const [name, size, type] = JSON.parse(line);
    start = end + 1;
    const headers = { "content-type": type };
    files.push([name, new Response(part.slice(start, (start += size)), { headers })]);
  }
  return files;
}
async function deleteArchives(but) {
  for (const name of await caches.keys())
    if (name.startsWith(ARCHIVE) && !but.includes(name)) await caches.delete(name);
}
async function remove() {
  await remember({});
  await deleteArchives([]);
  await caches.delete(VISITED);
  await tell({ type: "removed" });
}
async function check() {
  const { caches: taken, date, games, key, uis } = await state();
  if (!taken) return;
  await tell({ type: "ready", date, games, uis });
  // Without a network, what is here is shown.
  const listed = await json("offline/index.json");
  if (listed.key !== key) await take({ games, uis, isUpdate: true });
}
// `add`: to what was taken in before. An update says nothing until it is complete.
async function take({ games, uis, add = false, isUpdate = false }) {
  const { caches: before = [], games: olderGames = [], uis: olderUis = [] } = await state();
  try {
    const listed = await json("offline/index.json");
    const wanted = add ? [...olderGames, ...games] : games;
    const chosen = listed.games.filter((game) => wanted.includes(game));
    const languages = [...new Set(add ? [...olderUis, ...uis] : uis)];
    // A game whose pages are not in a language is read in English.
    const ofGame = (ui, game) => (`${ui}-${game}` in listed.parts ? ui : "en") + "-" + game;
    const names = languages.flatMap((ui) => [ui, ...chosen.map((game) => ofGame(ui, game))]);
    const archives = [...new Set(["common", ...names])].map((name) => archiveOf(listed, name));
    for (const [number, archive] of archives.entries()) {
      if (!before.includes(archive.cache)) {
        const cache = await caches.open(archive.cache);
        for await (const files of filesOf(archive))
          await Promise.all(files.map(([path, response]) => cache.put(own(path), response)));
      }
      if (!isUpdate) await tell({ type: "progress", done: number + 1, all: archives.length });
    }
    const taken = archives.map(({ cache }) => cache);
    const about = { date: listed.date, games: chosen, uis: languages };
    await remember({ key: listed.key, ...about, caches: taken });
    await deleteArchives(taken);
    await tell({ type: "ready", ...about, newer: isUpdate });
  } catch (error) {
    const isFull = error?.name === "QuotaExceededError";
    if (isFull) await deleteArchives(before);
    if (!isUpdate) await tell({ type: isFull ? "full" : "broken" });
  }
}
