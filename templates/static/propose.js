// The page for proposals: a list that stays on this device until it is saved as a file or sent.
(function () {
  "use strict";
  const { $, button, dataOf, element, keep, keptList, saveFile, ui } = window.KB_PAGE;
  const [form, what, game, said] = ["propose", "what", "game", "said"].map($);
  const words = dataOf("words");
  const KEPT = "kb.proposals";
  const FORMAT = "kb-proposals-1";
  // Characters of an address: what Windows hands to a mail program, and what servers take.
  const MAX_MAIL = 2000;
  const MAX_ADDRESS = 6000;
  const given = new URLSearchParams(location.search);
  const asked = given.get("ruling") || "";
  const key = /^[a-z0-9-]+\/[a-z0-9-]+$/.test(asked) ? asked : "";
  function say(text) {
    said.textContent = text;
  }

  // ---- the list ----
  const nameOf = ({ kind, ruling, texts }) =>
    kind === "correction" ? ruling : Object.values(texts ?? {})[0]?.title;
  const isProposal = (one) =>
    one && Object.hasOwn(words, one.kind) && typeof nameOf(one) === "string";
  let list = keptList(KEPT, isProposal);
  function change(proposals) {
    list = proposals;
    if (!keep(KEPT, JSON.stringify(list))) say(words.full);
    show();
  }
  function show() {
    const rows = list.map((proposal) => {
      const name = nameOf(proposal);
      const remove = () => change(list.filter((one) => one !== proposal));
      const about = { className: "plain", "aria-label": `${words.remove}: ${name}` };
      const text = `${words[proposal.kind]}: ${name} `;
      return element("li", text, button(words.remove, remove, about));
    });
    $("list").replaceChildren(...(rows.length ? rows : [element("li", words.empty)]));
    for (const id of ["save", "send", "clear"]) $(id).disabled = !list.length;
  }

  // ---- the form ----
  function fill(select, options) {
    const entries = Object.entries(options);
    select.replaceChildren(...entries.map(([value, text]) => element("option", { value }, text)));
  }
  function switchGame() {
    const spoken = words.spoken[game.value];
    fill($("topic"), words.topics[game.value]);
    fill($("lang"), spoken);
    if (ui in spoken) $("lang").value = ui;
  }
  function switchKind() {
    for (const part of form.querySelectorAll("[data-for]"))
      part.hidden = !part.dataset.for.split(" ").includes(what.value);
  }
  // The fields of a text, and what is written there.
  function section(lang, title, body) {
    const label = (name) => ({ lang, "aria-label": `${lang}: ${name}` });
    const head = element("input.whole", { type: "text", value: title }, label(words.title));
    const rows = Math.min(16, 3 + Math.ceil(body.length / 80));
    const text = element("textarea", { value: body, rows }, label(words.text));
    const name = words.spoken[key.split("/")[0]]?.[lang] || lang;
    const part = element("fieldset", element("legend", name), head, text);
    const read = () => ({ title: head.value.trim(), body: text.value.replace(/\r\n/g, "\n") });
    return { lang, part, before: { title, body }, read };
  }
  let sections = [];
  async function load() {
    say(words.loading);
    try {
      const address = `${form.dataset.root}/${key.replace("/", "/rulings/")}/index.json`;
      const answer = await fetch(address);
      if (!answer.ok) throw new Error(answer.status);
      const { text, title } = await answer.json();
      sections = Object.keys(text).map((lang) => section(lang, title[lang], text[lang]));
    } catch (error) {
      say(words.failed);
      return;
    }
    $("sections").replaceChildren(...sections.map(({ part }) => part));
    $("key").textContent = key;
    what.querySelector("option").hidden = false;
    what.value = "correction";
    switchKind();
    say("");
  }
  function correction() {
    const changed = sections
      .map(({ lang, before, read }) => ({ lang, before, after: read() }))
      .filter(({ before, after }) => before.title !== after.title || before.body !== after.body);
    if (!changed.length) return say(words.unchanged);
    const build = window.KB_BUILT ? window.KB_BUILT.build : "";
    return { kind: "correction", ruling: key, build, sections: changed };
  }
  function fresh() {
    const title = $("title").value.trim();
    // An open question may be all that there is to say.
    const body = $("text").value.trim() || (what.value === "question" ? title : "");
    if (!title || !body) return say(words.incomplete);
    const about = $("about")
      .value.split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
    const record = {
      kind: what.value === "ruling" ? "ruling" : "question",
      game: game.value,
      topic: $("topic").value,
      texts: { [$("lang").value]: { title, body } },
      about,
    };
    return record.kind === "ruling"
      ? record
      : { ...record, asked: $("asked").value, asked_of: $("asked-of").value.trim() };
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const proposal = what.value === "correction" ? correction() : fresh();
    if (!proposal) return;
    proposal.why = $("why").value.trim();
    for (const id of ["title", "text", "about", "why"]) $(id).value = "";
    say(words.added);
    change([...list, proposal]);
  });

  // ---- out of the page ----
  const file = (indent) =>
    JSON.stringify({ format: FORMAT, by: $("by").value.trim(), proposals: list }, null, indent) +
    "\n";
  $("save").addEventListener("click", () => saveFile("proposal.json", file(1), "application/json"));
  $("send").addEventListener("click", () => {
    const name = encodeURIComponent(nameOf(list[0]));
    const address = new URL(form.dataset.report.replaceAll("{id}", name));
    const isMail = address.protocol === "mailto:";
    const plain = address.href;
    const body = "```json\n" + file() + "```\n";
    // Lines of a mail end so (RFC 6068).
    const lines = isMail ? body.replaceAll("\n", "\r\n") : body;
    const fields = address.search.slice(1).split("&");
    const others = fields.filter((field) => field && !field.startsWith("body="));
    address.search = "?" + [...others, "body=" + encodeURIComponent(lines)].join("&");
    const fits = address.href.length <= (isMail ? MAX_MAIL : MAX_ADDRESS);
    if (!fits) {
      say(words.toolong);
      $("save").focus();
    }
    window.open(fits ? address.href : plain, isMail ? "_self" : "_blank", "noopener");
  });
  $("clear").addEventListener("click", () => change([]));
  $("send").hidden = !form.dataset.report;
  what.addEventListener("change", switchKind);
  game.addEventListener("change", switchGame);
  const isKnown = (select, value) => [...select.options].some((option) => option.value === value);
  what.value = given.get("what") === "question" ? "question" : "ruling";
  if (isKnown(game, given.get("game"))) game.value = given.get("game");
  $("title").value = (given.get("title") || "").slice(0, 300);
  $("about").value = (given.get("card") || "").slice(0, 300);
  switchGame();
  switchKind();
  show();
  if (key) load();
})();
