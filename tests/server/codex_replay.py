"""Plays a recorded app-server session into the engine: the client's messages go in, the server's come out.

Ids, cursors and times of the engine are its own; what the recorded client said of them is translated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.server.codex_client import Clock, Frames, Minter, Timers
from wiretape.cassette.model import ModelCall, ModelError, ModelItem, ModelText, Step
from wiretape_server.codex.appserver import AppServer, Connection
from wiretape_server.codex.home import Home
from wiretape_server.codex.profiles import PROFILES
from wiretape_server.codex.provider import ProviderRequest

VECTORS = Path(__file__).parents[1] / "vectors" / "codex"
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

NOISE = {
    "configWarning": "about the sandbox of the machine that recorded",
    "remoteControl/status/changed": "about a feature of the machine that recorded",
    "warning": "the real server has no description of a model that is called mock-model",
    "thread/tokenUsage/updated": "counts tokens; a cassette says nothing of tokens",
    "account/rateLimits/updated": "all null but for real accounts",
}
"""Notifications that are not compared, each with its reason; nor is ``codex/event/…``, a repetition."""

LOGIN_NOISE = {"0.171": "account/updated"}
"""What is said after a login that succeeded; the recorded logins of this profile did not."""

LOGIN_FAILED = {"success": False, "error": "workspace routing discovery failed"}
"""How the recorded logins of 0.171 ended: the scripted provider answered 404 to a check of the workspace."""


@dataclass(slots=True)
class Heard:
    """One side's messages to one connection, as they are compared."""

    messages: list[Any] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)


@dataclass(slots=True)
class RecordedModel:
    """Plays the recorded provider, and keeps what it was asked."""

    steps: list[Step]
    requests: list[ProviderRequest] = field(default_factory=list)

    def next_step(self, request: ProviderRequest) -> Step:
        self.requests.append(request)
        return self.steps[len(self.requests) - 1]


def lines(name: str) -> list[dict[str, Any]]:
    (path,) = VECTORS.glob(f"*/{name}.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def names() -> list[str]:
    """The handed transcripts, and the probes: what else was asked of the real server."""
    return sorted(path.stem for path in VECTORS.glob("*/*-*-*.jsonl"))


def steps(recorded: list[dict[str, Any]]) -> list[Step]:
    """What the recorded provider did with each request for the model."""
    found: list[Step] = []
    interrupted = False
    for line in recorded:
        message = line["msg"]
        if line["dir"] == "codex->provider":
            interrupted = False
        elif line["dir"] == "client->server":
            interrupted = interrupted or message.get("method") == "turn/interrupt"
        elif line["dir"] == "provider->codex" and "path" not in message:
            found.append(Step(wait="until_interrupt") if interrupted else _step(message))
    return found


def _step(answer: dict[str, Any]) -> Step:
    if "sse" not in answer:
        return Step(error=ModelError(status=answer["status"], body=json.dumps(answer["body"])))
    deltas: dict[str, list[str]] = {}
    items: list[ModelItem] = []
    for event in answer["sse"]:
        if event["type"] == "response.output_text.delta":
            deltas.setdefault(event["item_id"], []).append(event["delta"])
        elif event["type"] == "response.output_item.done":
            items.append(_item(event["item"], deltas))
    return Step(items=tuple(items))


def _item(item: dict[str, Any], deltas: dict[str, list[str]]) -> ModelItem:
    if item["type"] == "function_call":
        return ModelCall(
            id=item["call_id"],
            tool=item["name"],
            arguments=item["arguments"],
            namespace=item.get("namespace"),
        )
    text = item["content"][0]["text"]
    return ModelText(id=item["id"], text=text, deltas=tuple(deltas.get(item["id"], ())))


def profile_name(transcript: str) -> str:
    return ".".join(transcript.split("-")[0].split(".")[:2])


class Replay:
    """One transcript, played. ``recorded`` and ``played`` hold what each connection heard, by its name."""

    def __init__(self, name: str) -> None:
        self.lines = lines(name)
        self.profile = PROFILES[profile_name(name)]
        self.stdio = "-stdio-" in name
        self.model = RecordedModel(steps(self.lines))
        self.home = Home()
        self.clock, self.mint, self.frames = Clock(), Minter(), Frames()
        self.recorded: dict[str, Heard] = {}
        self.played: dict[str, Heard] = {}
        self._connections: dict[str, Connection] = {}
        self._server: AppServer | None = None
        self._matched: dict[str, int] = {}
        self._ours: dict[str, str] = {}
        """Recorded ids and cursors to those of the engine."""

    def run(self) -> Replay:
        for line in self.lines:
            self._play(line)
        return self

    def _play(self, line: dict[str, Any]) -> None:
        name, message = line["conn"], line["msg"]
        if line["dir"] == "client->server":
            self._learn()
            self._connection(name).receive(self._translated(message))
        elif line["dir"] == "server->client":
            self._heard(self.recorded, name).messages.append(message)
        elif line["dir"] == "stderr" and name:
            self._heard(self.recorded, name).stderr.append(message)
        elif line["dir"] == "meta" and name and ({"closed", "stdout"} & message.keys()):
            self._connection(name).close()

    def _heard(self, side: dict[str, Heard], name: str) -> Heard:
        return side.setdefault(name, Heard())

    def _connection(self, name: str) -> Connection:
        if name not in self._connections:
            heard = self._heard(self.played, name)
            if self._server is None or self.stdio:
                self._server = self._new_server(heard)
            self._connections[name] = self._server.connect(
                lambda data: heard.messages.append(json.loads(data)),
                name=name,
                transport="stdio" if self.stdio else "websocket",
            )
        return self._connections[name]

    def _new_server(self, heard: Heard) -> AppServer:
        return AppServer(
            profile=self.profile,
            model=self.model,
            home=self.home,
            wall=self.clock,
            mint=self.mint,
            call_later=Timers(),
            recorder=self.frames,
            stderr=heard.stderr.append,
        )

    def _learn(self) -> None:
        """Match what both sides have heard since the last time, and so learn which ids stand for which."""
        for name, recorded in self.recorded.items():
            theirs, ours = self.compared(recorded), self.compared(self.played[name])
            known = self._matched.get(name, 0)
            for pair in zip(theirs[known:], ours[known:], strict=False):
                self._ours.update(_pairs(*pair))
            self._matched[name] = min(len(theirs), len(ours))

    def compared(self, heard: Heard) -> list[Any]:
        """The messages that are compared, in order."""
        kept = (each for each in heard.messages if not self._is_noise(str(each.get("method", ""))))
        return in_guaranteed_order(list(kept))

    def _is_noise(self, method: str) -> bool:
        noise = method in NOISE or method.startswith("codex/event/")
        return noise or method == LOGIN_NOISE.get(self.profile.name)

    def _translated(self, message: Any) -> bytes:
        if "_raw" in message:
            return str(message["_raw"]).encode()
        return json.dumps(self._replaced(message)).encode()

    def _replaced(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._replaced(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self._replaced(member) for member in value]
        return self._ours.get(value, value) if isinstance(value, str) else value


def _pairs(theirs: Any, ours: Any) -> Iterator[tuple[str, str]]:
    """Texts that stand at the same place."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for name in theirs.keys() & ours.keys():
            yield from _pairs(theirs[name], ours[name])
    elif isinstance(theirs, list) and isinstance(ours, list):
        for left, right in zip(theirs, ours, strict=False):
            yield from _pairs(left, right)
    elif isinstance(theirs, str) and isinstance(ours, str) and UUID.search(theirs):
        yield theirs, ours


def in_guaranteed_order(messages: list[Any]) -> list[Any]:
    """Put thread/started right behind the result that it belongs to: it comes after it, at any time."""
    ordered: list[Any] = []
    for message in messages:
        place = len(ordered)
        if message.get("method") == "thread/started":
            thread = message["params"]["thread"]["id"]
            results = (number for number, each in enumerate(ordered, 1) if thread == _thread_of(each))
            place = next(results, place)
        ordered.insert(place, message)
    return ordered


def _thread_of(message: Any) -> Any:
    """The id of the thread that a result brings."""
    result = message.get("result")
    thread = result.get("thread") if isinstance(result, dict) else None
    return thread.get("id") if isinstance(thread, dict) else None
