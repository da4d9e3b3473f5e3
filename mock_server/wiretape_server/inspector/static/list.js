// A list of items that the server renders: search, choice, keys, and a new rendering when something happens.

import { listen, onKeys, onSearch, say } from "./common.js";

const part = document.getElementById("part");
const find = document.getElementById("find");
const show = document.getElementById("show");
const count = document.getElementById("count");
const head = document.getElementById("head");
let chosen = null;

const items = () => [...part.querySelectorAll("[data-item]")];
const shown = () => items().filter((item) => !item.hidden);
const nameOf = (item) => item.dataset.key || item.id || item.textContent;
const target = (item) => item.querySelector("a.rule, th a") || item;

function filter() {
  const text = find.value.trim().toLowerCase();
  const kind = show === null ? "" : show.value;
  const all = items();
  for (const item of all) {
    const fits = (item.dataset.kind || "").startsWith(kind);
    item.hidden = !(fits && item.textContent.toLowerCase().includes(text));
  }
  const left = shown().length;
  count.textContent = left === all.length ? "" : `${left} of ${all.length}`;
}

function choose(step) {
  const there = shown();
  if (there.length === 0) return;
  const at = there.findIndex((item) => nameOf(item) === chosen);
  const next = at < 0 ? (step > 0 ? 0 : there.length - 1) : Math.min(Math.max(at + step, 0), there.length - 1);
  mark(there[next]);
  target(there[next]).focus();
  there[next].scrollIntoView({ block: "nearest" });
}

function mark(item) {
  for (const each of items()) each.classList.toggle("chosen", each === item);
  chosen = nameOf(item);
}

/** Put a new rendering in the place of the old one; what was chosen, focused and open stays so. */
function replace(html) {
  const focused = part.contains(document.activeElement);
  part.innerHTML = html;
  filter();
  const again = items().find((item) => nameOf(item) === chosen);
  if (again === undefined) return;
  mark(again);
  if (focused) target(again).focus({ preventScroll: true });
}

async function readAgain() {
  const answer = await fetch(part.dataset.again);
  if (answer.ok) replace(await answer.text());
}

let first = true;
function told(news) {
  if (part.dataset.again === undefined) {
    if (first) first = false;
    else say("The list has changed.");
    replace(news);
    return;
  }
  head.innerHTML = JSON.parse(news).head;
  if (first) first = false;
  else readAgain();
}

part.addEventListener("focusin", (event) => {
  const item = event.target.closest("[data-item]");
  if (item !== null) mark(item);
});
onSearch(filter);
if (show !== null) show.addEventListener("change", filter);
onKeys({
  j: () => choose(1),
  k: () => choose(-1),
  ArrowDown: () => choose(1),
  ArrowUp: () => choose(-1),
});
listen(part.dataset.live, told);
filter();
