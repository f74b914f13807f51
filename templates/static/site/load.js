// Loads scripts and their data, since a page that is opened from a file can fetch nothing.
(function () {
  "use strict";
  const { element } = window.KB_PAGE;
  function loadScript(src) {
    return new Promise((done, fail) => {
      const onerror = () => fail(new Error(src));
      const node = element("script", { async: false, onload: () => done(node), onerror, src });
      document.head.append(node);
    });
  }
  window.KB_SHARD = (name, data) => Object.assign(document.currentScript, { data });
  // The data of a script `KB_SHARD(name, data);`.
  const loadData = async (address) => (await loadScript(address)).data;
  const bucketsBeside = (base) => (file) => loadData(base.replace(/[^/]*$/, file));
  // The search in this page, without a worker.
  async function openSearch({ core, base }) {
    const [data] = await Promise.all([loadData(base), loadScript(core)]);
    return window.KBSearch(data, bucketsBeside(base));
  }
  Object.assign(window.KB_PAGE, { bucketsBeside, loadData, loadScript, openSearch });
})();
