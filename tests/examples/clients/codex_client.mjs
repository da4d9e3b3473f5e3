// A small client of the Codex app-server over stdio: one thread, every tool call answered, answers printed.
//
// Run it under the checker, which sets the environment variables that it reads (Node 18 or later, no packages):
//
//     wiretape check --protocol codex -- node tests/examples/clients/codex_client.mjs

import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";

const CODEX = process.env.WIRETAPE_CODEX_BIN ?? "codex";
const OWN_TOOLS = [ // where the checker names none: wiretape check --protocol codex --cassette auto
  {
    type: "function",
    name: "note",
    description: "Keeps a note, and says it again.",
    inputSchema: {
      type: "object",
      properties: { text: { type: "string" }, folder: { enum: ["home", "work"] } },
      required: ["text"],
    },
  },
];
const NAMED = JSON.parse(process.env.WIRETAPE_TOOLS ?? "[]");
const TOOLS = NAMED.length ? NAMED : OWN_TOOLS;
const RESULTS = JSON.parse(process.env.WIRETAPE_TOOL_RESULTS ?? "{}");
const STEPS = JSON.parse(process.env.WIRETAPE_CLIENT_STEPS ?? '[{"turn": "Say hello."}]');

/** A connection to an app-server process of its own. */
class Client {
  lastId = 0;
  waiting = new Map(); // our requests that have no answer yet, by id
  interrupting = false;
  tokens = null; // what to answer when the server asks for new ones

  async open() {
    this.server = spawn(CODEX, ["app-server"], { stdio: ["pipe", "pipe", "inherit"] });
    this.server.on("error", (error) => fail(`${CODEX} can't be started: ${error.message}`));
    this.ended = once(this.server, "close");
    this.ended.then(([code]) => this.closing || fail(`the app-server ended with exit code ${code}`));
    this.server.stdin.on("error", () => {}); // it has ended, as "close" will tell
    this.server.stdout.on("end", () => this.server.stdin.end()); // nobody answers any more
    createInterface({ input: this.server.stdout }).on("line", (line) => this.read(line));
    const clientInfo = { name: "example_client", title: "Example", version: "1.0.0" };
    await this.request("initialize", { clientInfo, capabilities: { experimentalApi: true } });
    this.send({ method: "initialized" });
    return this;
  }

  /** Send a user message and wait until its turn is completed; gives the model's last message. */
  async turn(threadId, text) {
    this.said = "";
    const completed = new Promise((done) => (this.turnCompleted = done));
    await this.request("turn/start", { threadId, input: [{ type: "text", text }] });
    await completed;
    return this.said;
  }

  request(method, params) {
    this.send({ id: ++this.lastId, method, params });
    return new Promise((done) => this.waiting.set(this.lastId, { method, done }));
  }

  send(message) {
    this.server.stdin.write(`${JSON.stringify(message)}\n`);
  }

  read(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return; // something that a shell or a wrapper printed
    }
    this.take(message);
  }

  take({ id, method, params, result, error }) {
    if (method && id !== undefined) {
      this.answer(id, method, params);
    } else if (method) {
      if (method === "item/completed" && params.item.type === "agentMessage") this.said = params.item.text;
      if (method === "turn/completed") this.turnCompleted();
    } else {
      const asked = this.waiting.get(id);
      if (error) fail(`${asked?.method} failed: ${error.message}`);
      asked?.done(result);
    }
  }

  /** Answer a request of the server's. Its ids are its own, and the first of them is 0. */
  answer(id, method, params) {
    const { threadId, turnId, tool } = params;
    if (method === "item/tool/call" && this.interrupting) {
      this.request("turn/interrupt", { threadId, turnId });
    } else if (method === "item/tool/call") {
      const contentItems = [{ type: "inputText", text: String(params.arguments.text) }];
      this.send({ id, result: RESULTS[tool] ?? { contentItems, success: true } });
    } else if (method === "account/chatgptAuthTokens/refresh") {
      this.send({ id, result: this.tokens });
    } else {
      this.send({ id, error: { code: -32601, message: `no method ${method}` } });
    }
  }

  async close() {
    this.closing = true;
    this.server.stdin.end();
    await this.ended;
  }
}

function fail(why) {
  console.error(`codex_client: ${why}`);
  process.exit(1);
}

let client = await new Client().open();
let threadId;
for (const step of STEPS) {
  const [[what, value]] = Object.entries(step);
  if (what === "login") {
    await client.request("account/login/start", value.start);
    client.tokens = value.refresh;
  } else if (what === "resume") { // the tools live on with their thread and are not declared again
    await client.close();
    client = await new Client().open();
    await client.request("thread/resume", { threadId });
  } else {
    threadId ??= (await client.request("thread/start", { dynamicTools: TOOLS })).thread.id;
    client.interrupting = what === "interrupt";
    console.log(await client.turn(threadId, value));
  }
}
await client.close();
