"""A small client of the Codex app-server over stdio: one thread, every tool call answered, answers printed.

Run it under the checker, which sets the environment variables that it reads:

    wiretape check --protocol codex -- python tests/examples/clients/codex_client.py
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

CODEX = [os.environ.get("WIRETAPE_CODEX_BIN", "codex"), "app-server"]
TOOLS = json.loads(os.environ.get("WIRETAPE_TOOLS", "[]"))
RESULTS = json.loads(os.environ.get("WIRETAPE_TOOL_RESULTS", "{}"))
ONE_TURN = json.dumps([{"turn": os.environ.get("WIRETAPE_USER_MESSAGE", "Say hello.")}])
STEPS = json.loads(os.environ.get("WIRETAPE_CLIENT_STEPS", ONE_TURN))


class Client:
    """A connection to an app-server process, and at most one thread of it."""

    def __init__(self, thread_id: str = "") -> None:
        self.process = subprocess.Popen(CODEX, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ids = itertools.count(1)
        self.refreshed: dict[str, Any] = {}  # what to answer when the server asks for new tokens
        self.interrupting = False
        me = {"name": "example_client", "title": "Example", "version": "1.0.0"}
        self.request("initialize", {"clientInfo": me, "capabilities": {"experimentalApi": True}})
        self.send({"method": "initialized"})
        self.thread_id = thread_id
        if thread_id:  # the tools live on with their thread and are not declared again
            self.request("thread/resume", {"threadId": thread_id})

    def turn(self, text: str, *, interrupting: bool = False) -> str:
        """Send a user message and read until its turn is completed; returns the model's last message."""
        if not self.thread_id:
            self.thread_id = self.request("thread/start", {"dynamicTools": TOOLS})["thread"]["id"]
        self.interrupting = interrupting
        said = [{"type": "text", "text": text}]
        turn = self.request("turn/start", {"threadId": self.thread_id, "input": said})["turn"]
        answer = ""
        for message in self.messages():
            params = message.get("params", {})
            if message.get("method") == "item/completed" and params["item"]["type"] == "agentMessage":
                answer = params["item"]["text"]
            if message.get("method") == "turn/completed" and params["turn"]["id"] == turn["id"]:
                break
        return answer

    def request(self, method: str, params: dict[str, Any]) -> Any:
        """Ask the server; notifications that come before its answer are of no interest here."""
        number = next(self.ids)
        self.send({"id": number, "method": method, "params": params})
        answer = next(m for m in self.messages() if "method" not in m and m["id"] == number)
        if "error" in answer:
            sys.exit(f"codex_client: {method} failed: {answer['error']['message']}")
        return answer["result"]

    def messages(self) -> Iterator[dict[str, Any]]:
        """What the server says; what it asks is answered on the way."""
        for line in self.process.stdout or ():
            message = json.loads(line)
            if "method" in message and "id" in message:
                self.answer(message)
            else:
                yield message
        sys.exit(f"codex_client: the app-server ended with exit code {self.process.wait()}")

    def answer(self, request: dict[str, Any]) -> None:
        params = request["params"]
        if request["method"] == "item/tool/call" and self.interrupting:
            turn = {"threadId": params["threadId"], "turnId": params["turnId"]}
            self.send({"id": next(self.ids), "method": "turn/interrupt", "params": turn})
        elif request["method"] == "item/tool/call":
            self.send({"id": request["id"], "result": run_tool(params["tool"], params["arguments"])})
        elif request["method"] == "account/chatgptAuthTokens/refresh":
            self.send({"id": request["id"], "result": self.refreshed})
        else:
            error = {"code": -32601, "message": f"no method {request['method']}"}
            self.send({"id": request["id"], "error": error})

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def login(self, start: dict[str, Any], refresh: dict[str, Any]) -> None:
        self.request("account/login/start", start)
        self.refreshed = refresh

    def close(self) -> None:
        self.process.communicate(timeout=30)


def run_tool(tool: str, arguments: Any) -> Any:
    """The whole answer to a call: the one that was asked for, or an echo of the text."""
    echo = {"contentItems": [{"type": "inputText", "text": str(arguments.get("text"))}], "success": True}
    return RESULTS.get(tool, echo)


def main() -> None:
    client = Client()
    for step in STEPS:
        [(what, value)] = step.items()
        if what == "login":
            client.login(**value)
        elif what == "resume":
            client.close()
            client = Client(client.thread_id)
        else:
            print(client.turn(value, interrupting=what == "interrupt"))
    client.close()


if __name__ == "__main__":
    main()
