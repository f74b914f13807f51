// The editor: collects the form, asks for problems and the preview while one writes, saves, and brings two edits together.
(function () {
  "use strict";
  const $ = (id) => document.getElementById(id), all = (what) => [...document.querySelectorAll(what)];
  const make = (tag, text, name) => { const made = document.createElement(tag); if (text) made.textContent = text; if (name) made.className = name; return made; };

  // ---- the list of all rulings ----
  const filter = $("filter");
  if (filter) {
    const bare = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ł", "l").replaceAll("ё", "е");
    const rows = all(".listed li").map((row) => [row, bare(row.textContent)]);
    filter.addEventListener("input", () => {
      const wanted = bare(filter.value.trim());
      let shown = 0;
      for (const [row, text] of rows) { row.hidden = !text.includes(wanted); shown += row.hidden ? 0 : 1; }
      $("count").textContent = wanted ? shown + " of " + rows.length : "";
    });
    return;
  }

  const form = $("edit"), held = JSON.parse($("held").textContent);
  const WAIT = 350, KEYS = all("[data-key]").filter((one) => one !== form), raw = $("f-raw");
  // Which original each translation was made from, as it is noted; where somebody says that it fits, the server notes it anew.
  let noted = { ...((held.form || { header: {} }).header["translated-from"] || {}) };
  let token = held.token, seen = held.seen, print = "", asked = 0, timer = 0, busy = false, base = current(), saved = JSON.stringify(base);
  let kept = false;
  const open = new Set();

  // ---- the form as data ----
  function lines(text) { return text.split("\n").map((one) => one.trim()).filter(Boolean); }
  function current() {
    if (raw) return { header: {}, texts: {}, raw: raw.value };
    const header = {}, texts = {};
    for (const field of KEYS) {
      const value = field.dataset.list === undefined ? field.value.trim() : lines(field.value);
      if (value.length) header[field.dataset.key] = value;
    }
    for (const field of all("[data-title]")) texts[field.dataset.title] = { title: field.value.trim(), body: $("f-body-" + field.dataset.title).value };
    const from = marks();
    if (Object.keys(from).length) header["translated-from"] = from;
    return { header, texts };
  }
  function marks() {
    const made = { ...noted };
    for (const box of all("[data-fits]")) {
      const lang = box.dataset.fits;
      if (!$("f-body-" + lang).value.trim()) delete made[lang];
      else if (box.dataset.touched && box.checked) made[lang] = "now";
      else if (box.dataset.touched && noted[lang] === print) delete made[lang];
    }
    return made;
  }
  function stale() {
    for (const box of all("[data-fits]")) {
      const lang = box.dataset.fits, mark = noted[lang], written = $("f-body-" + lang).value.trim();
      const told = document.querySelector('[data-stale="' + lang + '"]');
      box.disabled = !written;
      if (!box.dataset.touched) box.checked = Boolean(written) && mark === print;
      told.textContent = !written || mark === print ? "" : box.checked ? "Will be noted when saved." : mark ? "The original has changed since." : "Not noted yet.";
    }
  }
  function fieldOf(place) { return $("f-" + place.replace(".", "-")) || raw; }
  const key = () => ($("f-id") && !seen ? held.key + $("f-id").value.trim() : held.key);
  const dirty = () => JSON.stringify(current()) !== saved;

  // ---- asking the server ----
  async function send(path, body, again) {
    const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json", "X-KB-Token": token }, body: JSON.stringify(body) });
    const told = await answer.json().catch(() => ({ detail: "the server gave no answer that can be read" }));
    if (answer.status === 403 && told.session && !again) {
      // The server was started anew: a new session, and nothing that was written is lost.
      const fresh = await fetch("/edit/api/session");
      if (fresh.ok) { token = (await fresh.json()).token; return send(path, body, true); }
    }
    return { status: answer.status, told };
  }
  async function ask(kind, typed, lang) {
    const query = new URLSearchParams({ game: form.dataset.game, kind, q: typed, lang: lang || held.language });
    const answer = await fetch("/edit/api/complete?" + query).catch(() => null);
    return answer && answer.ok ? (await answer.json()).choices : [];
  }
  function say(text, state) {
    $("told").textContent = text;
    $("told").dataset.state = state || "";
  }

  // ---- problems beside their fields ----
  function clear() {
    for (const one of all(".wrong[data-place]")) { one.hidden = true; one.textContent = ""; }
    for (const one of all("[aria-invalid]")) one.removeAttribute("aria-invalid");
  }
  function beside(problems) {
    clear();
    const rest = [];
    for (const one of problems) {
      const field = one.path ? null : fieldOf(one.place || "raw"), told = field && $("p-" + field.id.slice(2));
      if (!field || !told) { rest.push(one); continue; }
      const line = raw && one.line ? "line " + one.line + ": " : "";
      told.textContent = (told.textContent ? told.textContent + "\n" : "") + line + one.message.replace(new RegExp("^" + one.place + ": "), "");
      told.hidden = false;
      field.setAttribute("aria-invalid", "true");
      const rare = field.closest("details");
      if (rare) rare.open = true;
    }
    return rest;
  }
  function summary(problems, head) {
    const box = $("summary");
    if (!problems.length && !head) { box.hidden = true; return; }
    const list = make("ul");
    for (const one of problems) {
      const field = one.path ? null : fieldOf(one.place || "raw"), row = make("li");
      if (field) { const link = make("a", one.message); link.href = "#" + field.id; link.addEventListener("click", (event) => { event.preventDefault(); field.focus(); }); row.append(link); }
      else row.textContent = (one.path ? one.path + ":" + one.line + ": " : "") + one.message;
      list.append(row);
    }
    const strong = make("p");
    strong.append(make("strong", head));
    box.replaceChildren(strong, ...(problems.length ? [list] : []));
    box.hidden = false;
  }

  // ---- what is shown while one writes ----
  function show(html) {
    const frame = $("preview");
    $("unseen").hidden = Boolean(html) || !frame.hidden;
    frame.classList.toggle("old", !html && !frame.hidden);
    if (!html || frame.dataset.shown === html) return;
    frame.dataset.shown = html;
    frame.srcdoc = html;
    frame.hidden = false;
  }
  function alike(found) {
    $("none-similar").hidden = found.length > 0;
    $("similar").replaceChildren(...found.map((one) => {
      const row = make("li"), link = make("a", one.title, "row");
      link.href = one.url;
      link.target = "_blank";
      row.append(link, " ", make("span", Math.round(one.alike * 100) + " % alike, " + one.id, "also"));
      return row;
    }));
  }
  async function look() {
    const mine = (asked += 1);
    const { status, told } = await send("/edit/api/look", { key: key(), new: !seen, form: current() }).catch(() => ({ status: 0 }));
    if (mine !== asked) return;
    if (status !== 200) { say(status ? told.detail : "The server cannot be reached; what you have written is still here.", "bad"); return; }
    print = told.fingerprint;
    stale();
    const began = seen || dirty();
    const rest = began ? beside(told.problems) : [];
    // What saving has said stays until something is written again.
    if (!kept) summary(rest, rest.length ? (rest.some((one) => one.path) ? "With this, other records have problems:" : "Problems of the record as a whole:") : "");
    show(told.preview);
    alike(told.similar);
    form.dataset.looked = mine;
  }
  function soon() {
    clearTimeout(timer);
    timer = setTimeout(look, WAIT);
    $("anyway").hidden = true;
    kept = false;
    if (!open.size) say(dirty() ? "Not saved yet" : "");
  }

  // ---- saving ----
  async function save(insist) {
    if (busy) return;
    if (open.size) { say("First choose between the two edits, " + open.size + (open.size === 1 ? " place" : " places"), "bad"); return; }
    busy = true;
    $("save").disabled = true;
    say("Saving …");
    const sent = current();
    const { status, told } = await send("/edit/api/save", { key: key(), seen, form: sent, insist }).catch(() => ({ status: 0 }));
    busy = false;
    kept = status !== 200;
    $("save").disabled = false;
    if (status === 200) done(told, sent);
    else if (status === 409 && told.theirs) conflict(told.theirs);
    else if (status === 422 && told.problems) {
      const rest = beside(told.problems);
      summary(told.problems, "Nothing is written: the record has problems.");
      say("Not saved: " + (told.problems.length === 1 ? "1 problem" : told.problems.length + " problems"), "bad");
      $("anyway").hidden = false;
      $("summary").focus();
      if (rest.length === told.problems.length) $("summary").scrollIntoView({ block: "center" });
    } else if (status) {
      const place = told.place || "", rest = beside([{ place, message: told.detail, line: told.line || 0, path: "" }]);
      summary([{ place, message: told.detail, line: 0, path: "" }], "Nothing is written.");
      say("Not saved", "bad");
      $("summary").focus();
      if (rest.length) $("summary").scrollIntoView({ block: "center" });
    } else say("Not saved: the server cannot be reached. What you have written is still here.", "bad");
  }
  function done(told, sent) {
    const fresh = !seen;
    seen = told.seen;
    base = sent;
    saved = JSON.stringify(sent);
    $("anyway").hidden = true;
    if (fresh) { location.replace("/edit/" + told.key + "#saved"); return; }
    noted = { ...((told.form || { header: {} }).header["translated-from"] || noted) };
    for (const box of all("[data-fits]")) { box.checked = false; delete box.dataset.touched; }
    base = current();
    saved = JSON.stringify(base);
    const wrong = told.problems.length;
    if (!wrong) { clear(); summary([], ""); }
    say(!told.changed ? "Nothing has changed" : wrong ? "Saved with " + (wrong === 1 ? "1 problem" : wrong + " problems") + "; the site shows the last good build" : "Saved", wrong ? "bad" : "good");
    soonQuiet();
  }
  function soonQuiet() { clearTimeout(timer); timer = setTimeout(look, 50); }

  // ---- two edits of one record ----
  const show_ = (value) => (Array.isArray(value) ? value.join("\n") : value && typeof value === "object" ? Object.entries(value).map((one) => one.join(": ")).join("\n") : value || "");
  const same = (one, other) => JSON.stringify(one || "") === JSON.stringify(other || "");
  function places(made) {
    const found = new Map();
    for (const [name, value] of Object.entries(made.header)) if (name !== "translated-from") found.set(name, value);
    for (const [lang, text] of Object.entries(made.texts)) { if (text.title) found.set("title." + lang, text.title); if (text.body) found.set("body." + lang, text.body); }
    return found;
  }
  function conflict(theirs) {
    seen = theirs.seen;
    if (raw) {
      if (theirs.raw !== raw.value) choose(raw, theirs.raw);
      base = { header: {}, texts: {}, raw: theirs.raw };
    } else if (!theirs.form) {
      const box = make("pre", theirs.raw);
      summary([], "The record on the disk can no longer be shown as a form (" + theirs.why + "). What you have written is still here; put the record right as text, then save again.");
      $("summary").append(box);
      say("Not saved", "bad");
      return;
    } else {
      const mine = places(current()), now = places(theirs.form), before = places(base), taken = [];
      for (const place of new Set([...mine.keys(), ...now.keys(), ...before.keys()])) {
        const a = mine.get(place), b = now.get(place), c = before.get(place), field = fieldOf(place);
        if (same(a, b) || same(b, c) || !field) continue;
        if (same(a, c)) { put(field, b); taken.push(place); } else choose(field, b);
      }
      noted = { ...(theirs.form.header["translated-from"] || {}) };
      base = theirs.form;
      if (taken.length) say("Taken over from the disk: " + taken.join(", "));
    }
    saved = "";
    const count = open.size;
    summary([], count
      ? "Somebody else has changed this record since you opened it. Both are shown where they differ, " + (count === 1 ? "in 1 place" : "in " + count + " places") + ": choose, then save again."
      : "Somebody else has changed this record since you opened it, elsewhere than you. Both edits are in the form now: look, then save again.");
    say("Not saved", "bad");
    $("summary").focus();
    $("summary").scrollIntoView({ block: "center" });
    soonQuiet();
  }
  function put(field, value) {
    field.value = show_(value);
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  function choose(field, value) {
    const before = field.parentElement.querySelector(".theirs");
    if (before) before.remove();
    const box = make("div", "", "theirs"), buttons = make("div", "", "choice");
    const take = make("button", "Take this", "plain small"), keep = make("button", "Keep mine", "plain small");
    take.type = keep.type = "button";
    const id = "t-" + field.id;
    box.setAttribute("role", "group");
    box.setAttribute("aria-labelledby", id);
    const head = make("p", "On the disk now:");
    head.id = id;
    buttons.append(take, keep);
    box.append(head, make("pre", show_(value) || "(nothing)"), buttons);
    field.parentElement.append(box);
    open.add(field);
    const settle = () => { open.delete(field); box.remove(); field.focus(); say(open.size ? open.size + " more to choose" : "Now save again"); soonQuiet(); };
    take.addEventListener("click", () => { put(field, value); settle(); });
    keep.addEventListener("click", settle);
  }

  // ---- the page ----
  for (const field of all("[data-complete]")) {
    const made = KbComplete.attach(field, ask, (text) => say(text));
    const button = field.dataset.body && document.querySelector('[data-card="' + field.dataset.body + '"]');
    if (button) button.addEventListener("mousedown", (event) => event.preventDefault());
    if (button) button.addEventListener("click", made.look);
  }
  form.addEventListener("input", soon);
  form.addEventListener("change", (event) => { if (event.target.dataset.fits) { event.target.dataset.touched = "1"; soon(); } });
  form.addEventListener("submit", (event) => { event.preventDefault(); save(false); });
  form.addEventListener("keydown", (event) => {
    if (event.key === "s" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); save(false); }
    // Enter in a line of the form is no order to write a file.
    else if (event.key === "Enter" && event.target.tagName === "INPUT" && !event.defaultPrevented) event.preventDefault();
  });
  $("anyway").addEventListener("click", () => save(true));
  window.addEventListener("beforeunload", (event) => { if (dirty() || open.size) event.preventDefault(); });
  if (location.hash === "#saved") { history.replaceState(null, "", location.pathname); say("Saved", "good"); }
  look();
})();
