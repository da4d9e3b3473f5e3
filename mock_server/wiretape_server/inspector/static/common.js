// What all pages share: keys, the dialog that lists them, news from the server, copying.

const byId = (id) => document.getElementById(id);

/** Say something to a screen reader, politely. */
export function say(text) {
  byId("said").textContent = text;
}

/** Show how the page hears from the server. */
function showConnection(state) {
  const shown = byId("connection");
  shown.textContent = state;
  shown.dataset.state = state;
}

/**
 * Hear news of an address for as long as the page can be seen. `told` gets each one, parsed.
 * The browser connects again by itself when the server was away.
 */
export function listen(address, told) {
  let source = null;
  const open = () => {
    source = new EventSource(address);
    source.onopen = () => showConnection("live");
    source.onerror = () => showConnection("not connected");
    source.onmessage = (event) => told(JSON.parse(event.data));
  };
  const close = () => {
    if (source !== null) source.close();
    source = null;
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else if (source === null) open();
  });
  addEventListener("pagehide", close);
  if (!document.hidden) open();
}

const isTyping = (target) => target.matches("input[type=search]");

/** Whether a key scrolls what has the focus, a long text or a row of bytes. */
const scrolls = (event) => event.key.length > 1 && event.target.closest("pre, .grown, .hex") !== null;

/** Handle keys by name where nobody is typing. A function of `keys` takes the event. */
export function onKeys(keys) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target) || byId("help").open) return;
    if (scrolls(event) && event.key !== "Escape") return;
    if (event.target.matches("select") && event.key !== "Escape") return;
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act(event);
  });
}

/** The page's search: `changed` is called a moment after the text has changed. */
export function onSearch(changed) {
  const find = byId("find");
  let waiting = 0;
  find.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(changed, 120);
  });
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" && event.key !== "Enter") return;
    event.preventDefault();
    if (event.key === "Escape" && find.value !== "") {
      find.value = "";
      changed();
    } else {
      find.blur();
      const list = document.querySelector("[role=listbox]");
      if (list !== null) list.focus();
    }
  });
}

function toggleHelp() {
  const help = byId("help");
  if (help.open) help.close();
  else help.showModal();
}

function leave() {
  const tip = document.querySelector(".tip-of:hover, .tip-of:focus-within");
  if (tip !== null && !tip.classList.contains("dismissed")) {
    tip.classList.add("dismissed");
    const again = () => tip.classList.remove("dismissed");
    tip.addEventListener("mouseleave", again, { once: true });
    tip.addEventListener("focusout", again, { once: true });
    return;
  }
  const up = document.querySelector("[data-up]");
  if (up !== null) location.assign(up.href);
}

/** Shift a sentence to the left that would stand out of the window. */
function fit(event) {
  const tip = event.target.closest(".tip-of")?.querySelector(".tip");
  if (!tip) return;
  tip.style.left = "0";
  const over = tip.getBoundingClientRect().right + 8 - document.documentElement.clientWidth;
  if (over > 0) tip.style.left = `${-over}px`;
}
document.addEventListener("mouseover", fit);
document.addEventListener("focusin", fit);

onKeys({
  "/": () => {
    const find = byId("find");
    if (find === null) return;
    find.focus();
    find.select();
  },
  "?": toggleHelp,
  Escape: leave,
});

byId("help-open").addEventListener("click", toggleHelp);
byId("help-close").addEventListener("click", toggleHelp);
byId("help").addEventListener("keydown", (event) => {
  if (event.key === "?") toggleHelp();
});

const copy = byId("copy");
if (copy !== null) {
  const name = copy.textContent;
  copy.addEventListener("click", async () => {
    try {
      const answer = await fetch(copy.dataset.from);
      const text = await answer.text();
      if (!answer.ok) throw new Error(text);
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
      say("The session was copied as a cassette.");
    } catch (error) {
      copy.textContent = "Not copied";
      say(`The session was not copied: ${error.message}`);
    }
    setTimeout(() => (copy.textContent = name), 2000);
  });
}
