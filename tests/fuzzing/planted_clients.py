"""Wrong clients of Flow A, one fault each: the reference client, wrong in what no simple session shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, ClassVar
from unicodedata import normalize

from tests.conformance.reference_client import Exchange, Message, ReferenceClient
from tests.fuzzing import planted
from tests.fuzzing.planted import Decoding, Rewrite, each_entry
from wiretape.flow_a.messages import called_tool
from wiretape.flow_a.stream import StreamDecoder
from wiretape.fuzzing import DIFFERS
from wiretape.sse import EventStreamDecoder, ServerSentEvent


class Planted(ReferenceClient):
    """Reads a stream in the steps that a plant can change: bytes, text, events, deltas, messages."""

    rewrite: ClassVar[Rewrite] = staticmethod(lambda delta, _work: [delta])

    def run(self) -> str:
        self.hooks.play(self)
        return ""

    def read(self, answer: Exchange) -> None:
        work = Decoding(type(self).rewrite)
        for event in self.events(pieces(answer)):
            self.feed(work, event)
            self.conversation_id = conversation_of(work.stream) or self.conversation_id
            self.messages |= {message["id"]: message for message in work.stream.messages}
            self.looked(work.stream)

    def events(self, data: Iterable[bytes]) -> Iterable[ServerSentEvent]:
        decoder = EventStreamDecoder()
        for piece in data:
            yield from decoder.feed(piece)

    def feed(self, work: Decoding, event: ServerSentEvent) -> None:
        work.feed(event)

    def looked(self, stream: StreamDecoder) -> None:
        """After each event."""


def pieces(answer: Exchange) -> Iterator[bytes]:
    while data := answer.response.read1(65536):
        yield data


def conversation_of(stream: StreamDecoder) -> str | None:
    return next((each["conversation_id"] for each in stream.events if "conversation_id" in each), None)


def rewriting(rewrite: Rewrite) -> type[Planted]:
    return type("Rewriting", (Planted,), {"rewrite": staticmethod(rewrite)})


class ChunkWise(Planted):
    """Decodes each chunk to text by itself."""

    def events(self, data: Iterable[bytes]) -> Iterable[ServerSentEvent]:
        return super().events(piece.decode(errors="replace").encode() for piece in data)


class AChunkIsAnEvent(Planted):
    """Takes each chunk for whole events."""

    def events(self, data: Iterable[bytes]) -> Iterable[ServerSentEvent]:
        for piece in data:
            yield from EventStreamDecoder().feed(piece)


class OnBlankLines(Planted):
    """Knows LF alone, and ``data: `` and ``event: `` with their blank."""

    def events(self, data: Iterable[bytes]) -> Iterable[ServerSentEvent]:
        for block in b"".join(data).decode(errors="replace").split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
            yield ServerSentEvent(fields.get("event", "message"), fields.get("data", ""))


class SplitsLines(Planted):
    """Splits lines as Python does, at U+2028 too."""

    def events(self, data: Iterable[bytes]) -> Iterable[ServerSentEvent]:
        lines = b"".join(data).decode(errors="replace").splitlines()
        return EventStreamDecoder().feed("\n".join([*lines, "", ""]).encode())


class KnowsNoMark(Planted):
    """Takes a byte order mark for a part of the first line."""

    def events(self, data: Iterable[bytes]) -> Iterable[ServerSentEvent]:
        whole = b"".join(data)
        return super().events([b"x" + whole if whole.startswith(b"\xef\xbb\xbf") else whole])


class EveryObjectIsADelta(Planted):
    """Looks at no event's name."""

    def feed(self, work: Decoding, event: ServerSentEvent) -> None:
        is_delta = event.data.startswith("{") and '"type"' not in event.data
        work.feed(event._replace(event="delta") if is_delta else event)


class Hasty(Planted):
    """Answers a call as soon as its message is there."""

    def looked(self, stream: StreamDecoder) -> None:
        if (call := self.open_call(stream.messages)) is not None:
            self.answer(call)

    def answer(self, call: Message) -> None:
        text = call["content"].get("text") or ""
        super().answer(call | {"content": call["content"] | {"text": text if text.endswith("}") else "{}"}})


class FirstMessage(Planted):
    """Takes the id of the answer's first message for the call's."""

    def read(self, answer: Exchange) -> None:
        self.messages.clear()
        super().read(answer)

    def answer(self, call: Message) -> None:
        first = next(iter(self.messages))
        super().answer(call | {"id": first})
        self.answered[call["id"]] = call


class Ascii(Planted):
    """Writes the arguments in ASCII, whatever is lost."""

    def answer(self, call: Message) -> None:
        super().answer(with_text(call, text_of(call).encode("ascii", "replace").decode()))


class Argument(Planted):
    """Has its way with the argument."""

    def answer(self, call: Message) -> None:
        self.hooks = type(self.hooks)(result=self.result)
        super().answer(call)

    def result(self, right: Any, _arguments: Any) -> Any:
        return right


def giving(change: Callable[[dict[str, Any]], dict[str, Any]]) -> type[Argument]:
    """Gives something else than the right result."""
    return type("Giving", (Argument,), {"result": lambda _self, right, _arguments: change(right)})


def saying(change: Callable[[str], str]) -> type[Argument]:
    return giving(lambda right: right | {"message": change(right["message"])})


class TellsHowOften(Argument):
    """Tells in its result in how many pieces the call came: no rule forbids it."""

    def read(self, answer: Exchange) -> None:
        self.looks = 0
        super().read(answer)

    def looked(self, _stream: StreamDecoder) -> None:
        self.looks += 1

    def result(self, right: Any, _arguments: Any) -> Any:
        return right | {"pieces": self.looks}


class AnswersEverybody(Planted):
    """Answers every message that is for a tool, also for one of the server's."""

    def open_call(self, messages: Any) -> Message | None:
        for message in messages:
            is_call = message["author"]["role"] == "assistant" and message["recipient"] != "all"
            if is_call and message["id"] not in self.answered:
                return dict(message)
        return None

    def answer(self, call: Message) -> None:
        super().answer(call if called_tool(call["recipient"]) else with_text(call, "{}"))


class OneCall(Planted):
    """Answers one call a turn."""

    def open_call(self, messages: Any) -> Message | None:
        return None if self.answered else super().open_call(messages)


class Forgetful(Planted):
    """Answers a call again when it is shown again."""

    def read(self, answer: Exchange) -> None:
        self.messages.clear()
        super().read(answer)
        for known in list(islice(self.messages, 8)):
            self.answered.pop(known, None)


class LocalOnly(Planted):
    """Knows one form of a recipient."""

    def has_tool(self, recipient: str) -> bool:
        return recipient.startswith("local.") and super().has_tool(recipient)


class TheFirstTool(Planted):
    """Names the tool that it answered first."""

    def answer(self, call: Message) -> None:
        first = next(iter(self.answered.values()), call)
        super().answer(call | {"recipient": first["recipient"]})


class NoAside(Planted):
    """Does not know optional arguments."""

    def answer(self, call: Message) -> None:
        super().answer(with_text(call, '{"message": ""}') if "aside" in text_of(call) else call)


def text_of(call: Message) -> str:
    return str(call["content"]["text"])


def with_text(call: Message, text: str) -> Message:
    return call | {"content": call["content"] | {"text": text}}


@dataclass(frozen=True, kw_only=True)
class Plant:
    """A wrong client, a kind that must find it, and the rule that its smallest find breaks."""

    client: type[ReferenceClient]
    kind: str
    rule: str
    seed: int
    """One that finds it soon: tests must not take long."""


def plant(client: type[ReferenceClient], kind: str, rule: str, seed: int = 5) -> Plant:
    return Plant(client=client, kind=kind, rule=rule if rule == DIFFERS else f"flow_a.{rule}", seed=seed)


def decoding(rewrite: Rewrite, kind: str, seed: int = 5) -> Plant:
    return plant(rewriting(rewrite), kind, "return.exactly-once", seed)


INTACT, ONCE = "behavior.arguments-intact", "return.exactly-once"

PLANTED_CLIENTS: dict[str, Plant] = {
    "nested ops leak": decoding(planted.nested_operations_leak, "encoding", seed=2),
    "absolute nested paths": decoding(planted.absolute_nested_paths, "encoding", seed=3),
    "string concat always": decoding(each_entry(planted.string_concat_always), "encoding", seed=2),
    "no truncate": decoding(each_entry(planted.no_truncate), "truncate"),
    "code points": plant(rewriting(each_entry(planted.code_points)), "truncate", "return.result-as-expected"),
    "first patch entry only": decoding(planted.first_entry_only, "encoding", seed=1),
    "drops repeated tokens": decoding(planted.drops_repeated_tokens, "tokens"),
    "channel as sequence number": decoding(planted.channel_is_a_sequence_number, "channels", seed=4),
    "chunk-wise UTF-8": plant(ChunkWise, "chunks", INTACT),
    "a chunk is an event": plant(AChunkIsAnEvent, "chunks", ONCE),
    "split on blank lines": plant(OnBlankLines, "framing", ONCE),
    "lines end at U+2028": plant(SplitsLines, "json-text", ONCE),
    "knows no byte order mark": plant(KnowsNoMark, "framing", ONCE),
    "every object is a delta": plant(EveryObjectIsADelta, "typed-events", ONCE),
    "answers before the call is complete": plant(Hasty, "tokens", INTACT),
    "call_id of another message": plant(FirstMessage, "messages", "return.parent-is-call-message"),
    "arguments lose what is not ASCII": plant(Ascii, "arguments", INTACT),
    "trims arguments": plant(saying(str.strip), "arguments", INTACT),
    "an empty argument is none": plant(
        saying(lambda text: text or "(nothing)"), "arguments", "return.result-as-expected"
    ),
    "composes characters": plant(saying(partial(normalize, "NFC")), "arguments", INTACT),
    "line ends are all LF": plant(saying(lambda text: text.replace("\r\n", "\n")), "arguments", INTACT),
    "gives its message alone": plant(
        giving(lambda right: {"message": right["message"]}), "tools", "return.result-as-expected"
    ),
    "tells how often it looked": plant(TellsHowOften, "tokens", DIFFERS),
    "answers the server's calls": plant(AnswersEverybody, "messages", "behavior.only-local-recipients"),
    "second call not answered": plant(OneCall, "calls", ONCE),
    "answers again what is shown again": plant(Forgetful, "messages", ONCE),
    "one form of recipient": plant(LocalOnly, "calls", ONCE),
    "names the first tool": plant(TheFirstTool, "calls", "return.author-name-is-tool"),
    "optional arguments are unknown": plant(NoAside, "calls", INTACT),
    "does not look for [DONE]": plant(Planted, "cuts", "fault.no-return-to-cut-call", seed=6),
}
