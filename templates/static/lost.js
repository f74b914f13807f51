// At an address without a page: to the English page, where there is one, or to a search.
(function () {
  "use strict";
  const { $ } = window.KB_PAGE;
  const { lost: languages } = document.querySelector("[data-lost]").dataset;
  const english = location.pathname.replace(new RegExp(`/(${languages})/`), "/");
  if (english !== location.pathname)
    fetch(english, { method: "HEAD" }).then((answer) => answer.ok && location.replace(english));

  // The words of the address are searched for.
  const search = $("lost");
  const name = location.pathname
    .replace(/(\/index)?(\.html)?\/?$/, "")
    .split("/")
    .pop();
  const query = /\p{L}/u.test(name) ? name.replace(/[^\p{L}\p{N}]+/gu, " ").trim() : "";
  $("q").value = query;
  search.href = `${search.getAttribute("href")}?${new URLSearchParams({ q: query })}`;
})();
