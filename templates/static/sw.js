// Offline use. Pages that one visits are kept as they were last seen. A build is taken in whole into a cache of its own, each file checked against the list's hash; only then is it
// shown, and the one before goes. What is half taken in is never shown, and is gone on with later.
"use strict";
const SCOPE = new URL(self.registration.scope),
  STATE = "kb-state",
  VISITED = "kb-visited",
  PREFIX = "kb-build-",
  AT_ONCE = 6;
// Visited pages that are kept at most, and how long in ms a page may take until its copy is shown.
const MOST_VISITED = 600,
  PATIENCE = 4000;
// Files of the search in a folder that is named by their content, and how many are kept at most.
const BUCKET = /^static\/search\/[^/]+\/[^/]+\.js$/,
  SEARCH = "static/search/base.js",
  MOST_BUCKETS = 2000;
const HASH = /^[0-9a-f]{10,16}$/;
const own = (path) => new URL(path, SCOPE).href;
let held = null,
  taking = null;

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
  if (/^(sw\.js|build\.json|offline\/.*\.json)$|^(api|edit|live)(\/|$)/.test(path)) return;
  event.respondWith(answer(event, path));
});
const fileOf = (path) => (path === "" || path.endsWith("/") ? path + "index.html" : path);
async function answer(event, path) {
  const request = event.request,
    now = await state().catch(() => false);
  if (now) {
    const cache = await caches.open(now.cache);
    const found = await cache.match(own(fileOf(path)), { ignoreSearch: true });
    if (found) return found;
  }
  if (BUCKET.test(path)) return bucket(event, request.url);
  const known = await visitedCopy(request.url, path).catch(() => undefined);
  // An address with a hash of the content never changes.
  if (known && path.startsWith("static/") && known.exact && request.url.includes("?"))
    return known.response;
  const fresh = fetch(request).then((response) => {
    event.waitUntil(keepVisited(request.url, path, response.clone()).catch(() => {}));
    // The copy of a page helps more than a server's or a gateway's failure.
    return known && response.status >= 500 ? known.response : response;
  });
  event.waitUntil(fresh.catch(() => {}));
  try {
    return await (known
      ? Promise.race([
          fresh,
          new Promise((resolve) => setTimeout(resolve, PATIENCE, known.response)),
        ])
      : fresh);
  } catch (error) {
    if (known) return known.response;
    if (request.mode !== "navigate") throw error;
    return missing(path, error);
  }
}
// What is stored of a bucket is never asked for again, as its folder is named by its content.
async function bucket(event, address) {
  // Where nothing can be stored, the network answers.
  const stored = await storedBucket(address).catch(() => undefined);
  if (stored) return stored;
  const response = await fetch(event.request);
  if (response.ok && response.type === "basic" && isScript(response))
    event.waitUntil(keepBucket(address, response.clone()).catch(() => {}));
  return response;
}
async function storedBucket(address) {
  const cache = await caches.open(VISITED);
  const stored = await cache.match(address);
  return stored && isScript(stored) ? stored : undefined;
}
const isScript = (response) => /javascript/.test(response.headers.get("content-type") || "");
// Half a file is no bucket.
async function keepBucket(address, response) {
  if (isUnstored(response)) return;
  const body = await response.text();
  if (!body.startsWith("KB_SHARD(") || !body.trimEnd().endsWith(");")) return;
  const cache = await caches.open(VISITED);
  await cache.put(address, new Response(body, { headers: response.headers }));
}
const isUnstored = (response) => /no-store/.test(response.headers.get("cache-control") || "");
// What is not on this device: the page that says what is.
async function missing(path, error) {
  const first = path.split("/")[0],
    places = [
      first.length === 2 ? first + "/offline/index.html" : "offline/index.html",
      "offline/index.html",
    ];
  const now = await state();
  if (now) places.push((now.ui === "en" ? "" : now.ui + "/") + "offline/index.html");
  for (const place of places)
    if (await caches.match(own(place), { ignoreSearch: true }))
      return Response.redirect(own(place) + "?missing=" + encodeURIComponent("/" + path));
  throw error;
}

// ---- visited pages ----
// Pages are stored by their file whatever is asked of them; other files by their whole address.
const visitedKey = (address, path) =>
  fileOf(path).endsWith(".html") ? own(fileOf(path)) : address.split("#")[0];
async function visitedCopy(address, path) {
  const cache = await caches.open(VISITED),
    key = visitedKey(address, path),
    exact = await cache.match(key);
  const response = exact || (await cache.match(key, { ignoreSearch: true }));
  return response && { response, exact: Boolean(exact) };
}
async function keepVisited(address, path, response) {
  const type = response.headers.get("content-type") || "";
  if (!response.ok || response.redirected || response.type !== "basic" || isUnstored(response))
    return;
  if (
    !path.startsWith("static/") &&
    !/^(text\/html|application\/json|text\/javascript|application\/javascript|application\/manifest)/.test(
      type,
    )
  )
    return;
  // While a site is copied, the address of a new script may answer with the old one: never kept,
  // since an address with a hash is not asked for again.
  const hash = new URL(address).search.slice(1);
  if (
    path.startsWith("static/") &&
    HASH.test(hash) &&
    !(await hashed(await response.clone().arrayBuffer())).startsWith(hash)
  )
    return;
  const cache = await caches.open(VISITED),
    key = visitedKey(address, path);
  if (path.startsWith("static/"))
    for (const old of await cache.keys(key, { ignoreSearch: true }))
      if (old.url !== key) await cache.delete(old);
  // Wait for the whole body: one that breaks off must not take the place of what is stored.
  await response.clone().arrayBuffer();
  await cache.put(key, response);
  if (path === SEARCH) await prune(cache, (found) => BUCKET.test(found), MOST_BUCKETS);
  if (!path.startsWith("static/"))
    await prune(cache, (found) => !found.startsWith("static/"), MOST_VISITED);
}
// Deletes the oldest of the files whose paths are meant, until `most` are left.
async function prune(cache, isMeant, most) {
  const stored = (await cache.keys()).filter((one) =>
    isMeant(new URL(one.url).pathname.slice(SCOPE.pathname.length)),
  );
  for (const old of stored.slice(0, Math.max(0, stored.length - most))) await cache.delete(old);
}
// What a page loaded before this worker answered for it.
async function visit(addresses) {
  const cache = await caches.open(VISITED),
    now = await state();
  const build = now ? await caches.open(now.cache) : null;
  for (const address of addresses.slice(0, 100)) {
    const url = new URL(address),
      path = url.pathname.slice(SCOPE.pathname.length);
    if (
      !url.href.startsWith(SCOPE.href) ||
      /^(sw\.js|build\.json|api\/|edit|live|offline\/.*\.json)/.test(path)
    )
      continue;
    if (build && (await build.match(own(fileOf(path)), { ignoreSearch: true }))) continue;
    // The text of a ruling has to be that of its page, which was fetched just now.
    if (!path.endsWith("/index.json") && (await cache.match(visitedKey(address, path)))) continue;
    await fetch(url.href.split("#")[0])
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
  const answer = await fetch(own("offline/" + name + ".json"), { cache: "no-store" }),
    data = await answer.arrayBuffer();
  if (!answer.ok || (await hashed(data)) !== hash)
    throw new Error("changed while it was taken in: " + name);
  return JSON.parse(new TextDecoder().decode(data));
}
async function remove() {
  await remember(null);
  for (const name of await caches.keys())
    if (name.startsWith(PREFIX) || name === VISITED) await caches.delete(name);
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
  const before = said.add && (await state()),
    both = (first, second) => [...new Set([...first, ...second])];
  await take(
    both(before ? before.games : [], said.games),
    both(before ? languagesOf(before) : [], said.uis),
    false,
  );
}
async function hashed(data) {
  const digest = await crypto.subtle.digest("SHA-256", data);
  return [...new Uint8Array(digest)]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .slice(0, 16);
}
async function take(games, uis, quiet) {
  try {
    const listed = await json("offline/index.json"),
      before = await state();
    const chosen = listed.games.filter((game) => games.includes(game));
    const groups = [
      "common",
      ...uis.flatMap((ui) => [ui, ...chosen.map((game) => ui + "-" + game)]),
    ];
    const rows = (await Promise.all(groups.map((name) => group(name, listed.hashes[name])))).flat();
    const files = [...new Map(rows.map((row) => [row[0], row])).values()];
    const name = PREFIX + [listed.key, ...uis, ...chosen].join("-"),
      cache = await caches.open(name);
    const old = before && before.cache !== name ? await caches.open(before.cache) : null;
    let done = 0;
    const left = files.slice();
    const one = async ([path, hash]) => {
      const there = await cache.match(own(path));
      if (!there || there.headers.get("x-kb-hash") !== hash) await store(cache, old, path, hash);
      done++;
      if (!quiet && (done % 10 === 0 || done === files.length))
        await tell({ type: "progress", done, all: files.length });
    };
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (left.length) await one(left.shift());
      }),
    );
    await remember({
      key: listed.key,
      build: listed.build,
      date: dated(listed.date, uis[0]),
      cache: name,
      games: chosen,
      uis,
      ui: uis[0],
    });
    for (const other of await caches.keys())
      if (other.startsWith(PREFIX) && other !== name) await caches.delete(other);
    await tell({ type: "ready", date: held.date, games: chosen, uis, newer: quiet });
  } catch (error) {
    if (error && error.name === "QuotaExceededError") {
      const now = await state();
      for (const other of await caches.keys())
        if (other.startsWith(PREFIX) && other !== (now && now.cache)) await caches.delete(other);
    }
    if (!quiet)
      await tell({ type: error && error.name === "QuotaExceededError" ? "full" : "broken" });
  }
}
const dated = (date, ui) =>
  new Date(date + "T12:00:00Z").toLocaleDateString(ui === "en" ? "en-GB" : ui, {
    dateStyle: "long",
  });
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
  return cache.put(
    own(path),
    new Response(data, { headers: { "content-type": type, "x-kb-hash": hash } }),
  );
}
