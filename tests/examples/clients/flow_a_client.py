"""A small conforming Flow A client: one user message, every tool call answered, the final answer printed.

Run it under the checker, which sets the environment variables that main() reads:

    wiretape check -- python tests/examples/clients/flow_a_client.py

It needs aiohttp only and shares no code with wiretape; its decoder is flow_a_stream.py beside it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
import uuid
from typing import Any

import aiohttp
from flow_a_stream import Deltas, StreamError, events, joined

# What it can do by itself, where the checker names no tools: wiretape check --cassette auto
TEXT = {"description": "A text.", "type": "string"}
OWN_TOOLS = [
    {
        "description": "Keeps a note, and says it again.",
        "name": "note",
        "params": [
            {"name": "message", "required": True, "type": TEXT},
            {"name": "folder", "required": False, "type": TEXT},
        ],
        "type": "kwargs",
    },
    {
        "description": "Goes on in Work mode.",
        "name": "handoff",
        "params": [{"name": each, "required": True, "type": TEXT} for each in ("prompt", "reason")],
        "type": "kwargs",
    },
]
OWN_RESULTS = {"handoff": {"accepted": True, "thread_id": "work-1"}}


class Client:
    """A conversation with one backend."""

    def __init__(
        self, http: aiohttp.ClientSession, base_url: str, tools: list[Any], results: dict[str, Any]
    ) -> None:
        self.http, self.base_url, self.tools, self.results = http, base_url, tools, results
        self.names = {tool["name"] for tool in tools}
        self.conversation: dict[str, str] = {}  # conversation_id, once the server has given one
        self.conduit_token = "no-token"

    async def ask(self, text: str) -> str:
        """Send a user message, answer every tool call that follows, and return the final answer."""
        content = {"content_type": "text", "parts": [text]}
        stream = await self.request(message("user", None, None, content, {}))
        answered: set[str] = set()
        while call := next((call for call in self.calls(stream) if call["id"] not in answered), None):
            answered.add(call["id"])
            stream |= await self.request(self.tool_return(call), parent_message_id=call["id"])
        return next((answer for answer in map(answer_text, reversed(stream.values())) if answer), "")

    def calls(self, messages: dict[str, Any]) -> list[Any]:
        """The calls for this client; their stream has ended, so all of them are complete."""
        return [each for each in messages.values() if tool_name(each) in self.names]

    def tool_return(self, call: Any) -> dict[str, Any]:
        """Run the tool and wrap its result. The call's id is the id of the message that brought it."""
        tool, arguments = tool_name(call), json.loads(call["content"]["text"])
        result = self.results.get(tool) or {"message": arguments.get("message", "")}
        text = json.dumps({"call_id": call["id"], "result": result, "tool": tool})
        content = {"content_type": "code", "text": text}
        return message("tool", tool, "commentary", content, {"is_visually_hidden_from_conversation": True})

    async def request(self, new_message: dict[str, Any], **parent: str) -> dict[str, Any]:
        """Fetch a challenge, prepare, send one message, and read the answer to its end: messages by id."""
        challenge = await self.challenge()
        body = {
            "action": "next",
            "model": "gpt-5-6-thinking",
            "thinking_effort": "standard",
            "timezone": "Etc/UTC",
            "timezone_offset_min": 0,
            "local_function_signatures": self.tools,
            **self.conversation,
        }
        prepared = await self.prepare({**body, "client_prepare_state": "sent"})
        body |= parent
        body["messages"] = [new_message]
        body["supported_encodings"] = ["v1"]
        body["client_prepare_state"] = "success" if prepared else "failure"
        body["app_attest_challenge"] = challenge
        headers = {"x-conduit-token": self.conduit_token} if prepared else {}
        async with self.http.post(self.url("f/conversation"), json=body, headers=headers) as response:
            await expect_ok(response)
            if response.content_type != "text/event-stream":
                raise StreamError(f"expected an event stream, got {response.content_type}")
            self.conduit_token = response.headers.get("x-conduit-token", self.conduit_token)
            return await self.read(response)

    async def challenge(self) -> str:
        async with self.http.get(self.url("ios/attestation_challenge")) as response:
            await expect_ok(response)
            return str((await response.json())["attestation_challenge"])

    async def prepare(self, body: dict[str, Any]) -> bool:
        """Announce the request. A failure is not fatal: the conversation request then says so."""
        headers = {"x-conduit-token": self.conduit_token}
        async with self.http.post(self.url("f/conversation/prepare"), json=body, headers=headers) as response:
            if response.ok:
                self.conduit_token = (await response.json())["conduit_token"]
            return response.ok

    async def read(self, response: aiohttp.ClientResponse) -> dict[str, Any]:
        """Read the stream to its end, also when the answer looks complete before."""
        deltas, messages, done = Deltas(), {}, False
        async for name, data in events(response.content.iter_any()):
            done = done or data.strip() == "[DONE]"
            if name == "delta_encoding":
                deltas = Deltas()
            if name not in ("delta", "message") or not data.startswith("{"):
                continue
            payload = json.loads(data)
            if payload.get("type") == "stream_handoff":
                raise StreamError("the turn goes on elsewhere (stream_handoff); this client does not follow")
            envelope = deltas.push(payload) if name == "delta" else payload
            if not isinstance(envelope, dict):
                continue
            if envelope.get("error"):
                raise StreamError(f"the backend reports an error in its stream: {envelope['error']!r}")
            if "conversation_id" in envelope:
                self.conversation = {"conversation_id": envelope["conversation_id"]}
            if "message" in envelope:
                messages[envelope["message"]["id"]] = envelope["message"]
        if not done:
            raise StreamError("the stream ended before [DONE]: the answer is not complete")
        return messages

    def url(self, path: str) -> str:
        return f"{self.base_url}/backend-api/{path}"


def message(role: str, name: str | None, channel: str | None, content: Any, metadata: Any) -> dict[str, Any]:
    return {
        "id": str(uuid.uuid4()),
        "author": {"role": role, "name": name, "metadata": {}},
        "create_time": time.time(),
        "update_time": None,
        "content": content,
        "status": "finished_successfully",
        "end_turn": None,
        "weight": 1,
        "metadata": metadata,
        "recipient": "all",
        "channel": channel,
    }


def tool_name(received: Any) -> str:
    """The bare name of the tool that a message calls; web.run and the like are the server's, not ours."""
    prefix, _, name = received["recipient"].partition(".")
    return name if prefix in ("local", "functions") and received["author"]["role"] == "assistant" else ""


def answer_text(received: Any) -> str:
    """The text that a user should see, empty for calls, thoughts and hidden messages."""
    answers = received["author"]["role"] == "assistant" and received["recipient"] == "all"
    hidden = received["metadata"].get("is_visually_hidden_from_conversation")
    if not answers or hidden or received["channel"] not in ("final", None):
        return ""
    return joined("".join(part for part in received["content"].get("parts", ()) if isinstance(part, str)))


async def expect_ok(response: aiohttp.ClientResponse) -> None:
    if response.status != 200:
        raise StreamError(f"{response.method} {response.url} -> {response.status}: {await response.text()}")


def setting(name: str) -> str:
    if name not in os.environ:
        sys.exit(f"flow_a_client: {name} is not set; run this under: wiretape check -- COMMAND")
    return os.environ[name]


async def main() -> None:
    idle = aiohttp.ClientTimeout(total=None, sock_read=60)
    async with aiohttp.ClientSession(timeout=idle) as http:
        client = Client(
            http,
            setting("WIRETAPE_BASE_URL"),
            json.loads(setting("WIRETAPE_TOOLS")) or OWN_TOOLS,
            OWN_RESULTS | json.loads(setting("WIRETAPE_TOOL_RESULTS")),
        )
        answer = await client.ask(setting("WIRETAPE_USER_MESSAGE"))
    sys.stdout.buffer.write(answer.encode("utf-8", "backslashreplace") + b"\n")


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except (StreamError, ValueError, LookupError, aiohttp.ClientError, TimeoutError) as error:
        sys.exit(f"flow_a_client: {type(error).__name__}: {error}")
