"""A cassette, made ready to be played: once per cassette, shared by every conversation that plays it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from wiretape import strictjson
from wiretape.cassette.model import Cassette, CassetteError, Interaction, RecordedResponse
from wiretape.endpoints import is_conversation
from wiretape.flow_a.facts import StreamFacts, read_stream
from wiretape.flow_a.messages import member
from wiretape.transcript import Patch
from wiretape_server.head import content_type, unsendable
from wiretape_server.minting import Minted, Sorting, message_ids, patches, sorting
from wiretape_server.resumption import whole_streams
from wiretape_server.track import Faulted, Track, cut, lay

_KEPT_SCRIPTS: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One interaction, ready to be played. ``number`` counts the cassette's interactions from 1."""

    number: int
    interaction: Interaction
    request: Mapping[str, Any]
    """The recorded request's body; empty when it is no JSON object."""
    is_return: bool
    client_ids: tuple[bytes, ...]
    """The ids of the recorded request's messages: the client under test puts its own there."""
    facts: StreamFacts
    patches: tuple[Patch, ...]
    track: Track
    faulted: Faulted | None = None
    """What is sent at first, where faults have struck; a resume goes on with the rest of ``track``."""

    @property
    def body(self) -> bytes:
        return self.interaction.response.body

    @property
    def title(self) -> str:
        """What a person calls it: ``interaction 2, a tool's return``."""
        return f"interaction {self.number}, {kind(self.is_return)}"

    def sent(self, *, chunked: bool) -> Track:
        """What is sent at first; without framing for a client that speaks HTTP/1.0."""
        track = self.faulted.track if self.faulted else self.track
        return track if chunked else lay(self.body, track.stops, track.delays, self.patches, chunked=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedConversation:
    """The interactions of one recorded conversation, in order, and what its server made."""

    id: bytes
    """As recorded; empty when no answer names it."""
    parts: tuple[Part, ...]
    minted: Minted

    @property
    def own(self) -> set[bytes]:
        """What replay makes anew."""
        return _own(self.id, self.minted)

    @property
    def has_calls(self) -> bool:
        return any(part.facts.calls or part.facts.server_calls for part in self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A cassette's conversations: a client's first one plays the first, and so on, round and round."""

    cassette: Cassette
    conversations: tuple[RecordedConversation, ...]

    @property
    def parts(self) -> list[Part]:
        """All of them, in the order of the recording."""
        found = [part for conversation in self.conversations for part in conversation.parts]
        return sorted(found, key=lambda part: part.number)


@dataclass(slots=True)
class Scripts:
    """Builds scripts and keeps the latest, so that a session of tests reads a cassette once."""

    _kept: OrderedDict[tuple[str, str, str], Script] = field(default_factory=OrderedDict)

    def of(self, cassette: Cassette, chunks: str) -> Script:
        """The script of a cassette. Raises CassetteError when it can't be played."""
        key = (cassette.source, cassette.name, chunks)
        script = self._kept.pop(key, None)
        if script is None or script.cassette != cassette:
            script = build(cassette, chunks)
        self._kept[key] = script
        if len(self._kept) > _KEPT_SCRIPTS:
            self._kept.popitem(last=False)
        return script


def build(cassette: Cassette, chunks: str = "recorded") -> Script:
    """Read a cassette's answers and frame them. Raises CassetteError for one that can't be played."""
    if cassette.protocol != "flow_a":
        raise CassetteError(f"{_name(cassette)}: a {cassette.protocol} cassette is not played over HTTP")
    if not cassette.interactions:
        raise CassetteError(f"{_name(cassette)}: no interactions; there is nothing to play")
    whole = replace(cassette, interactions=whole_streams(cassette.interactions))
    groups = _conversations(whole)
    if not groups:
        raise CassetteError(
            f"{_name(cassette)}: none of its {len(cassette.interactions)} interactions is a conversation "
            "request; there is nothing to play"
        )
    return Script(
        cassette=cassette,
        conversations=tuple(_conversation(whole, numbers, chunks) for numbers in groups),
    )


def _conversations(cassette: Cassette) -> list[list[int]]:
    """Which interactions belong to one conversation: a request goes on with the one that it names.

    A return that names none goes on with the latest; any other request without a known id begins a new one.
    What a recording holds besides (challenges, prepares, reads, resumes) is left out: the server makes those
    itself.
    """
    groups: list[list[int]] = []
    of_id: dict[str, list[int]] = {}
    for index, interaction in enumerate(cassette.interactions):
        if not is_conversation(interaction.request.path):
            continue
        request = _read_object(interaction.request.body)
        group = of_id.get(str(request.get("conversation_id")))
        if group is None and groups and _is_return(request):
            group = groups[-1]
        if group is None:
            group = []
            groups.append(group)
        group.append(index)
        answered_as = _facts(cassette, index).conversation_id
        if answered_as is not None:
            of_id.setdefault(answered_as, group)
    return groups


def _conversation(cassette: Cassette, indexes: list[int], chunks: str) -> RecordedConversation:
    known = sorting(cassette.expect.results)
    ids = (_facts(cassette, index).conversation_id for index in indexes)
    conversation_id = next((each.encode() for each in ids if each), b"")
    for index in indexes:
        _sort(known, cassette.interactions[index], _facts(cassette, index))
    minted = known.minted()
    own = _own(conversation_id, minted)
    return RecordedConversation(
        id=conversation_id,
        parts=tuple(_part(cassette, index, chunks, own) for index in indexes),
        minted=minted,
    )


def _own(conversation_id: bytes, minted: Minted) -> set[bytes]:
    return {conversation_id, *minted.values} - {b""}


def _sort(known: Sorting, interaction: Interaction, facts: StreamFacts) -> None:
    known.request(interaction.request.body)
    known.answer(interaction.response.body, facts.message_ids)


def _part(cassette: Cassette, index: int, chunks: str, own: Iterable[bytes]) -> Part:
    interaction = cassette.interactions[index]
    response = interaction.response
    _demand_sendable(response, f"{_name(cassette)}: interaction {index + 1}")
    client_ids = tuple(message_ids(interaction.request.body))
    places = patches(response.body, {*own, *client_ids} - {b""})
    stops, delays = cut(response, chunks)
    request = _read_object(interaction.request.body)
    return Part(
        number=index + 1,
        interaction=interaction,
        request=request,
        is_return=_is_return(request),
        client_ids=client_ids,
        facts=_facts(cassette, index),
        patches=places,
        track=lay(response.body, stops, delays, places),
    )


def _demand_sendable(response: RecordedResponse, place: str) -> None:
    bad = unsendable(response.headers)
    if bad is not None:
        raise CassetteError(
            f"{place}: HTTP can't carry the header {bad!r}: {response.headers[bad]!r}. "
            "Take the control characters out."
        )
    if response.status < 200 or response.status in (204, 304):
        raise CassetteError(
            f"{place}: an answer of status {response.status} has no body in HTTP: nothing to play. "
            "Correct the status, or take the interaction out."
        )


def _facts(cassette: Cassette, index: int) -> StreamFacts:
    response = cassette.interactions[index].response
    if "content-encoding" in map(str.lower, response.headers):
        raise CassetteError(
            f"{_name(cassette)}: the body of interaction {index + 1} was compressed and is not there. "
            "Let the client send accept-encoding: identity, and record again."
        )
    if not is_event_stream(response.status, response.headers):
        return StreamFacts()
    facts = read_stream(response.body)
    if facts.errors:
        raise CassetteError(
            f"{_name(cassette)}: the answer of interaction {index + 1} does not decode: "
            + "; ".join(facts.errors[:3])
            + ". Repair its body, or check it with: wiretape decode"
        )
    return facts


def is_event_stream(status: int, headers: Mapping[str, str]) -> bool:
    """Whether a recorded answer is an event stream: the default of an answer without a content type."""
    return status == 200 and content_type(headers).lower().startswith("text/event-stream")


def _read_object(body: bytes) -> Mapping[str, Any]:
    try:
        value = strictjson.loads(body)
    except strictjson.StrictJSONError:
        return {}
    return value if isinstance(value, dict) else {}


def roles(request: Mapping[str, Any]) -> list[object]:
    """The author roles of a request's messages."""
    messages = request.get("messages")
    return [member(each, "author", "role") for each in messages] if isinstance(messages, list) else []


def kind(is_return: bool) -> str:
    """What a person calls a conversation request."""
    return "a tool's return" if is_return else "a user's turn"


def _is_return(request: Mapping[str, Any]) -> bool:
    return "tool" in roles(request)


def _name(cassette: Cassette) -> str:
    return cassette.source or cassette.name or "cassette"
