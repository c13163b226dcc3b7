"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement, page = byId("page"), text = byId("text"), details = byId("details");
  const weighed = /^(.*) \(([+-][\d.]+)\)$/s;
  let here = null, line = null;

  const fill = (id, told, separator) => {
    const items = (told ? told.split(separator) : []).map((part) => {
      const item = document.createElement("li"), found = weighed.exec(part);
      item.textContent = found ? found[1] : part;
      if (found) {
        const weight = document.createElement("span");
        weight.className = found[2][0] === "+" ? "for" : "against";
        weight.textContent = (found[2][0] === "+" ? "+" : "−").repeat(Math.min(3, 1 + Math.floor(Math.abs(found[2]) / 2)));
        weight.title = found[2];
        item.prepend(weight);
      }
      return item;
    });
    byId(id).replaceChildren(...items);
  };

  const mark = (block) => {
    here?.classList.remove("here");
    line?.classList.remove("here");
    here = block;
    line = block && byId(block.id.replace("b", "t"));
    here?.classList.add("here");
    line?.classList.add("here");
    if (line) text.scrollTop = line.offsetTop - text.clientHeight / 3;
  };

  const show = (block) => {
    if (block === here) return;
    mark(block);
    const [name, score] = block.getAttribute("aria-label").split(", ");
    details.className = name;
    byId("d-name").textContent = name;
    byId("d-score").textContent = score;
    byId("d-meter").firstChild.style.width = score;
    fill("d-why", block.dataset.why, "; ");
    fill("d-numbers", block.dataset.numbers, "\n");
    byId("d-path").textContent = block.dataset.path;
    details.hidden = false;
  };

  const hide = () => {
    mark(null);
    details.hidden = true;
  };

  const blockOf = (event) => event.target.closest(".b[id]");
  page.addEventListener("pointerover", (event) => {
    const block = blockOf(event);
    if (block && event.pointerType === "mouse") show(block);
  });
  page.addEventListener("pointerleave", () => {
    const focused = document.activeElement.closest(".b[id]");
    if (focused && !details.hidden) show(focused);
  });
  page.addEventListener("focusin", (event) => blockOf(event) && show(blockOf(event)));
  page.addEventListener("click", (event) => {
    const block = blockOf(event);
    if (!block) return;
    block.focus({ preventScroll: true });
    show(block);
  });
  text.addEventListener("click", (event) => {
    const block = event.target.id && byId(event.target.id.replace("t", "b"));
    block?.scrollIntoView({ block: "center" });
    block?.focus({ preventScroll: true });
  });
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  byId("close").addEventListener("click", () => {
    const block = here;
    block?.focus({ preventScroll: true });
    hide();
  });

  for (const box of document.querySelectorAll("input[id^=show-]")) {
    box.addEventListener("change", () => root.classList.toggle(box.id.replace("show", "no"), !box.checked));
  }
  const first = page.querySelector(".b.kept");
  if (first && first.getBoundingClientRect().top > 0.8 * innerHeight) first.scrollIntoView({ block: "start" });

  const themes = ["system", "light", "dark"];
  byId("theme").addEventListener("click", (event) => {
    const next = themes[(themes.indexOf(root.dataset.theme || "system") + 1) % themes.length];
    root.dataset.theme = next;
    event.target.textContent = `Theme: ${next}`;
  });
})();
