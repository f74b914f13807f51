// While the records are watched: a page shows itself anew when a build changed something, and says when the records have problems.
(function () {
  "use strict";
  const script = document.currentScript, shown = Number(script.dataset.revision), here = "problems" in script.dataset;
  const EVERY = 1000;
  let told = null, bar = null;

  function link(address, text) {
    const made = document.createElement("a");
    made.href = address;
    made.textContent = text;
    return made;
  }
  function banner(state) {
    const wrong = state.problems, count = wrong.length;
    if (!count && !state.message) { if (bar) bar.remove(); bar = null; return; }
    if (!bar) {
      bar = document.createElement("div");
      bar.className = "banner live-banner";
      bar.setAttribute("role", "status");
      document.body.prepend(bar);
    }
    const lines = document.createElement("ul");
    for (const one of wrong.slice(0, 5)) {
      const row = document.createElement("li");
      row.textContent = one.path + ":" + one.line + ": " + one.message;
      lines.append(row);
    }
    const head = document.createElement("p"), strong = document.createElement("strong");
    strong.textContent = state.message || (count === 1 ? "1 problem in the records" : count + " problems in the records");
    head.append(strong, "; this is the last build without any. ", link("/live/problems", count > 5 ? "All of them" : "Problems"));
    bar.replaceChildren(head, lines);
  }
  async function look() {
    if (!document.hidden) {
      try {
        const answer = await fetch("/live/state", { cache: "no-store" }), state = await answer.json();
        const now = JSON.stringify([state.problems, state.message]);
        if (here ? told !== null && now !== told : state.revision !== shown) { location.reload(); return; }
        if (!here && now !== told) banner(state);
        told = now;
      } catch (error) { /* the server is gone: whoever started it knows */ }
    }
    setTimeout(look, EVERY);
  }
  look();

  const id = document.querySelector(".facts code"), acts = document.querySelector(".acts");
  if ("edits" in script.dataset && id && acts && /\/rulings\/[a-z0-9-]+\/(index\.html)?$/.test(location.pathname)) {
    const edit = link("/edit/" + id.textContent, "Edit this ruling");
    edit.className = "edit-link";
    acts.append(edit);
  }
})();
