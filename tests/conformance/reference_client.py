"""The reference client: conforms to every rule, and can be broken in exactly one place.

Everything it sends, waits for or decides passes through one of its Hooks. The defaults make a client that no
rule complains of; a hook that is replaced makes a client that is wrong in one point only (see broken.py).
It is synchronous and opens a connection per request, so that a run has one order.
"""

from __future__ import annotations

import http.client
import json
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from wiretape.delta import Delta
from wiretape.flow_a.messages import called_tool, is_answer
from wiretape.flow_a.stream import StreamDecoder, StreamEvent, TypedEvent
from wiretape.sse import EventStreamDecoder, ServerSentEvent

Message: TypeAlias = dict[str, Any]
VARIABLES = (
    "WIRETAPE_BASE_URL",
    "WIRETAPE_USER_MESSAGE",
    "WIRETAPE_TOOLS",
    "WIRETAPE_TOOL_RESULTS",
)
TIMEOUT = 20.0
"""Seconds that one read or write may take."""


class ClientError(Exception):
    """The turn can't go on; the text says why."""


@dataclass(frozen=True, slots=True)
class Sending:
    """A conversation request to be made: a user's turn, or the return to ``call``."""

    message: Message
    call: Message | None = None

    @property
    def is_return(self) -> bool:
        return self.call is not None


Payload: TypeAlias = bytes | Iterable[bytes]
"""A request's body; one that comes in pieces is sent in chunks."""
Edit: TypeAlias = Callable[[dict[str, Any], Sending], object]
"""Changes a JSON object in place; what it gives back does not matter."""


def unchanged(_value: dict[str, Any], _sending: Sending) -> None:
    """The edit of the conforming client."""


def compact(value: object, _sending: Sending) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """Every point in which a client can be wrong. The defaults are right."""

    play: Callable[[ReferenceClient], object] = lambda client: client.ask(client.user_message)
    challenge: Callable[[ReferenceClient, Sending], str] = lambda client, _: client.fetch_challenge()
    prepares: Callable[[Sending], bool] = lambda _: True
    prepare: Edit = unchanged
    prepare_bytes: Callable[[object, Sending], Payload] = compact
    request: Edit = unchanged
    request_bytes: Callable[[object, Sending], Payload] = compact
    headers: Edit = unchanged
    """Headers of the conversation request."""
    returned: Edit = unchanged
    """The return's message, its text already in place."""
    text: Edit = unchanged
    """The object that becomes the JSON in the return's text."""
    text_json: Callable[[object], object] = json.dumps
    result: Callable[[dict[str, Any], dict[str, Any]], object] = lambda result, _arguments: result
    """What the tool gives, from the right result and the arguments."""
    answers: Callable[[str, ReferenceClient], bool] = lambda recipient, client: client.has_tool(recipient)
    answers_at_once: bool = False
    """Whether a call is answered while its stream still runs, as soon as it appears."""
    leaves: Callable[[list[Message]], bool] = lambda _messages: False
    """Whether to hang up now, from the messages so far."""


CONFORMING = Hooks()


@dataclass(slots=True, kw_only=True)
class ReferenceClient:
    """A client for one session: ``run()`` plays it and returns the final answer."""

    base_url: str
    user_message: str
    tools: Sequence[Mapping[str, Any]]
    results: Mapping[str, Any]
    hooks: Hooks = CONFORMING
    conversation_id: str | None = None
    token: str = "no-token"
    challenges: list[str] = field(default_factory=list)
    messages: dict[str, Message] = field(default_factory=dict)
    answered: dict[str, Message] = field(default_factory=dict)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], hooks: Hooks = CONFORMING) -> ReferenceClient:
        """Take everything from what ``wiretape check`` sets; a missing variable is a ClientError."""
        missing = [name for name in VARIABLES if name not in environment]
        if missing:
            raise ClientError(f"{', '.join(missing)} not set: run this under `wiretape check -- COMMAND`")
        return cls(
            base_url=environment["WIRETAPE_BASE_URL"],
            user_message=environment["WIRETAPE_USER_MESSAGE"],
            tools=json.loads(environment["WIRETAPE_TOOLS"]),
            results=json.loads(environment["WIRETAPE_TOOL_RESULTS"]),
            hooks=hooks,
        )

    def run(self) -> str:
        self.hooks.play(self)
        answers = [message for message in self.messages.values() if is_answer(message)]
        return "".join(answers[-1]["content"]["parts"]) if answers else ""

    def ask(self, text: str) -> None:
        """Send a user's message and answer every call that follows from it."""
        self.send(Sending(new_message("user", None, None, {"content_type": "text", "parts": [text]})))
        while (call := self.open_call(self.messages.values())) is not None:
            self.answer(call)

    def start_over(self) -> None:
        """Forget the conversation: the next message starts a new one."""
        self.conversation_id = None

    def open_call(self, messages: Any) -> Message | None:
        """The first call of ours that has not been answered."""
        for message in messages:
            role, recipient = message["author"]["role"], message["recipient"]
            wanted = role == "assistant" and self.hooks.answers(recipient, self)
            if wanted and message["id"] not in self.answered:
                return dict(message)
        return None

    def has_tool(self, recipient: str) -> bool:
        return called_tool(recipient) in {tool["name"] for tool in self.tools}

    def answer(self, call: Message) -> None:
        """Run the tool and send its return."""
        self.answered[call["id"]] = call
        tool = called_tool(call["recipient"]) or call["recipient"]
        arguments = json.loads(call["content"]["text"])
        right = dict(self.results.get(tool) or {"message": arguments.get("message", "")})
        text = {"call_id": call["id"], "result": self.hooks.result(right, arguments), "tool": tool}
        message = new_message("tool", tool, "commentary", {"content_type": "code"})
        sending = Sending(message, call)
        self.hooks.text(text, sending)
        message["content"]["text"] = self.hooks.text_json(text)
        self.hooks.returned(message, sending)
        self.send(sending)

    # --- one conversation request ---------------------------------------------------------------------------

    def send(self, sending: Sending) -> None:
        """Fetch a challenge, prepare, send the message, read the answer."""
        challenge = self.hooks.challenge(self, sending)
        prepared = self.hooks.prepares(sending) and self.send_prepare(sending)
        body = self.common_fields() | {
            "messages": [sending.message],
            "supported_encodings": ["v1"],
            "client_prepare_state": "success" if prepared else "failure",
            "app_attest_challenge": challenge,
        }
        if sending.call is not None:
            body["parent_message_id"] = sending.call["id"]
        self.hooks.request(body, sending)
        headers = {"x-conduit-token": self.token} if prepared else {}
        self.hooks.headers(headers, sending)
        with Exchange(
            self.base_url, "f/conversation", self.hooks.request_bytes(body, sending), headers
        ) as answer:
            if answer.status != 200:
                raise ClientError(f"f/conversation -> {answer.status}: {answer.text()}")
            self.token = answer.header("x-conduit-token") or self.token
            if "event-stream" not in (answer.header("content-type") or ""):
                raise ClientError(f"f/conversation -> no event stream, {answer.header('content-type')}")
            self.read(answer)

    def common_fields(self) -> dict[str, Any]:
        """What the prepare request and the conversation request have in common."""
        fields = {
            "action": "next",
            "model": "gpt-5-6-thinking",
            "thinking_effort": "standard",
            "timezone": "America/Sao_Paulo",
            "timezone_offset_min": 180,
            "local_function_signatures": deepcopy(list(self.tools)),
        }
        return fields if self.conversation_id is None else fields | {"conversation_id": self.conversation_id}

    def fetch_challenge(self) -> str:
        with Exchange(self.base_url, "ios/attestation_challenge") as answer:
            if answer.status != 200:
                raise ClientError(f"ios/attestation_challenge -> {answer.status}: {answer.text()}")
            self.challenges.append(json.loads(answer.text())["attestation_challenge"])
            return self.challenges[-1]

    def send_prepare(self, sending: Sending) -> bool:
        """Announce the request. A failure is not fatal; the conversation request says so."""
        body = self.common_fields() | {"client_prepare_state": "sent"}
        self.hooks.prepare(body, sending)
        data, headers = self.hooks.prepare_bytes(body, sending), {"x-conduit-token": self.token}
        with Exchange(self.base_url, "f/conversation/prepare", data, headers) as answer:
            if answer.status == 200:
                self.token = json.loads(answer.text())["conduit_token"]
            return answer.status == 200

    def read(self, answer: Exchange) -> None:
        """Read the stream to its end, keeping every message by its id."""
        decoder = StreamDecoder()
        for event in answer.events():
            self.learn(decoder, decoder.feed(event))
            if self.hooks.answers_at_once and (call := self.open_call(decoder.messages)) is not None:
                self.answer(call)
            if self.hooks.leaves(decoder.messages):
                return
        if not decoder.done:
            raise ClientError("the stream ended before [DONE]")

    def learn(self, decoder: StreamDecoder, news: StreamEvent) -> None:
        """Note the conversation's id, and every message as far as it is there."""
        self.messages |= {message["id"]: message for message in decoder.messages}
        found: object = None
        if isinstance(news, TypedEvent):
            if news.payload.get("error") is not None or news.type == "stream_handoff":
                raise ClientError(f"the turn failed, or goes on elsewhere: {news.payload}")
            found = news.payload.get("conversation_id")
        elif isinstance(news, Delta):
            found = decoder.peek(news.channel, "/conversation_id")
        if isinstance(found, str):
            self.conversation_id = found


class Exchange:
    """One HTTP request on a connection of its own. Leaving the block hangs up, whatever is still to come."""

    def __init__(
        self, base_url: str, path: str, body: Payload | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        url = urlsplit(f"{base_url}/backend-api/{path}")
        self.connection = http.client.HTTPConnection(url.netloc, timeout=TIMEOUT)
        sent = {"content-type": "application/json", **(headers or {})}
        self.connection.request("GET" if body is None else "POST", url.path, body, sent)
        self.response = self.connection.getresponse()
        self.status = self.response.status

    def __enter__(self) -> Exchange:
        return self

    def __exit__(self, *_: object) -> None:
        self.response.close()
        self.connection.close()

    def header(self, name: str) -> str | None:
        return self.response.getheader(name)

    def text(self) -> str:
        return self.response.read().decode("utf-8", "replace")

    def events(self) -> Iterator[ServerSentEvent]:
        """The events of the answer, each as soon as it is there."""
        decoder = EventStreamDecoder()
        while data := self.response.read1(65536):
            yield from decoder.feed(data)
        yield from decoder.close()


def new_message(role: str, name: str | None, channel: str | None, content: dict[str, Any]) -> Message:
    return {
        "id": str(uuid.uuid4()),
        "author": {"role": role, "name": name, "metadata": {}},
        "create_time": time.time(),
        "update_time": None,
        "content": content,
        "status": "finished_successfully",
        "end_turn": None,
        "weight": 1,
        "metadata": {},
        "recipient": "all",
        "channel": channel,
    }
