"use strict";
(() => {
  const box = document.getElementById("search");
  const count = document.getElementById("count");
  const items = [...document.querySelectorAll(".item")].map((node) => [node, node.textContent.toLowerCase()]);
  const look = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [node, text] of items) {
      const meets = words.every((word) => text.includes(word));
      node.classList.toggle("missed", !meets);
      shown += meets;
    }
    count.textContent = words.length ? `${shown} of ${items.length} entries` : "";
  };
  box.addEventListener("input", look);
  box.closest("[hidden]").hidden = false;
  const target = () => {
    const node = location.hash && document.getElementById(location.hash.slice(1));
    const fold = node && node.closest("details");
    if (fold) fold.open = true;
  };
  addEventListener("hashchange", target);
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((fold) => (fold.open = true)));
})();
