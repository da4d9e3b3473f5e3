"""A small client of the Codex app-server over stdio: one thread, every tool call answered, answers printed.

Run it under the checker, which sets the environment variables that it reads:

    wiretape check --protocol codex -- python tests/examples/clients/codex_client.py
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
from typing import Any

CODEX = os.environ.get("WIRETAPE_CODEX_BIN", "codex")
OWN_TOOLS = [  # where the checker names none: wiretape check --protocol codex --cassette auto
    {
        "type": "function",
        "name": "note",
        "description": "Keeps a note, and says it again.",
        "inputSchema": {
            "type": "object",
            "properties": {"text": {"type": "string"}, "folder": {"enum": ["home", "work"]}},
            "required": ["text"],
        },
    }
]
TOOLS = json.loads(os.environ.get("WIRETAPE_TOOLS", "[]")) or OWN_TOOLS
RESULTS = json.loads(os.environ.get("WIRETAPE_TOOL_RESULTS", "{}"))
STEPS = json.loads(os.environ.get("WIRETAPE_CLIENT_STEPS", '[{"turn": "Say hello."}]'))


class Client:
    """A connection to an app-server process of its own."""

    def __init__(self) -> None:
        pipe = subprocess.PIPE
        self.process: Any = subprocess.Popen([CODEX, "app-server"], stdin=pipe, stdout=pipe)
        self.ids = itertools.count(1)
        self.early: list[dict[str, Any]] = []  # what came while an answer was waited for
        self.interrupting = False
        self.tokens: Any = None  # what to answer when the server asks for new ones
        me = {"name": "example_client", "title": "Example", "version": "1.0.0"}
        self.request("initialize", clientInfo=me, capabilities={"experimentalApi": True})
        self.send({"method": "initialized"})

    def turn(self, thread_id: str, text: str) -> str:
        """Send a user message and read until its turn is completed; returns the model's last message."""
        said = [{"type": "text", "text": text}]
        turn_id = self.request("turn/start", threadId=thread_id, input=said)["turn"]["id"]
        answer = ""
        while True:
            message = self.early.pop(0) if self.early else self.receive()
            method, params = message.get("method"), message.get("params", {})
            if method == "item/completed" and params["item"]["type"] == "agentMessage":
                answer = params["item"]["text"]
            if method == "turn/completed" and params["turn"]["id"] == turn_id:
                return answer

    def request(self, method: str, **params: Any) -> Any:
        """Ask the server; notifications that come before its answer are kept for whom they are."""
        number = next(self.ids)
        self.send({"id": number, "method": method, "params": params})
        while (message := self.receive()).get("id") != number:
            self.early.append(message)
        if "error" in message:
            raise SystemExit(f"codex_client: {method} failed: {message['error']['message']}")
        return message["result"]

    def receive(self) -> dict[str, Any]:
        """The next notification or answer; what the server asks before it is answered on the way."""
        while line := self.process.stdout.readline():
            try:
                message: dict[str, Any] = json.loads(line)
            except ValueError:
                continue  # something that a shell or a wrapper printed
            if not ("method" in message and "id" in message):
                return message
            self.answer(message["id"], message["method"], message["params"])
        self.close()
        raise SystemExit(f"codex_client: the app-server ended with exit code {self.process.returncode}")

    def answer(self, number: Any, method: str, params: Any) -> None:
        """Answer a request of the server's. Its ids are its own, and the first of them is 0."""
        if method == "item/tool/call" and self.interrupting:
            turn = {"threadId": params["threadId"], "turnId": params["turnId"]}
            self.send({"id": next(self.ids), "method": "turn/interrupt", "params": turn})
        elif method == "item/tool/call":
            content = [{"type": "inputText", "text": str(params["arguments"].get("text"))}]
            echo = {"contentItems": content, "success": True}
            self.send({"id": number, "result": RESULTS.get(params["tool"], echo)})
        elif method == "account/chatgptAuthTokens/refresh":
            self.send({"id": number, "result": self.tokens})
        else:
            self.send({"id": number, "error": {"code": -32601, "message": f"no method {method}"}})

    def send(self, message: dict[str, Any]) -> None:
        with contextlib.suppress(BrokenPipeError):  # it has ended, as its stdout will tell
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def close(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()


def main() -> None:
    client, thread_id = Client(), ""
    for step in STEPS:
        [(what, value)] = step.items()
        if what == "login":
            client.request("account/login/start", **value["start"])
            client.tokens = value["refresh"]
        elif what == "resume":  # the tools live on with their thread and are not declared again
            client.close()
            client = Client()
            client.request("thread/resume", threadId=thread_id)
        else:
            thread_id = thread_id or client.request("thread/start", dynamicTools=TOOLS)["thread"]["id"]
            client.interrupting = what == "interrupt"
            print(client.turn(thread_id, value))
    client.close()


if __name__ == "__main__":
    main()
