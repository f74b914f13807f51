// Completion below a field: the server's choices for the line, the value or the card that is being typed. Arrow keys choose,
// Enter accepts (the first unless another is chosen), Esc closes; nothing is inserted unless accepted.
const KbComplete = (function () {
  "use strict";
  const DELAY = 120;
  let number = 0;

  // The part of a field that is being completed: its start and end, the text typed there, and a function that gives what replaces
  // it and the selection in that.
  function partOf(field, explicit) {
    const text = field.value,
      at = field.selectionStart,
      end = field.selectionEnd;
    if (field.dataset.body !== undefined) return cardPart(text, at, end, explicit);
    if (field.dataset.list === undefined)
      return {
        from: 0,
        to: text.length,
        typed: text.slice(0, at),
        replacement: (value) => [value, value.length],
      };
    const from = text.lastIndexOf("\n", at - 1) + 1,
      stop = text.indexOf("\n", at),
      to = stop < 0 ? text.length : stop;
    const hasReason = field.dataset.key === "different-from";
    return {
      from,
      to,
      typed: text.slice(from, to).trim(),
      replacement: (value) =>
        hasReason ? [value + " ()", value.length + 2] : [value, value.length],
    };
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
      while (from > 0 && /[^\s()„“”"«»,.;:]/.test(text[from - 1])) from -= 1;
      while (to < text.length && /[^\s()„“”"«»,.;:]/.test(text[to])) to += 1;
    }
    const typed = text.slice(from, to);
    return typed.includes("\n") || typed.includes("[")
      ? null
      : { from, to, typed, replacement: (label) => mark(label, typed, true) };
  }
  const fold = (text) =>
    text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ł", "l");
  // Words of the text stay as they are in the mark; where only a part of the name was typed, the words are selected to be typed over.
  function mark(label, typed, isText) {
    const isPart = !isText && fold(label).includes(fold(typed.trim()));
    const words = isPart ? label : typed.trim() || label;
    const marked = "[[" + label + "|" + words + "]]";
    return isPart
      ? [marked, marked.length - 2 - words.length, marked.length - 2]
      : [marked, marked.length];
  }
  function insert(field, from, to, text) {
    field.focus();
    field.setSelectionRange(from, to);
    // execCommand keeps the undo history; setRangeText is for browsers without it.
    if (!document.execCommand("insertText", false, text)) {
      field.setRangeText(text, from, to, "end");
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }

  function attach(field, request, setStatus, words) {
    const { counted } = KbWords(words);
    const list = document.createElement("ul"),
      id = "choices-" + (number += 1);
    list.className = "choices";
    list.id = id;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", words.suggestions);
    list.hidden = true;
    field.after(list);
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-haspopup", "listbox");
    field.setAttribute("aria-controls", id);
    let timer = 0,
      requests = 0,
      part = null,
      selected = -1;

    function close() {
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
    function accept(value) {
      const [text, first, last] = part.replacement(value),
        from = part.from;
      insert(field, from, part.to, text);
      field.setSelectionRange(from + first, from + (last === undefined ? first : last));
      close();
    }
    async function open(explicit) {
      clearTimeout(timer);
      part = partOf(field, explicit);
      if (!part || (!part.typed.trim() && !explicit && field.dataset.complete === "card")) {
        close();
        return;
      }
      const number = (requests += 1),
        typed = part.typed.trim(),
        choices = await request(field.dataset.complete, typed, field.lang);
      if (number !== requests || document.activeElement !== field) return;
      if (!choices.length || (choices.length === 1 && choices[0].value === typed)) {
        close();
        if (explicit) setStatus(words.nosuggestions);
        return;
      }
      selected = -1;
      list.replaceChildren(
        ...choices.map((choice, at) => {
          const row = document.createElement("li"),
            value = document.createElement("span"),
            note = document.createElement("span");
          row.id = id + "-" + at;
          row.setAttribute("role", "option");
          row.setAttribute("aria-selected", "false");
          value.textContent = choice.value;
          note.textContent =
            choice.versions > 1 ? counted("versions", choice.versions) : choice.note;
          note.className = "also";
          row.append(value, note);
          row.addEventListener("mousedown", (event) => {
            event.preventDefault();
            accept(choice.value);
          });
          return row;
        }),
      );
      list.style.top = field.offsetTop + field.offsetHeight + "px";
      list.hidden = false;
      choose(0);
      setStatus(counted("choices", choices.length));
    }
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => open(false), DELAY);
    });
    field.addEventListener("blur", () => {
      clearTimeout(timer);
      close();
    });
    field.addEventListener("keydown", (event) => {
      if (event.key === " " && event.ctrlKey) {
        event.preventDefault();
        open(true);
        return;
      }
      if (list.hidden) return;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        choose(event.key === "ArrowDown" ? selected + 1 : selected < 0 ? -1 : selected - 1);
      } else if (event.key === "Enter" && selected >= 0) {
        const value = list.children[selected].firstChild.textContent;
        // What was typed in full needs no completion: Enter ends the line.
        if (value === part.typed.trim()) {
          close();
          return;
        }
        event.preventDefault();
        accept(value);
      } else if (event.key === "Escape") {
        event.preventDefault();
        close();
      }
    });
    return {
      open: () => {
        field.focus();
        open(true);
      },
    };
  }
  return { attach };
})();
