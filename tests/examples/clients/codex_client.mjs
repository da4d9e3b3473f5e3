// A small client of the Codex app-server over stdio: one thread, every tool call answered, answers printed.
//
// Run it under the checker, which sets the environment variables that it reads (Node 18 or later, no packages):
//
//     wiretape check --protocol codex -- node tests/examples/clients/codex_client.mjs

import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";

const setting = (name, fallback) => process.env[name] ?? fallback;
const CODEX = setting("WIRETAPE_CODEX_BIN", "codex");
const TOOLS = JSON.parse(setting("WIRETAPE_TOOLS", "[]"));
const RESULTS = JSON.parse(setting("WIRETAPE_TOOL_RESULTS", "{}"));
const ONE_TURN = JSON.stringify([{ turn: setting("WIRETAPE_USER_MESSAGE", "Say hello.") }]);
const STEPS = JSON.parse(setting("WIRETAPE_CLIENT_STEPS", ONE_TURN));

/** A connection to an app-server process, and at most one thread of it. */
class Client {
  lastId = 0;
  waiting = new Map(); // our requests that have no answer yet, by id
  turnCompleted = () => {}; // called when the turn is over
  said = ""; // the model's last message
  refreshed = {}; // what to answer when the server asks for new tokens
  interrupting = false;

  async open(threadId) {
    this.server = spawn(CODEX, ["app-server"], { stdio: ["pipe", "pipe", "inherit"] });
    this.server.on("error", (error) => fail(`${CODEX} can't be started: ${error.message}`));
    this.ended = once(this.server, "close");
    this.ended.then(([code]) => this.closing || fail(`the app-server ended with exit code ${code}`));
    createInterface({ input: this.server.stdout, crlfDelay: Infinity }).on("line", (line) => this.take(JSON.parse(line)));
    const clientInfo = { name: "example_client", title: "Example", version: "1.0.0" };
    await this.request("initialize", { clientInfo, capabilities: { experimentalApi: true } });
    this.send({ method: "initialized" });
    this.threadId = threadId;
    // The tools live on with their thread and are not declared again.
    if (threadId) await this.request("thread/resume", { threadId });
    return this;
  }

  /** Send a user message and wait until its turn is completed; gives the model's last message. */
  async turn(text, interrupting = false) {
    this.threadId ??= (await this.request("thread/start", { dynamicTools: TOOLS })).thread.id;
    this.interrupting = interrupting;
    this.said = "";
    const input = [{ type: "text", text }];
    const completed = new Promise((done) => (this.turnCompleted = done));
    await this.request("turn/start", { threadId: this.threadId, input });
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

  take(message) {
    if (message.method && "id" in message) this.answer(message);
    else if (message.method) this.notice(message.method, message.params);
    else this.settle(message);
  }

  settle({ id, result, error }) {
    const asked = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) fail(`${asked?.method} failed: ${error.message}`);
    asked?.done(result);
  }

  notice(method, params) {
    if (method === "item/completed" && params.item.type === "agentMessage") this.said = params.item.text;
    if (method === "turn/completed") this.turnCompleted();
  }

  answer({ id, method, params }) {
    if (method === "item/tool/call" && this.interrupting) {
      this.request("turn/interrupt", { threadId: params.threadId, turnId: params.turnId });
    } else if (method === "item/tool/call") {
      this.send({ id, result: runTool(params.tool, params.arguments) });
    } else if (method === "account/chatgptAuthTokens/refresh") {
      this.send({ id, result: this.refreshed });
    } else {
      this.send({ id, error: { code: -32601, message: `no method ${method}` } });
    }
  }

  async login({ start, refresh }) {
    await this.request("account/login/start", start);
    this.refreshed = refresh;
  }

  async close() {
    this.closing = true;
    this.server.stdin.end();
    await this.ended;
  }
}

/** The whole answer to a call: the one that was asked for, or an echo of the text. */
function runTool(tool, args) {
  return RESULTS[tool] ?? { contentItems: [{ type: "inputText", text: String(args.text) }], success: true };
}

function fail(why) {
  console.error(`codex_client: ${why}`);
  process.exit(1);
}

let client = await new Client().open();
for (const step of STEPS) {
  const [[what, value]] = Object.entries(step);
  if (what === "login") {
    await client.login(value);
  } else if (what === "resume") {
    await client.close();
    client = await new Client().open(client.threadId);
  } else {
    console.log(await client.turn(value, what === "interrupt"));
  }
}
await client.close();
