// The editor: reads the form, requests problems and a preview during typing, saves, and merges concurrent edits.
(function () {
  "use strict";
  const { button, counted, dataOf, element, fill } = window.KB_PAGE;
  // A record's text may name any field.
  const $ = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];

  const form = $("edit"),
    raw = $("f-raw"),
    record = dataOf("record"),
    words = record.words,
    DELAY = 350,
    FIELDS = all("[data-key]"),
    // Fields of the header with a value by language.
    MAPPINGS = new Set(all("[data-mapping]").map((field) => field.dataset.key.split(".")[0])),
    LANGUAGES = all("[data-lang]").map((fieldset) => fieldset.dataset.lang),
    FITS = all("[data-fits]");
  // Fields with an unresolved conflict.
  const conflicts = new Set();
  // By language: the fingerprint of the original that a translation was made from. The server replaces "now" with the current one.
  let translatedFrom = fingerprintsOf(raw ? null : record.form),
    version = record.version,
    fingerprint = "",
    requests = 0,
    timer = 0,
    saving = false,
    keepSummary = false;
  // The values when the form was opened or last saved: the common base for merging concurrent edits.
  let base = current(),
    saved = JSON.stringify(base);

  // ---- the form as data: values by field, such as `kind` and `title.pl`; as text, `raw` alone ----
  function lines(text) {
    return text
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
  }
  function fingerprintsOf(data) {
    return { ...(data && data.header["translated-from"]) };
  }
  function isWritten(what, lang) {
    return Boolean($("f-" + what + "-" + lang).value.trim());
  }
  function valueOf({ dataset, tagName, value }) {
    if (dataset.list !== undefined) return lines(value);
    return tagName === "TEXTAREA" ? value : value.trim();
  }
  function current() {
    const values = FIELDS.map((field) => [field.dataset.key, valueOf(field)]);
    return { ...Object.fromEntries(values), "translated-from": fingerprints() };
  }
  function fingerprints() {
    const chosen = { ...translatedFrom };
    for (const { checked, dataset } of FITS) {
      const lang = dataset.fits;
      if (!isWritten("body", lang)) delete chosen[lang];
      else if (dataset.touched && checked) chosen[lang] = "now";
      else if (dataset.touched && translatedFrom[lang] === fingerprint) delete chosen[lang];
    }
    return chosen;
  }
  // What the server takes and gives.
  function formOf(values) {
    const data = { header: {}, texts: {} };
    for (const [name, value] of Object.entries(values)) {
      const [what, lang] = name.split(".");
      if (name === "raw") data.raw = value;
      else if (what === "title" || what === "body") (data.texts[lang] ||= {})[what] = value;
      else if (!Object.keys(value).length) continue;
      else if (MAPPINGS.has(what)) (data.header[what] ||= {})[lang] = value;
      else data.header[name] = value;
    }
    return data;
  }
  function valuesOf({ header, texts }) {
    const values = {};
    for (const [name, value] of Object.entries(header))
      if (!MAPPINGS.has(name)) values[name] = value;
      else for (const [lang, text] of Object.entries(value)) values[name + "." + lang] = text;
    for (const [lang, text] of Object.entries(texts))
      for (const what of ["title", "body"]) values[what + "." + lang] = text[what];
    return values;
  }
  function setBase(data) {
    base = data;
    saved = JSON.stringify(data);
  }
  function showStale() {
    for (const box of FITS) {
      const lang = box.dataset.fits,
        original = translatedFrom[lang],
        written = isWritten("body", lang),
        status = document.querySelector('[data-stale="' + lang + '"]');
      box.disabled = !written;
      if (!box.dataset.touched) box.checked = written && original === fingerprint;
      if (!written || original === fingerprint) status.textContent = "";
      else if (box.checked) status.textContent = words.recorded;
      else status.textContent = original ? words.stale : words.unrecorded;
    }
  }
  // Marks languages without a text while another one has a text.
  function showMissing() {
    const empty = (lang) => !isWritten("title", lang) && !isWritten("body", lang),
      isBlank = LANGUAGES.every(empty);
    for (const message of all("[data-missing]"))
      message.hidden = isBlank || !empty(message.dataset.missing);
  }
  // The id of a new ruling follows its title until somebody writes an id.
  function proposeId(proposed) {
    const field = $("f-id");
    if (!field || version || field.value !== (field.dataset.proposed || "")) return false;
    const differs = proposed !== field.value;
    field.value = field.dataset.proposed = proposed;
    return differs;
  }
  // Shows ids or names as rows with titles, and a box that adds one; the hidden text area keeps the values.
  function makePicker(field) {
    const titles = JSON.parse(field.dataset.titles),
      picked = element("ul.picked"),
      box = element("input", {
        id: visibleId(field),
        data: { complete: field.dataset.complete },
        placeholder: words.addto,
        autocomplete: "off",
        "aria-describedby": field.getAttribute("aria-describedby"),
      });
    function row(value) {
      const title = titles[value],
        label = fill(words.remove, { name: title || value });
      const drop = () => {
        setValue(field, lines(field.value).filter((other) => other !== value));
        box.focus();
        changed();
      };
      return element(
        "li.row-of",
        element("span", title || value),
        title && element("code", value),
        button("×", drop, { className: "plain small", "aria-label": label }),
      );
    }
    const show = () => picked.replaceChildren(...lines(field.value).map(row));
    field.parentElement.querySelector("label").htmlFor = box.id;
    field.hidden = true;
    field.after(picked, box);
    field.addEventListener("change", show);
    // A typed text is no value yet.
    for (const type of ["input", "change"])
      box.addEventListener(type, (event) => event.stopPropagation());
    KbComplete.attach(box, complete, setStatus, words, (value, title) => {
      if (title && field.dataset.complete !== "card") titles[value] = title;
      addLine(field, value);
      changed();
    });
    show();
  }
  const visibleId = (field) => "pick-" + field.id.slice(2),
    visible = (field) => $(visibleId(field)) || field;
  const fieldOf = (name) => $("f-" + name.replace(".", "-")) || raw,
    key = () => ($("f-id") && !version ? record.key + $("f-id").value.trim() : record.key),
    isDirty = () => JSON.stringify(current()) !== saved;

  // ---- requests ----
  // Status 0: the server cannot be reached.
  async function send(path, body) {
    try {
      const response = await fetch("/edit/api/" + path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      const data = await response.json().catch(() => ({ detail: words.unreadable }));
      return { status: response.status, data };
    } catch (error) {
      return { status: 0, data: { detail: words.unreachable } };
    }
  }
  // What the server gives; null where it refuses, which the status line says.
  async function request(path, body) {
    const { status, data } = await send(path, body);
    if (status === 200) return data;
    setStatus(data.detail, "bad");
    return null;
  }
  async function complete(kind, q, lang) {
    const query = { game: form.dataset.game, kind, q, lang: lang || record.language },
      address = "/edit/api/complete?" + new URLSearchParams(query),
      response = await fetch(address).catch(() => null);
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
  const placeOf = (problem) => (problem.path ? null : fieldOf(problem.field || "raw"));
  // Shows problems at their fields; returns the problems without a field.
  function showProblems(problems) {
    clearProblems();
    return problems.filter((problem) => {
      const field = placeOf(problem),
        message = field && $("p-" + field.id.slice(2));
      if (!message) return true;
      const line = raw && problem.line ? fill(words.line, problem) + ": " : "",
        prefix = problem.field + ": ",
        isNamed = problem.message.startsWith(prefix);
      if (message.textContent) message.textContent += "\n";
      message.textContent += line + problem.message.slice(isNamed ? prefix.length : 0);
      message.hidden = false;
      visible(field).setAttribute("aria-invalid", "true");
      const details = field.closest("details");
      if (details) details.open = true;
      return false;
    });
  }
  function showSummary(heading, problems = []) {
    const row = (problem) => {
      const field = placeOf(problem),
        place = problem.path ? problem.path + ":" + problem.line + ": " : "",
        link = field && element("a", { href: "#" + visible(field).id }, problem.message);
      return element("li", link || place + problem.message);
    };
    $("summary").replaceChildren(element("p", element("strong", heading)));
    if (problems.length) $("summary").append(element("ul", { lang: "en" }, problems.map(row)));
    $("summary").hidden = !heading;
  }
  function goToSummary(scroll) {
    $("summary").focus();
    if (scroll) $("summary").scrollIntoView({ block: "center" });
  }

  // ---- preview and similar rulings ----
  function showPreview(html) {
    const frame = $("preview");
    $("unseen").hidden = Boolean(html) || !frame.hidden;
    frame.classList.toggle("old", !html && !frame.hidden);
    if (!html || frame.dataset.shown === html) return;
    frame.dataset.shown = html;
    // No script runs in the preview, so it gets the theme of this page here.
    const theme = document.documentElement.dataset.theme;
    frame.srcdoc = theme ? html.replace("<html", '<html data-theme="' + theme + '"') : html;
    frame.hidden = false;
  }
  function showSimilar(rulings) {
    const ui = document.documentElement.lang;
    $("none-similar").hidden = rulings.length > 0;
    $("similar").replaceChildren(
      ...rulings.map((ruling) => {
        const percent = ruling.similarity.toLocaleString(ui, { style: "percent" });
        return element(
          "li",
          element("a.row", { href: ruling.url, target: "_blank" }, ruling.title),
          " ",
          element("span.also", fill(words.similar, { percent, ruling: ruling.id })),
        );
      }),
    );
  }
  async function review() {
    const number = (requests += 1),
      body = { key: key(), new: !version, form: formOf(current()) },
      data = await request("review", body);
    if (number !== requests || !data) return;
    fingerprint = data.fingerprint;
    if (proposeId(data.id)) {
      review();
      return;
    }
    showStale();
    showMissing();
    // An empty form of a new ruling shows no problems.
    const rest = version || isDirty() ? showProblems(data.problems) : [],
      heading = rest.some((problem) => problem.path) ? words.others : words.whole;
    // The outcome of saving stays until the next change.
    if (!keepSummary) showSummary(rest.length ? heading : "", rest);
    showPreview(data.preview);
    showSimilar(data.similar);
    form.dataset.looked = number;
  }
  function reviewSoon(delay = 50) {
    clearTimeout(timer);
    timer = setTimeout(review, delay);
  }
  function changed() {
    reviewSoon(DELAY);
    $("anyway").hidden = true;
    keepSummary = false;
    if (!conflicts.size) setStatus(isDirty() ? words.notyet : "");
  }

  // ---- saving ----
  async function save(force, message = "") {
    if (saving) return;
    if (conflicts.size) {
      setStatus(counted(words.choosefirst, conflicts.size), "bad");
      return;
    }
    saving = $("save").disabled = true;
    setStatus(words.saving);
    const sent = current(),
      body = { key: key(), version, form: formOf(sent), force, message },
      { status, data } = await send("save", body);
    saving = $("save").disabled = false;
    keepSummary = status !== 200;
    if (status === 200) afterSave(data, sent);
    else if (!status) setStatus(words.notsaved + ". " + data.detail, "bad");
    else if (data.current) merge(data.current);
    else showRefusal(data);
  }
  function showRefusal(data) {
    const { field = "", detail: message, line = 0 } = data,
      problems = data.problems || [{ field, message, line, path: "" }],
      rest = showProblems(problems);
    $("anyway").hidden = !data.forcible;
    showSummary(data.problems ? words.faulty : words.notwritten, problems);
    setStatus(data.problems ? counted(words.refused, problems.length) : words.notsaved, "bad");
    goToSummary(rest.length === problems.length);
  }
  function afterSave(data, sent) {
    const isNew = !version,
      problems = data.problems.length;
    version = data.version;
    setBase(sent);
    $("anyway").hidden = true;
    if (isNew && !data.not_committed) {
      location.replace("/edit/" + data.key + "#saved");
      return;
    }
    if (data.form) translatedFrom = fingerprintsOf(data.form);
    for (const box of FITS) {
      box.checked = false;
      delete box.dataset.touched;
    }
    setBase({ ...sent, "translated-from": fingerprints() });
    if (!problems) {
      clearProblems();
      showSummary("");
    }
    if (data.not_committed) setStatus(fill(words.uncommitted, data), "bad");
    else if (data.revision) setStatus(fill(words.committed, data), "good");
    else if (!data.changed) setStatus(words.nochanges, problems ? "bad" : "good");
    else if (problems) setStatus(counted(words.savedwith, problems), "bad");
    else setStatus(words.saved, "good");
    reviewSoon();
  }
  // Renames or deletes the record on disk; the form must have no unsaved changes.
  async function move(action, body, done) {
    if (isDirty()) {
      setStatus(words.savefirst, "bad");
      return;
    }
    const { status, data } = await send(action, { key: record.key, version, ...body });
    if (status === 200) {
      done(data);
      return;
    }
    if (status) showProblems([{ field: "new-id", message: data.detail || "", line: 0, path: "" }]);
    setStatus(data.detail, "bad");
  }
  // Shows the changes in the file; with git, they can be committed at once.
  async function showDifferences() {
    const data = await request("diff", { key: key(), version, form: formOf(current()) });
    if (!data) return;
    const rows = data.diff
      .slice(2)
      .map((line) => element("span", { data: { side: line[0] } }, line + "\n"));
    $("diff").replaceChildren(...(rows.length ? rows : [words.nochanges]));
    const canCommit = data.git && rows.length > 0;
    $("commit-field").hidden = $("commit").hidden = $("commit").disabled = !canCommit;
    $("commit-message").value ||= (version ? "Edit " : "Add ") + key();
    $("compare").returnValue = "";
    $("compare").showModal();
  }

  // ---- a dialog for a new card, topic, source, provision or term, which then goes into its field ----
  const TARGETS = { card: "about", topic: "topics", source: "sources", provision: "sources" };
  function openAdding(button) {
    const kind = button.dataset.add;
    $("adding-title").textContent = button.textContent;
    $("adding").dataset.kind = kind;
    $("adding-fields").replaceChildren(
      ...record.additions[kind].map((name) => {
        const [what, lang] = name.split("."),
          id = "new-" + name.replace(".", "-"),
          text = words.labels[what] + (lang ? " (" + lang + ")" : ""),
          placeholder = name === "id" ? words.proposed : "";
        return element(
          "div.field",
          element("label", { htmlFor: id }, text),
          element("input", { id, name, lang: lang || "", placeholder }),
        );
      }),
    );
    $("adding").showModal();
  }
  async function add() {
    const kind = $("adding").dataset.kind,
      inputs = all("#adding-fields input"),
      values = Object.fromEntries(new FormData($("adding-form"))),
      { status, data } = await send("add", { kind, game: form.dataset.game, values });
    for (const input of inputs) input.setCustomValidity("");
    if (status !== 200) {
      const wrong = inputs.find(({ name }) => name === data.field) || inputs[0];
      wrong.setCustomValidity(data.detail);
      wrong.reportValidity();
      return;
    }
    $("adding").close();
    if (TARGETS[kind]) addLine($("f-" + TARGETS[kind]), data.name);
    setStatus(fill(words.added, data));
    reviewSoon();
  }
  function addLine(field, value) {
    const values = field ? lines(field.value) : [value];
    if (value && !values.includes(value)) setValue(field, [...values, value]);
  }

  // ---- merging concurrent edits ----
  const asText = (value) => (Array.isArray(value) ? value.join("\n") : value || ""),
    same = (one, other) => asText(one) === asText(other);
  // Takes over the other edit's changes; a field that both edits changed becomes a conflict.
  function merge(theirs) {
    version = theirs.version;
    if (!raw && !theirs.form) {
      showSummary(fill(words.noform, theirs));
      $("summary").append(element("pre", theirs.raw));
      setStatus(words.notsaved, "bad");
      return;
    }
    const mine = current(),
      their = raw ? { raw: theirs.raw } : valuesOf(theirs.form);
    for (const field of FIELDS) {
      const name = field.dataset.key,
        value = their[name];
      if (same(mine[name], value) || same(value, base[name])) continue;
      if (same(mine[name], base[name])) setValue(field, value);
      else addConflict(field, value);
    }
    if (!raw) translatedFrom = fingerprintsOf(theirs.form);
    base = their;
    saved = "";
    showSummary(conflicts.size ? counted(words.conflict, conflicts.size) : words.merged);
    setStatus(words.notsaved, "bad");
    goToSummary(true);
    reviewSoon();
  }
  function setValue(field, value) {
    field.value = asText(value);
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }
  function addConflict(field, value) {
    field.parentElement.querySelector(".theirs")?.remove();
    const choose = (isTaken) => {
      if (isTaken) setValue(field, value);
      conflicts.delete(field);
      box.remove();
      visible(field).focus();
      setStatus(conflicts.size ? counted(words.choosemore, conflicts.size) : words.again);
      reviewSoon();
    };
    const small = { className: "plain small" },
      id = "t-" + field.id,
      box = element(
        "div.theirs.banner.disputed",
        { role: "group", "aria-labelledby": id },
        element("p", { id }, words.disk),
        element("pre", asText(value) || words.nothing),
        element(
          "div.row-of",
          button(words.take, () => choose(true), small),
          button(words.keep, () => choose(false), small),
        ),
      );
    field.parentElement.append(box);
    conflicts.add(field);
  }

  // ---- events ----
  const on = (element, type, listener) => element && element.addEventListener(type, listener),
    onClick = (id, listener) => on($(id), "click", listener);
  for (const field of all("[data-titles]")) makePicker(field);
  for (const field of all("[data-complete]:not([data-titles], .picked + *)")) {
    const completion = KbComplete.attach(field, complete, setStatus, words),
      button = document.querySelector('[data-card="' + field.dataset.body + '"]');
    on(button, "mousedown", (event) => event.preventDefault());
    on(button, "click", completion.open);
  }
  on(form, "input", changed);
  on(form, "change", (event) => {
    if (!event.target.dataset.fits) return;
    event.target.dataset.touched = "1";
    changed();
  });
  on(form, "submit", (event) => {
    event.preventDefault();
    save(false);
  });
  on(form, "keydown", (event) => {
    // On a Cyrillic layout the key of S gives another letter.
    const isSave = event.key.toLowerCase() === "s" || (event.key > "~" && event.code === "KeyS");
    if (isSave && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      save(false);
    }
    // Enter in a text field must not submit the form.
    else if (event.key === "Enter" && event.target.tagName === "INPUT") event.preventDefault();
  });
  for (const button of all("[data-add]")) on(button, "click", () => openAdding(button));
  onClick("adding-close", () => $("adding").close());
  on($("adding-form"), "submit", (event) => {
    event.preventDefault();
    add();
  });
  onClick("rename", () =>
    move("rename", { new_id: $("f-new-id").value.trim() }, (data) =>
      location.replace("/edit/" + data.key + "#saved"),
    ),
  );
  onClick("delete", () => {
    if (confirm(fill(words.delete, { ruling: record.key })))
      move("delete", {}, () => location.replace("/edit/"));
  });
  for (const type of ["input", "change"])
    on($("f-new-id"), type, (event) => event.stopPropagation());
  onClick("back", () => $("compare").close(""));
  onClick("differences", showDifferences);
  on($("compare"), "close", () => {
    const chosen = $("compare").returnValue,
      message = $("commit-message").value.trim() || "Edit " + key();
    if (chosen) save(false, chosen === "commit" ? message : "");
  });
  onClick("anyway", () => save(true));
  on(window, "beforeunload", (event) => {
    if (isDirty() || conflicts.size) event.preventDefault();
  });
  if (location.hash === "#saved") {
    history.replaceState(null, "", location.pathname);
    setStatus(words.saved, "good");
  }
  review();
})();
