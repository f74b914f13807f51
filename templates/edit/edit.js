// The editor: collects the form, asks for problems and a preview while somebody types, saves, and merges concurrent edits.
(function () {
  "use strict";
  const $ = (id) => document.getElementById(id),
    all = (what) => [...document.querySelectorAll(what)];
  const make = (tag, text, name) => {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    if (name) element.className = name;
    return element;
  };

  // ---- the list of all rulings ----
  const filter = $("filter");
  if (filter) {
    const fold = (text) =>
      text
        .normalize("NFD")
        .replace(/\p{M}/gu, "")
        .toLowerCase()
        .replaceAll("ł", "l")
        .replaceAll("ё", "е");
    const rows = all(".listed li").map((row) => [row, fold(row.textContent)]);
    filter.addEventListener("input", () => {
      const wanted = fold(filter.value.trim());
      let shown = 0;
      for (const [row, text] of rows) {
        row.hidden = !text.includes(wanted);
        shown += row.hidden ? 0 : 1;
      }
      $("count").textContent = wanted
        ? $("count").dataset.text.replace("{shown}", shown).replace("{all}", rows.length)
        : "";
    });
    return;
  }

  const form = $("edit"),
    record = JSON.parse($("record").textContent),
    words = record.words;
  const { counted, filled } = KbWords(words);
  const DELAY = 350,
    FIELDS = all("[data-key]").filter((field) => field !== form),
    raw = $("f-raw");
  // The fingerprint of the original that each translation was made from. For "now", the server sets the current one.
  let translatedFrom = { ...((record.form || { header: {} }).header["translated-from"] || {}) };
  let token = record.token,
    version = record.version,
    fingerprint = "",
    requests = 0,
    timer = 0,
    saving = false;
  // `base` is the form as it was opened or last saved; with it, concurrent edits are merged.
  let base = current(),
    saved = JSON.stringify(base),
    keepSummary = false;
  // The fields with two values to choose from.
  const conflicts = new Set();

  // ---- the form as data ----
  function lines(text) {
    return text
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
  }
  function current() {
    if (raw) return { header: {}, texts: {}, raw: raw.value };
    const header = {},
      texts = {};
    for (const field of FIELDS) {
      const value = field.dataset.list === undefined ? field.value.trim() : lines(field.value);
      if (value.length) header[field.dataset.key] = value;
    }
    for (const field of all("[data-title]"))
      texts[field.dataset.title] = {
        title: field.value.trim(),
        body: $("f-body-" + field.dataset.title).value,
      };
    const fingerprints = chosenFingerprints();
    if (Object.keys(fingerprints).length) header["translated-from"] = fingerprints;
    return { header, texts };
  }
  function chosenFingerprints() {
    const result = { ...translatedFrom };
    for (const box of all("[data-fits]")) {
      const lang = box.dataset.fits;
      if (!$("f-body-" + lang).value.trim()) delete result[lang];
      else if (box.dataset.touched && box.checked) result[lang] = "now";
      else if (box.dataset.touched && translatedFrom[lang] === fingerprint) delete result[lang];
    }
    return result;
  }
  function showStale() {
    for (const box of all("[data-fits]")) {
      const lang = box.dataset.fits,
        original = translatedFrom[lang],
        written = $("f-body-" + lang).value.trim();
      const status = document.querySelector('[data-stale="' + lang + '"]');
      box.disabled = !written;
      if (!box.dataset.touched) box.checked = Boolean(written) && original === fingerprint;
      if (!written || original === fingerprint) status.textContent = "";
      else if (box.checked) status.textContent = words.recorded;
      else status.textContent = original ? words.stale : words.unrecorded;
    }
  }
  // A language without a text while another has one.
  function showMissing() {
    const empty = (lang) => !$("f-title-" + lang).value.trim() && !$("f-body-" + lang).value.trim();
    const langs = all("[data-title]").map((field) => field.dataset.title);
    for (const message of all("[data-missing]"))
      message.hidden = !empty(message.dataset.missing) || langs.every(empty);
  }
  // The id of a new ruling follows its title until somebody writes one.
  function proposeId(proposed) {
    const field = $("f-id");
    if (!field || version || field.value !== (field.dataset.proposed || "")) return false;
    const differs = proposed !== field.value;
    field.value = field.dataset.proposed = proposed;
    return differs;
  }
  function fieldOf(name) {
    return $("f-" + name.replace(".", "-")) || raw;
  }
  const key = () => ($("f-id") && !version ? record.key + $("f-id").value.trim() : record.key);
  const isDirty = () => JSON.stringify(current()) !== saved;

  // ---- requests ----
  async function send(path, body, again) {
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-KB-Token": token },
      body: JSON.stringify(body),
    });
    const data = await response.json().catch(() => ({ detail: words.unreadable }));
    if (response.status === 403 && data.session && !again) {
      // After a restart of the server, a new session saves what was typed before.
      const session = await fetch("/edit/api/session");
      if (session.ok) {
        token = (await session.json()).token;
        return send(path, body, true);
      }
    }
    return { status: response.status, data };
  }
  async function complete(kind, typed, lang) {
    const query = new URLSearchParams({
      game: form.dataset.game,
      kind,
      q: typed,
      lang: lang || record.language,
    });
    const response = await fetch("/edit/api/complete?" + query).catch(() => null);
    return response && response.ok ? (await response.json()).choices : [];
  }
  function setStatus(text, state) {
    $("told").textContent = text;
    $("told").dataset.state = state || "";
  }

  // ---- problems ----
  function clearProblems() {
    for (const message of all(".wrong[data-field]")) {
      message.hidden = true;
      message.textContent = "";
    }
    for (const field of all("[aria-invalid]")) field.removeAttribute("aria-invalid");
  }
  // Shows problems at their fields; returns those that have none.
  function showProblems(problems) {
    clearProblems();
    const rest = [];
    for (const problem of problems) {
      const field = problem.path ? null : fieldOf(problem.field || "raw"),
        message = field && $("p-" + field.id.slice(2));
      if (!field || !message) {
        rest.push(problem);
        continue;
      }
      const line = raw && problem.line ? filled("line", problem) + ": " : "";
      const text = line + problem.message.replace(new RegExp("^" + problem.field + ": "), "");
      message.textContent = (message.textContent ? message.textContent + "\n" : "") + text;
      message.hidden = false;
      field.setAttribute("aria-invalid", "true");
      const details = field.closest("details");
      if (details) details.open = true;
    }
    return rest;
  }
  function showSummary(problems, heading) {
    const box = $("summary");
    if (!problems.length && !heading) {
      box.hidden = true;
      return;
    }
    const list = make("ul");
    list.lang = "en";
    for (const problem of problems) {
      const field = problem.path ? null : fieldOf(problem.field || "raw"),
        row = make("li");
      if (field) {
        const link = make("a", problem.message);
        link.href = "#" + field.id;
        link.addEventListener("click", (event) => {
          event.preventDefault();
          field.focus();
        });
        row.append(link);
      } else
        row.textContent =
          (problem.path ? problem.path + ":" + problem.line + ": " : "") + problem.message;
      list.append(row);
    }
    const strong = make("p");
    strong.append(make("strong", heading));
    box.replaceChildren(strong, ...(problems.length ? [list] : []));
    box.hidden = false;
  }

  // ---- preview and similar rulings ----
  function showPreview(html) {
    const frame = $("preview");
    $("unseen").hidden = Boolean(html) || !frame.hidden;
    frame.classList.toggle("old", !html && !frame.hidden);
    if (!html || frame.dataset.shown === html) return;
    frame.dataset.shown = html;
    // No script runs in the preview; it has the theme of this page.
    const theme = document.documentElement.dataset.theme;
    frame.srcdoc = theme ? html.replace("<html", '<html data-theme="' + theme + '"') : html;
    frame.hidden = false;
  }
  function showSimilar(rulings) {
    $("none-similar").hidden = rulings.length > 0;
    $("similar").replaceChildren(
      ...rulings.map((ruling) => {
        const row = make("li"),
          link = make("a", ruling.title, "row");
        link.href = ruling.url;
        link.target = "_blank";
        row.append(
          link,
          " ",
          make(
            "span",
            filled("similar", {
              percent: ruling.similarity.toLocaleString(document.documentElement.lang, {
                style: "percent",
              }),
              ruling: ruling.id,
            }),
            "also",
          ),
        );
        return row;
      }),
    );
  }
  async function review() {
    const number = (requests += 1);
    const body = { key: key(), new: !version, form: current() };
    const { status, data } = await send("/edit/api/review", body).catch(() => ({ status: 0 }));
    if (number !== requests) return;
    if (status !== 200) {
      setStatus(status ? data.detail : words.unreachable, "bad");
      return;
    }
    fingerprint = data.fingerprint;
    if (proposeId(data.id)) {
      review();
      return;
    }
    showStale();
    showMissing();
    // An empty form of a new ruling has no problems yet.
    const rest = version || isDirty() ? showProblems(data.problems) : [];
    // The outcome of saving stays until the next change.
    if (!keepSummary) {
      const inOthers = rest.some((problem) => problem.path);
      showSummary(rest, rest.length ? (inOthers ? words.others : words.whole) : "");
    }
    showPreview(data.preview);
    showSimilar(data.similar);
    form.dataset.looked = number;
  }
  function changed() {
    clearTimeout(timer);
    timer = setTimeout(review, DELAY);
    $("anyway").hidden = true;
    keepSummary = false;
    if (!conflicts.size) setStatus(isDirty() ? words.notyet : "");
  }

  // ---- saving ----
  async function save(force, message) {
    if (saving) return;
    if (conflicts.size) {
      setStatus(counted("choosefirst", conflicts.size), "bad");
      return;
    }
    saving = true;
    $("save").disabled = true;
    setStatus(words.saving);
    const sent = current();
    const { status, data } = await send("/edit/api/save", {
      key: key(),
      version,
      form: sent,
      force,
      message: message || "",
    }).catch(() => ({ status: 0 }));
    saving = false;
    keepSummary = status !== 200;
    $("save").disabled = false;
    if (status === 200) afterSave(data, sent);
    else if (status === 409 && data.current) merge(data.current);
    else if (status === 422 && data.problems) {
      const rest = showProblems(data.problems);
      showSummary(data.problems, words.faulty);
      setStatus(counted("refused", data.problems.length), "bad");
      $("anyway").hidden = false;
      $("summary").focus();
      if (rest.length === data.problems.length) $("summary").scrollIntoView({ block: "center" });
    } else if (status) {
      const problem = {
        field: data.field || "",
        message: data.detail,
        line: data.line || 0,
        path: "",
      };
      const rest = showProblems([problem]);
      showSummary([problem], words.notwritten);
      setStatus(words.notsaved, "bad");
      $("summary").focus();
      if (rest.length) $("summary").scrollIntoView({ block: "center" });
    } else setStatus(words.notsaved + ". " + words.unreachable, "bad");
  }
  function afterSave(data, sent) {
    const isNew = !version;
    version = data.version;
    base = sent;
    saved = JSON.stringify(sent);
    $("anyway").hidden = true;
    if (isNew && !data.not_committed) {
      location.replace("/edit/" + data.key + "#saved");
      return;
    }
    translatedFrom = {
      ...((data.form || { header: {} }).header["translated-from"] || translatedFrom),
    };
    for (const box of all("[data-fits]")) {
      box.checked = false;
      delete box.dataset.touched;
    }
    base = current();
    saved = JSON.stringify(base);
    const problems = data.problems.length;
    if (!problems) {
      clearProblems();
      showSummary([], "");
    }
    if (data.not_committed) setStatus(filled("uncommitted", { reason: data.not_committed }), "bad");
    else if (data.revision) setStatus(filled("committed", data), "good");
    else if (!data.changed) setStatus(words.nochanges, problems ? "bad" : "good");
    else if (problems) setStatus(counted("savedwith", problems), "bad");
    else setStatus(words.saved, "good");
    reviewSoon();
  }
  // A dialog for a new card, topic, source, provision or term, which is then put into its field.
  const TARGETS = { card: "about", topic: "topics", source: "sources", provision: "sources" };
  function openAdding(button) {
    const kind = button.dataset.add;
    $("adding-title").textContent = button.textContent;
    $("adding").dataset.kind = kind;
    $("adding-problem").hidden = true;
    $("adding-fields").replaceChildren(
      ...record.additions[kind].map((name) => {
        const [what, lang] = name.split("."),
          row = make("div", "", "field"),
          label = make("label", words.labels[what] + (lang ? " (" + lang + ")" : "")),
          input = make("input");
        input.id = "new-" + name.replace(".", "-");
        input.name = name;
        if (lang) input.lang = lang;
        label.htmlFor = input.id;
        row.append(label, input);
        return row;
      }),
    );
    $("adding").showModal();
  }
  async function add() {
    const kind = $("adding").dataset.kind,
      values = {};
    for (const input of all("#adding-fields input")) values[input.name] = input.value;
    const { status, data } = await send("/edit/api/add", {
      kind,
      game: form.dataset.game,
      values,
    }).catch(() => ({ status: 0 }));
    $("adding-problem").hidden = status === 200;
    if (status !== 200) {
      $("adding-problem").textContent = status ? data.detail : words.unreachable;
      return;
    }
    $("adding").close();
    const field = TARGETS[kind] && $("f-" + TARGETS[kind]);
    if (field && !lines(field.value).includes(data.name))
      setValue(field, [...lines(field.value), data.name]);
    setStatus(filled("added", data));
    reviewSoon();
  }
  // Renames or deletes the record as it is in the file; the form must have no changes of its own.
  async function move(action, body, done) {
    if (isDirty()) {
      setStatus(words.savefirst, "bad");
      return;
    }
    const { status, data } = await send("/edit/api/" + action, {
      key: record.key,
      version,
      ...body,
    }).catch(() => ({ status: 0 }));
    if (status === 200) {
      done(data);
      return;
    }
    if (status) showProblems([{ field: "new-id", message: data.detail || "", line: 0, path: "" }]);
    setStatus(status ? data.detail : words.unreachable, "bad");
  }
  // Shows what saving would change in the file; where there is git, it can be committed at once.
  async function showDifferences() {
    const { status, data } = await send("/edit/api/diff", {
      key: key(),
      version,
      form: current(),
    }).catch(() => ({ status: 0 }));
    if (status !== 200) {
      setStatus(status ? data.detail : words.unreachable, "bad");
      return;
    }
    $("diff").replaceChildren(
      ...data.diff.slice(2).map((line) => {
        const row = make("span", line + "\n");
        row.dataset.side = line[0];
        return row;
      }),
    );
    if (!data.diff.length) $("diff").textContent = words.nochanges;
    const canCommit = data.git && data.diff.length > 0;
    $("commit-field").hidden = $("commit").hidden = $("commit").disabled = !canCommit;
    if (!$("commit-message").value)
      $("commit-message").value = (version ? "Edit " : "Add ") + key();
    $("compare").returnValue = "";
    $("compare").showModal();
  }
  function reviewSoon() {
    clearTimeout(timer);
    timer = setTimeout(review, 50);
  }

  // ---- merging concurrent edits ----
  function asText(value) {
    if (Array.isArray(value)) return value.join("\n");
    if (value && typeof value === "object")
      return Object.entries(value)
        .map((pair) => pair.join(": "))
        .join("\n");
    return value || "";
  }
  const same = (one, other) => JSON.stringify(one || "") === JSON.stringify(other || "");
  function valuesOf(data) {
    const values = new Map();
    for (const [name, value] of Object.entries(data.header))
      if (name !== "translated-from") values.set(name, value);
    for (const [lang, text] of Object.entries(data.texts)) {
      if (text.title) values.set("title." + lang, text.title);
      if (text.body) values.set("body." + lang, text.body);
    }
    return values;
  }
  // Takes over what only somebody else changed; what both changed becomes a conflict to choose from.
  function merge(theirs) {
    version = theirs.version;
    if (raw) {
      if (theirs.raw !== raw.value) addConflict(raw, theirs.raw);
      base = { header: {}, texts: {}, raw: theirs.raw };
    } else if (!theirs.form) {
      showSummary([], filled("noform", theirs));
      $("summary").append(make("pre", theirs.raw));
      setStatus(words.notsaved, "bad");
      return;
    } else {
      const my = valuesOf(current()),
        their = valuesOf(theirs.form),
        common = valuesOf(base);
      for (const name of new Set([...my.keys(), ...their.keys(), ...common.keys()])) {
        const field = fieldOf(name),
          value = their.get(name);
        if (same(my.get(name), value) || same(value, common.get(name)) || !field) continue;
        if (same(my.get(name), common.get(name))) setValue(field, value);
        else addConflict(field, value);
      }
      translatedFrom = { ...(theirs.form.header["translated-from"] || {}) };
      base = theirs.form;
    }
    saved = "";
    showSummary([], conflicts.size ? counted("conflict", conflicts.size) : words.merged);
    setStatus(words.notsaved, "bad");
    $("summary").focus();
    $("summary").scrollIntoView({ block: "center" });
    reviewSoon();
  }
  function setValue(field, value) {
    field.value = asText(value);
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  function addConflict(field, value) {
    const previous = field.parentElement.querySelector(".theirs");
    if (previous) previous.remove();
    const box = make("div", "", "theirs"),
      buttons = make("div", "", "choice");
    const take = make("button", words.take, "plain small"),
      keep = make("button", words.keep, "plain small");
    take.type = keep.type = "button";
    const id = "t-" + field.id;
    box.setAttribute("role", "group");
    box.setAttribute("aria-labelledby", id);
    const heading = make("p", words.disk);
    heading.id = id;
    buttons.append(take, keep);
    box.append(heading, make("pre", asText(value) || words.nothing), buttons);
    field.parentElement.append(box);
    conflicts.add(field);
    const resolve = () => {
      conflicts.delete(field);
      box.remove();
      field.focus();
      setStatus(conflicts.size ? counted("choosemore", conflicts.size) : words.again);
      reviewSoon();
    };
    take.addEventListener("click", () => {
      setValue(field, value);
      resolve();
    });
    keep.addEventListener("click", resolve);
  }

  // ---- events ----
  for (const field of all("[data-complete]")) {
    const completion = KbComplete.attach(field, complete, (text) => setStatus(text), words);
    const button =
      field.dataset.body && document.querySelector('[data-card="' + field.dataset.body + '"]');
    if (button) button.addEventListener("mousedown", (event) => event.preventDefault());
    if (button) button.addEventListener("click", completion.open);
  }
  for (const picker of all("[data-pick]"))
    picker.addEventListener("change", (event) => {
      event.stopPropagation();
      const field = $("f-" + picker.dataset.pick),
        values = lines(field.value);
      if (picker.value && !values.includes(picker.value))
        setValue(field, [...values, picker.value]);
      picker.value = "";
      changed();
    });
  form.addEventListener("input", changed);
  form.addEventListener("change", (event) => {
    if (event.target.dataset.fits) {
      event.target.dataset.touched = "1";
      changed();
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save(false);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      save(false);
    }
    // Enter in a text field must not save.
    else if (event.key === "Enter" && event.target.tagName === "INPUT" && !event.defaultPrevented)
      event.preventDefault();
  });
  for (const button of all("[data-add]"))
    button.addEventListener("click", () => openAdding(button));
  $("adding-close").addEventListener("click", () => $("adding").close());
  $("adding-form").addEventListener("submit", (event) => {
    event.preventDefault();
    add();
  });
  if ($("moving")) {
    $("rename").addEventListener("click", () =>
      move("rename", { new_id: $("f-new-id").value.trim() }, (data) =>
        location.replace("/edit/" + data.key + "#saved"),
      ),
    );
    $("delete").addEventListener("click", () => {
      if (confirm(filled("delete", { ruling: record.key })))
        move("delete", {}, () => location.replace("/edit/"));
    });
    for (const name of ["input", "change"])
      $("f-new-id").addEventListener(name, (event) => event.stopPropagation());
  }
  $("back").addEventListener("click", () => $("compare").close(""));
  $("differences").addEventListener("click", showDifferences);
  $("compare").addEventListener("close", () => {
    const chosen = $("compare").returnValue;
    if (chosen)
      save(false, chosen === "commit" ? $("commit-message").value.trim() || "Edit " + key() : "");
  });
  $("anyway").addEventListener("click", () => save(true));
  window.addEventListener("beforeunload", (event) => {
    if (isDirty() || conflicts.size) event.preventDefault();
  });
  if (location.hash === "#saved") {
    history.replaceState(null, "", location.pathname);
    setStatus(words.saved, "good");
  }
  review();
})();
