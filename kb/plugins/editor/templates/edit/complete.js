// Completion below a field: the server's choices for the typed line, value or card. Arrow keys choose, Enter accepts (the first
// choice by default), Esc closes.
const KbComplete = (function () {
  "use strict";
  const DELAY = 120,
    IN_WORD = /[^\s()„“”"«»,.;:]/;
  const { counted, element, fold, set } = window.KB_PAGE;
  let lists = 0;

  // The part of a field to complete: its start and end, the typed text, and a function that returns its replacement with the
  // caret's place therein.
  function partOf(field, explicit) {
    const text = field.value,
      at = field.selectionStart;
    if (field.dataset.body !== undefined) return cardPart(text, at, field.selectionEnd, explicit);
    const whole = (value) => [value, value.length];
    if (field.dataset.list === undefined)
      return { from: 0, to: text.length, typed: text.slice(0, at), replacement: whole };
    const from = text.lastIndexOf("\n", at - 1) + 1,
      stop = text.indexOf("\n", at),
      to = stop < 0 ? text.length : stop,
      withReason = (value) => [value + " ()", value.length + 2],
      replacement = field.dataset.key === "different-from" ? withReason : whole;
    return { from, to, typed: text.slice(from, to).trim(), replacement };
  }
  function cardPart(text, at, end, explicit) {
    const open = text.lastIndexOf("[[", at - 1),
      line = text.lastIndexOf("\n", at - 1);
    if (open >= 0 && open > line && at === end && !/[\]|]/.test(text.slice(open, at))) {
      const to = text.startsWith("]]", at) ? at + 2 : at,
        typed = text.slice(open + 2, at);
      return { from: open, to, typed, replacement: (label) => mark(label, typed) };
    }
    if (!explicit) return null;
    let from = at,
      to = end;
    if (from === to) {
      while (from > 0 && IN_WORD.test(text[from - 1])) from -= 1;
      while (to < text.length && IN_WORD.test(text[to])) to += 1;
    }
    const typed = text.slice(from, to);
    if (typed.includes("\n") || typed.includes("[")) return null;
    return { from, to, typed, replacement: (label) => mark(label, typed, true) };
  }
  // A mark keeps words of the text; a part of a name that is typed in brackets is replaced. The
  // caret goes behind it.
  function mark(label, typed, isText) {
    const isPart = !isText && fold(label).includes(fold(typed.trim())),
      words = (!isPart && typed.trim()) || label,
      marked = words === label ? "[[" + label + "]]" : "[[" + label + "|" + words + "]]";
    return [marked, marked.length];
  }
  function insert(field, from, to, text) {
    field.focus();
    field.setSelectionRange(from, to);
    // Keeps the undo history.
    document.execCommand("insertText", false, text);
  }

  // `take`: gets value and title from a box that only adds values and is emptied then.
  function attach(field, request, setStatus, words, take) {
    const list = element("ul.popup.choices", {
      id: "choices-" + (lists += 1),
      role: "listbox",
      "aria-label": words.suggestions,
      hidden: true,
    });
    field.after(list);
    set(field, {
      "aria-autocomplete": "list",
      "aria-haspopup": "listbox",
      "aria-controls": list.id,
    });
    let timer = 0,
      requests = 0,
      part = null,
      shown = [],
      selected = -1;

    function close() {
      clearTimeout(timer);
      list.hidden = true;
      list.replaceChildren();
      selected = -1;
      requests += 1;
      field.removeAttribute("aria-activedescendant");
    }
    function choose(at) {
      const rows = list.children;
      if (selected >= 0) rows[selected].setAttribute("aria-selected", "false");
      selected = (at + rows.length) % rows.length;
      rows[selected].setAttribute("aria-selected", "true");
      rows[selected].scrollIntoView({ block: "nearest" });
      field.setAttribute("aria-activedescendant", rows[selected].id);
    }
    function accept({ value, note }) {
      if (take) {
        field.value = "";
        close();
        take(value, note);
        return;
      }
      const [text, caret] = part.replacement(value),
        { from, to } = part;
      insert(field, from, to, text);
      field.setSelectionRange(from + caret, from + caret);
      close();
    }
    function rowOf(choice, at) {
      const note = choice.versions > 1 ? counted(words.versions, choice.versions) : choice.note;
      const onmousedown = (event) => {
        event.preventDefault();
        accept(choice);
      };
      return element(
        "li.option",
        { id: list.id + "-" + at, role: "option", "aria-selected": "false", onmousedown },
        element("span", choice.value),
        " ",
        element("span.where", note),
      );
    }
    async function open(explicit) {
      clearTimeout(timer);
      part = partOf(field, explicit);
      const kind = field.dataset.complete,
        typed = part ? part.typed.trim() : "";
      if (!part || (!typed && !explicit && kind === "card")) {
        close();
        return;
      }
      const number = (requests += 1),
        choices = await request(kind, typed, field.lang);
      if (number !== requests || document.activeElement !== field) return;
      if (!choices.length || (choices.length === 1 && choices[0].value === typed)) {
        close();
        if (explicit) setStatus(words.nosuggestions);
        return;
      }
      selected = -1;
      shown = choices;
      list.replaceChildren(...choices.map(rowOf));
      list.style.top = field.offsetTop + field.offsetHeight + "px";
      list.hidden = false;
      choose(0);
      setStatus(counted(words.choices, choices.length));
    }
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(open, DELAY, false);
    });
    function takeTyped() {
      const value = field.value.trim();
      close();
      if (take && value) accept({ value });
    }
    field.addEventListener("blur", takeTyped);
    if (take) field.addEventListener("click", () => open(false));
    field.addEventListener("keydown", (event) => {
      if (event.key === " " && event.ctrlKey) {
        event.preventDefault();
        open(true);
        return;
      }
      if (take && list.hidden && event.key === "ArrowDown") open(false);
      // A completely typed value needs no completion: Enter ends the line.
      if (event.key === "Enter" && (list.hidden || shown[selected].value === part.typed.trim()))
        takeTyped();
      if (list.hidden || !["ArrowDown", "ArrowUp", "Enter", "Escape"].includes(event.key)) return;
      event.preventDefault();
      if (event.key === "ArrowDown") choose(selected + 1);
      else if (event.key === "ArrowUp") choose(selected - 1);
      else if (event.key === "Enter") accept(shown[selected]);
      else close();
    });
    return {
      open() {
        field.focus();
        open(true);
      },
    };
  }
  return { attach };
})();
