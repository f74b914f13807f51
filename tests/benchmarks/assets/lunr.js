// lunr with every word required and the last one as a prefix; the index made beforehand, titles beside it.
export async function open() {
  await new Promise((done, failed) => {
    const script = Object.assign(document.createElement("script"), { src: "library.js", onload: done, onerror: failed });
    document.head.append(script);
  });
  const read = async (name) => (await fetch(name)).json();
  const [index, titles] = [window.lunr.Index.load(await read("index.json")), await read("titles.json")];
  return (query) => {
    const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
    const found = words.length ? index.search(`${words.map((word) => `+${word}`).join(" ")}*`) : [];
    return found.slice(0, 10).map((one) => titles[one.ref]);
  };
}
