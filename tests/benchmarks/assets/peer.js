// A search page around any engine: ten titles after each input event. Its form tells its state as kb's search page does.
import { open } from "./engine.js";

const form = document.getElementById("search");
const box = document.getElementById("q");
const list = document.getElementById("results");
let latest = 0;

async function show(answer) {
  const mine = ++latest;
  const query = box.value.trim();
  form.dataset.state = query ? "busy" : "idle";
  const titles = query ? await answer(query) : [];
  if (mine !== latest) return;
  list.replaceChildren(...titles.map((title) => {
    const item = document.createElement("li");
    item.textContent = title;
    return item;
  }));
  if (query) form.dataset.state = "done";
}

const answer = await open();
box.addEventListener("input", () => show(answer));
box.value = new URLSearchParams(location.search).get("q") ?? "";
show(answer);
