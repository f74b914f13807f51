// Completion below a field: what the server offers for the line, the value or the card that is being typed. Arrows choose, Enter
// takes, Esc closes; nothing is taken unasked.
const KbComplete = (function () {
  "use strict";
  const WAIT = 120;
  let number = 0;

  // The part of a field that is being completed: from, to, the words typed, and how a choice is put in their place.
  function part(field, asked) {
    const text = field.value, at = field.selectionStart, end = field.selectionEnd;
    if (field.dataset.body !== undefined) return marked(field, text, at, end, asked);
    if (field.dataset.list === undefined) return { from: 0, to: text.length, typed: text.slice(0, at), put: (one) => [one, one.length] };
    const from = text.lastIndexOf("\n", at - 1) + 1, stop = text.indexOf("\n", at), to = stop < 0 ? text.length : stop;
    const why = field.dataset.key === "different-from";
    return { from, to, typed: text.slice(from, to).trim(), put: (one) => (why ? [one + " ()", one.length + 2] : [one, one.length]) };
  }
  function marked(field, text, at, end, asked) {
    const open = text.lastIndexOf("[[", at - 1), line = text.lastIndexOf("\n", at - 1);
    if (open >= 0 && open > line && at === end && !/[\]|]/.test(text.slice(open, at))) {
      const to = text.startsWith("]]", at) ? at + 2 : at, typed = text.slice(open + 2, at);
      return { from: open, to, typed, put: (one) => mark(one, typed) };
    }
    if (!asked) return null;
    let from = at, to = end;
    if (from === to) {
      while (from > 0 && /[^\s()„“”"«»,.;:]/.test(text[from - 1])) from -= 1;
      while (to < text.length && /[^\s()„“”"«»,.;:]/.test(text[to])) to += 1;
    }
    const typed = text.slice(from, to);
    return typed.includes("\n") || typed.includes("[") ? null : { from, to, typed, put: (one) => mark(one, typed, true) };
  }
  const bare = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ł", "l");
  // Words that stand in the text are shown as they are; of a name that was only begun, what is shown is left to be typed over.
  function mark(label, typed, stands) {
    const begun = !stands && bare(label).includes(bare(typed.trim()));
    const shown = begun ? label : typed.trim() || label;
    const made = "[[" + label + "|" + shown + "]]";
    return begun ? [made, made.length - 2 - shown.length, made.length - 2] : [made, made.length];
  }
  function insert(field, from, to, text) {
    field.focus();
    field.setSelectionRange(from, to);
    // So that undoing works; where a browser does not have it, the text is put in all the same.
    if (!document.execCommand("insertText", false, text)) {
      field.setRangeText(text, from, to, "end");
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }

  function attach(field, ask, say) {
    const list = document.createElement("ul"), id = "choices-" + (number += 1);
    list.className = "choices";
    list.id = id;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Suggestions");
    list.hidden = true;
    field.after(list);
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-haspopup", "listbox");
    field.setAttribute("aria-controls", id);
    let timer = 0, asked = 0, place = null, chosen = -1;

    function close() {
      list.hidden = true;
      list.replaceChildren();
      chosen = -1;
      asked += 1;
      field.removeAttribute("aria-activedescendant");
    }
    function choose(at) {
      const rows = list.children;
      if (chosen >= 0) rows[chosen].setAttribute("aria-selected", "false");
      chosen = (at + rows.length) % rows.length;
      rows[chosen].setAttribute("aria-selected", "true");
      rows[chosen].scrollIntoView({ block: "nearest" });
      field.setAttribute("aria-activedescendant", rows[chosen].id);
    }
    function take(value) {
      const [text, first, last] = place.put(value), from = place.from;
      insert(field, from, place.to, text);
      field.setSelectionRange(from + first, from + (last === undefined ? first : last));
      close();
    }
    async function look(explicit) {
      clearTimeout(timer);
      place = part(field, explicit);
      if (!place || (!place.typed.trim() && !explicit && field.dataset.complete === "card")) { close(); return; }
      const mine = (asked += 1), typed = place.typed.trim(), found = await ask(field.dataset.complete, typed, field.lang);
      if (mine !== asked || document.activeElement !== field) return;
      if (!found.length || (found.length === 1 && found[0].value === typed)) {
        close();
        if (explicit) say("No suggestions");
        return;
      }
      chosen = -1;
      field.removeAttribute("aria-activedescendant");
      list.replaceChildren(...found.map((one, at) => {
        const row = document.createElement("li"), value = document.createElement("span"), note = document.createElement("span");
        row.id = id + "-" + at;
        row.setAttribute("role", "option");
        row.setAttribute("aria-selected", "false");
        value.textContent = one.value;
        note.textContent = one.note;
        note.className = "also";
        row.append(value, note);
        row.addEventListener("mousedown", (event) => { event.preventDefault(); take(one.value); });
        return row;
      }));
      list.style.top = field.offsetTop + field.offsetHeight + "px";
      list.hidden = false;
      say(found.length === 1 ? "1 suggestion, arrow down to choose" : found.length + " suggestions, arrow down to choose");
    }
    field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => look(false), WAIT); });
    field.addEventListener("blur", () => { clearTimeout(timer); close(); });
    field.addEventListener("keydown", (event) => {
      if (event.key === " " && event.ctrlKey) { event.preventDefault(); look(true); return; }
      if (list.hidden) return;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); choose(event.key === "ArrowDown" ? chosen + 1 : chosen < 0 ? -1 : chosen - 1); }
      else if (event.key === "Enter" && chosen >= 0) { event.preventDefault(); take(list.children[chosen].firstChild.textContent); }
      else if (event.key === "Escape") { event.preventDefault(); close(); }
    });
    return { look: () => { field.focus(); look(true); } };
  }
  return { attach };
})();
