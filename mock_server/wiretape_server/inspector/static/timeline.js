// The timeline: a list of which only the part that can be seen is in the page, and the chosen line beside it.

import { listen, onKeys, onSearch, say } from "./common.js";

const BLOCK = 50; // lines that the server gives at a time
const BEYOND = 1; // blocks that are kept before and behind those that can be seen

const list = document.getElementById("timeline");
const space = list.querySelector(".space");
const pane = document.getElementById("moment");
const find = document.getElementById("find");
const show = document.getElementById("show");
const count = document.getElementById("count");
const follow = document.getElementById("follow");
const head = document.getElementById("head");
const play = list.dataset.play;
const rowHeight = parseFloat(getComputedStyle(list).getPropertyValue("--row"));

const blocks = new Map(); // number -> the element, once it has come
let lines = Number(list.dataset.lines);
let matched = lines;
let chosen = -1; // the place of the chosen line in the list
let asked = 0; // grows with each change of the filter: answers to older questions are dropped
let following = true;
let growing = false; // whether lines have come since the page was opened

function address(name, values) {
  return `${play}/${name}?${new URLSearchParams(values)}`;
}

// --- the list

function setMatched(number) {
  matched = number;
  space.style.height = `${matched * rowHeight}px`;
  count.textContent = matched === 1 ? "1 line" : `${matched} lines`;
}

function wanted() {
  const first = Math.floor(list.scrollTop / rowHeight / BLOCK) - BEYOND;
  const last = Math.floor((list.scrollTop + list.clientHeight) / rowHeight / BLOCK) + BEYOND;
  const end = Math.max(Math.ceil(matched / BLOCK) - 1, 0);
  const numbers = [];
  for (let n = Math.max(first, 0); n <= Math.min(last, end); n += 1) numbers.push(n);
  return numbers;
}

/** Have exactly the blocks in the page that can be seen, and their neighbours. */
function draw() {
  const numbers = wanted();
  for (const [number, block] of blocks) {
    if (numbers.includes(number)) continue;
    if (block !== null) block.remove();
    blocks.delete(number);
  }
  for (const number of numbers) if (!blocks.has(number)) load(number);
}

async function load(number) {
  const question = asked;
  if (!blocks.has(number)) blocks.set(number, null);
  const answer = await fetch(address("rows", { block: number, find: find.value, show: show.value }));
  const text = answer.ok ? await answer.text() : "";
  if (question !== asked || !answer.ok) return;
  const holder = document.createElement("template");
  holder.innerHTML = text;
  const block = holder.content.querySelector(".block");
  const before = matched;
  setMatched(Number(block.dataset.matched));
  if (matched !== before) {
    if (following && growing) list.scrollTop = list.scrollHeight;
    draw();
  }
  if (!blocks.has(number)) return; // scrolled away meanwhile
  const old = blocks.get(number);
  block.style.transform = `translateY(${number * BLOCK * rowHeight}px)`;
  if (old === null) space.append(block);
  else old.replaceWith(block);
  blocks.set(number, block);
  showChosen();
}

/** Read those blocks again that may have more lines by now. */
function grow() {
  const end = Math.max(Math.ceil(matched / BLOCK) - 1, 0);
  for (const [number, block] of [...blocks]) {
    if (block !== null && (block.children.length < BLOCK || number === end)) load(number);
  }
  if (!blocks.has(end)) load(end); // to learn how many there are
}

async function restart() {
  asked += 1;
  for (const block of blocks.values()) if (block !== null) block.remove();
  blocks.clear();
  chosen = -1;
  list.removeAttribute("aria-activedescendant");
  list.scrollTop = 0;
  await load(0);
  draw();
  say(`${matched} lines`);
}

// --- the chosen line

const rowAt = (place) => space.querySelector(`#line-${place}`);

function choose(place) {
  if (matched === 0) return;
  chosen = Math.min(Math.max(place, 0), matched - 1);
  const top = chosen * rowHeight;
  if (top < list.scrollTop) list.scrollTop = top;
  const bottom = top + rowHeight - list.clientHeight;
  if (bottom > list.scrollTop) list.scrollTop = bottom;
  draw();
  showChosen();
}

/** Mark the chosen line, as soon as it is in the page, and show what there is about it. */
function showChosen() {
  for (const each of space.querySelectorAll("[aria-selected=true]")) each.setAttribute("aria-selected", "false");
  const row = chosen < 0 ? null : rowAt(chosen);
  if (row === null) return;
  row.setAttribute("aria-selected", "true");
  list.setAttribute("aria-activedescendant", row.id);
  showMoment(row.dataset.line);
}

let shownLine = "";
let waiting = 0;
function showMoment(line) {
  if (line === shownLine) return;
  shownLine = line;
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    const answer = await fetch(address("moment", { line }));
    const text = await answer.text();
    if (line !== shownLine || !answer.ok) return;
    const open = pane.querySelector("#raw") === null ? null : pane.querySelector("#raw").open;
    pane.innerHTML = text;
    pane.scrollTop = 0;
    const raw = pane.querySelector("#raw");
    if (raw !== null && open) raw.open = true;
    const grown = pane.querySelector(".grown");
    if (grown !== null) grown.scrollTop = grown.scrollHeight;
  }, 60);
}

function setFollowing(on) {
  following = on;
  follow.setAttribute("aria-pressed", String(on));
  if (on) list.scrollTop = list.scrollHeight;
}

function jump(place) {
  setFollowing(false);
  choose(place);
}

/** The first step chooses the line on top. */
function step(by) {
  jump(chosen < 0 ? Math.floor(list.scrollTop / rowHeight) : chosen + by);
}

list.addEventListener("click", (event) => {
  const row = event.target.closest("[role=option]");
  if (row === null) return;
  setFollowing(false);
  choose(Number(row.id.slice("line-".length)));
  if (pane.offsetTop > list.offsetTop + list.clientHeight) pane.scrollIntoView({ block: "nearest" });
});
list.addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
list.addEventListener("wheel", () => setFollowing(false), { passive: true });
list.addEventListener("touchmove", () => setFollowing(false), { passive: true });
addEventListener("resize", draw);
follow.addEventListener("click", () => setFollowing(!following));
show.addEventListener("change", restart);
onSearch(restart);

const page = () => Math.max(Math.floor(list.clientHeight / rowHeight) - 1, 1);
onKeys({
  j: () => step(1),
  k: () => step(-1),
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  PageDown: () => step(page()),
  PageUp: () => step(-page()),
  Home: () => jump(0),
  End: () => jump(matched - 1),
  f: () => setFollowing(!following),
});

listen(`${play}/live`, (text) => {
  const news = JSON.parse(text);
  head.innerHTML = news.head;
  if (news.lines === lines) return;
  lines = news.lines;
  growing = true;
  grow();
});

/** Go to a line by its number in the session, which is another one than its place among the lines shown. */
async function goTo(line) {
  const answer = await fetch(address("rows", { line, find: find.value, show: show.value }));
  const holder = document.createElement("template");
  holder.innerHTML = answer.ok ? await answer.text() : "";
  const row = holder.content.querySelector(`[data-line="${line}"]`);
  if (row === null) return;
  const place = Number(row.id.slice("line-".length));
  setFollowing(false);
  choose(place);
  list.scrollTop = place * rowHeight - list.clientHeight / 2;
}

const named = new URLSearchParams(location.search).get("line");
load(0).then(() => {
  draw();
  if (named !== null && /^[0-9]+$/.test(named)) goTo(named);
});
