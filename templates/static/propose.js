// The page for proposals: a list that stays on this device until it is saved as a file or sent.
(function () {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const form = $("propose"),
    what = $("what"),
    game = $("game"),
    said = $("said"),
    words = JSON.parse($("words").textContent);
  const KEPT = "kb.proposals",
    FORMAT = "kb-proposals-1";
  // Characters of an address: what Windows hands to a mail program, and what servers take.
  const MAX_MAIL = 2000,
    MAX_ADDRESS = 6000;
  const given = new URLSearchParams(location.search);
  const asked = given.get("ruling") || "";
  const key = /^[a-z0-9-]+\/[a-z0-9-]+$/.test(asked) ? asked : "";
  let ruling = null;

  const say = (text) => {
    said.textContent = text;
  };
  const { element } = window.KB_PAGE;

  // ---- the list ----
  let list = [];
  try {
    list = JSON.parse(localStorage.getItem(KEPT)).filter(isProposal);
  } catch (error) {
    list = [];
  }
  function keep() {
    try {
      localStorage.setItem(KEPT, JSON.stringify(list));
    } catch (error) {
      say(words.full);
    }
  }
  function nameOf(one) {
    if (one.kind === "correction") return one.ruling;
    return Object.values(one.texts)[0].title;
  }
  // Other sites of the same origin may have written something else there.
  function isProposal(one) {
    try {
      return Object.hasOwn(words, one.kind) && typeof nameOf(one) === "string";
    } catch (error) {
      return false;
    }
  }
  function show() {
    const rows = list.map((one, number) => {
      const row = element("li", `${words[one.kind]}: ${nameOf(one)} `);
      const button = element("button", words.remove, { type: "button", className: "plain" });
      button.setAttribute("aria-label", `${words.remove}: ${nameOf(one)}`);
      button.addEventListener("click", () => {
        list.splice(number, 1);
        keep();
        show();
      });
      row.append(button);
      return row;
    });
    $("list").replaceChildren(...(rows.length ? rows : [element("li", words.empty)]));
    for (const id of ["save", "send", "clear"]) $(id).disabled = !list.length;
  }

  // ---- the form ----
  function fill(select, options) {
    select.replaceChildren(
      ...Object.entries(options).map(([value, text]) => element("option", text, { value })),
    );
  }
  function switchGame() {
    fill($("topic"), words.topics[game.value]);
    fill($("lang"), words.spoken[game.value]);
    const ui = document.documentElement.lang;
    if (ui in words.spoken[game.value]) $("lang").value = ui;
  }
  function switchKind() {
    for (const part of form.querySelectorAll("[data-for]"))
      part.hidden = !part.dataset.for.split(" ").includes(what.value);
  }
  function section(lang, title, body) {
    const part = element("fieldset");
    const head = element("input", "", { type: "text", value: title, className: "whole", lang });
    const text = element("textarea", "", {
      value: body,
      rows: Math.min(16, 3 + Math.ceil(body.length / 80)),
      lang,
    });
    head.setAttribute("aria-label", `${lang}: ${words.title}`);
    text.setAttribute("aria-label", `${lang}: ${words.text}`);
    part.append(element("legend", words.spoken[key.split("/")[0]]?.[lang] || lang), head, text);
    return {
      lang,
      part,
      read: () => ({ title: head.value.trim(), body: text.value.replace(/\r\n/g, "\n") }),
    };
  }
  let sections = [];
  async function load() {
    say(words.loading);
    try {
      const answer = await fetch(
        `${form.dataset.root}/${key.replace("/", "/rulings/")}/index.json`,
      );
      if (!answer.ok) throw new Error(answer.status);
      ruling = await answer.json();
    } catch (error) {
      say(words.failed);
      return;
    }
    sections = Object.keys(ruling.text).map((lang) =>
      section(lang, ruling.title[lang], ruling.text[lang]),
    );
    $("sections").replaceChildren(...sections.map((one) => one.part));
    $("key").textContent = key;
    what.querySelector("option").hidden = false;
    what.value = "correction";
    switchKind();
    say("");
  }
  function correction() {
    const changed = sections
      .map((one) => ({
        lang: one.lang,
        before: { title: ruling.title[one.lang], body: ruling.text[one.lang] },
        after: one.read(),
      }))
      .filter((one) => one.before.title !== one.after.title || one.before.body !== one.after.body);
    if (!changed.length) return say(words.unchanged);
    return {
      kind: "correction",
      ruling: key,
      build: window.KB_BUILT ? window.KB_BUILT.build : "",
      sections: changed,
    };
  }
  function fresh() {
    const title = $("title").value.trim(),
      // An open question may be all that there is to say.
      body = $("text").value.trim() || (what.value === "question" ? title : "");
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
    const one = what.value === "correction" ? correction() : fresh();
    if (!one) return;
    list.push({ ...one, why: $("why").value.trim() });
    for (const id of ["title", "text", "about", "why"]) $(id).value = "";
    say(words.added);
    keep();
    show();
  });

  // ---- out of the page ----
  const file = (indent) =>
    JSON.stringify({ format: FORMAT, by: $("by").value.trim(), proposals: list }, null, indent) +
    "\n";
  $("save").addEventListener("click", () => {
    const link = element("a", "", {
      href: URL.createObjectURL(new Blob([file(1)], { type: "application/json" })),
      download: "proposal.json",
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
  $("send").addEventListener("click", () => {
    const address = new URL(
      form.dataset.report.replaceAll("{id}", encodeURIComponent(nameOf(list[0]))),
    );
    const isMail = address.protocol === "mailto:",
      plain = address.href,
      body = "```json\n" + file() + "```\n";
    const given = address.search
      .slice(1)
      .split("&")
      .filter((part) => part && !part.startsWith("body="));
    // Lines of a mail end so (RFC 6068).
    address.search =
      "?" +
      [...given, "body=" + encodeURIComponent(isMail ? body.replaceAll("\n", "\r\n") : body)].join(
        "&",
      );
    const fits = address.href.length <= (isMail ? MAX_MAIL : MAX_ADDRESS);
    if (!fits) {
      say(words.toolong);
      $("save").focus();
    }
    window.open(fits ? address.href : plain, isMail ? "_self" : "_blank", "noopener");
  });
  $("clear").addEventListener("click", () => {
    list = [];
    keep();
    show();
  });
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
