"""Redacts a session: headers, targets, bodies and frames, in any order, with one set of pseudonyms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import accumulate, pairwise
from typing import Any, Final, TypeVar

from wiretape.cassette.model import (
    Cassette,
    Interaction,
    ModelText,
    RecordedFrame,
    RecordedRequest,
    RecordedResponse,
)
from wiretape.redaction.pseudonyms import Pseudonyms
from wiretape.redaction.rules import DEFAULT, Hit, RedactionRules
from wiretape.redaction.stream import BodyRedactor
from wiretape.redaction.texts import TextRedactor

_PROOF_IN_SENTINEL_REQUESTS: Final = frozenset("p")
"""A name too short to be a secret's everywhere: it is the path of a delta as well."""
_MOST_HEADERS: Final = 1024
"""Values of headers that are remembered."""

Message = TypeVar("Message", RecordedRequest, RecordedResponse)


class Redactor:
    """Hides the secrets of one session.

    The same value gets the same pseudonym everywhere, of the same length, so ids still correlate and chunk
    tables stay true. What is no secret comes back byte for byte. Texts may come one by one, as they are
    recorded; ``cassette`` also finds in early ones what only later ones betray.
    """

    def __init__(self, rules: RedactionRules = DEFAULT) -> None:
        self.rules = rules
        self._pseudonyms = Pseudonyms()
        self._texts = TextRedactor(rules, self._pseudonyms)
        self._harmless: set[str] = set()
        """Values of kept headers in which nothing was hidden."""

    @property
    def secrets(self) -> frozenset[bytes]:
        """Every live secret that was seen and can be told from other words, in UTF-8, without escapes."""
        return frozenset(value.encode("utf-8", "surrogatepass") for value in self._texts.secrets)

    def headers(self, headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """Keep the headers that are known to be harmless; each other one keeps its name and its length."""
        return tuple((name, self._header(name, value)) for name, value in headers)

    def target(self, target: str) -> str:
        """Redact a request's target, path and query, or a whole URL."""
        path, mark, query = target.partition("?")
        return self._texts.redact(path) + mark + self._texts.query(query)

    def stream(self, *, target: str = "") -> BodyRedactor:
        """Begin to redact a body that comes in pieces.

        ``target``: of the request that it belongs to; bodies for the sentinel have secrets of their own.
        """
        also = _PROOF_IN_SENTINEL_REQUESTS if "/sentinel/" in target else frozenset()
        return BodyRedactor(self._texts, also=also)

    def body(self, data: bytes, *, target: str = "") -> bytes:
        """Redact a whole body: JSON, an event stream, any text. The length stays."""
        return self.stream(target=target).whole(data)

    def frame(self, data: bytes) -> bytes:
        """Redact one JSON-RPC or websocket message by itself."""
        return self.body(data)

    def frames(self, frames: Iterable[bytes]) -> list[bytes]:
        """Redact JSON-RPC or websocket messages, in order; a secret may be split over their deltas."""
        frames = list(frames)
        joined = self.body(b"\n".join(frames))
        hidden, at = [], 0
        for frame in frames:
            hidden.append(joined[at : at + len(frame)])
            at += len(frame) + 1
        return hidden

    def text(self, text: str, place: str = "") -> str:
        """Redact any text; ``place`` is for ``hits``."""
        self._texts.place = place
        return self._texts.redact(text)

    def known(self, text: str, place: str = "") -> str:
        """Hide in a text the secrets that were seen, and look for no other."""
        with self._texts.knowing_all():
            return self.text(text, place)

    @property
    def hits(self) -> tuple[Hit, ...]:
        """What was hidden so far, and where; no values."""
        return tuple(self._texts.hits)

    def know(self, secrets: Iterable[bytes]) -> None:
        """From now on hide these values too, which are secrets, without escapes."""
        for secret in secrets:
            self._texts.know(secret.decode("utf-8", "surrogatepass"))

    def cassette(self, cassette: Cassette) -> Cassette:
        """Redact a whole session. A redacted one comes back as it is."""
        self._pseudonyms.reserve(repr(cassette))
        known = len(self._texts.secrets)
        cassette = self._at("", cassette)
        if len(self._texts.secrets) > known:  # what a later text betrays is hidden in earlier ones too
            with self._texts.knowing_all():
                cassette = self._at("", cassette)
        return cassette

    def _at(self, place: str, value: Any) -> Any:
        """Redact every text in a value, which stands at ``place``."""
        self._texts.place = place
        if isinstance(value, str):
            return self._texts.redact(value)
        if isinstance(value, Interaction):
            return self._interaction(place, value)
        if isinstance(value, ModelText):
            return replace(value, text=self._texts.redact(value.text), deltas=self._pieces(value.deltas))
        if isinstance(value, Mapping):
            return {key: self._member(f"{place}.{key}", str(key), each) for key, each in value.items()}
        if isinstance(value, tuple) and value and isinstance(value[0], RecordedFrame):
            hidden = self.frames(each.data for each in value)
            return tuple(replace(frame, data=data) for frame, data in zip(value, hidden, strict=True))
        if isinstance(value, (list, tuple)):
            return type(value)(self._at(f"{place}[{index}]", each) for index, each in enumerate(value))
        if is_dataclass(value) and not isinstance(value, type):
            names = (each.name for each in fields(value))
            texts = {name: self._at(f"{place}.{name}".lstrip("."), getattr(value, name)) for name in names}
            return replace(value, **texts)
        return value

    def _pieces(self, pieces: tuple[str, ...]) -> tuple[str, ...]:
        whole = self._texts.redact("".join(pieces))
        ends = [*accumulate(map(len, pieces), initial=0)]
        return tuple(whole[begin:end] for begin, end in pairwise(ends))

    def _member(self, place: str, name: str, value: Any) -> Any:
        self._texts.place = place
        if isinstance(value, str) and self.rules.is_secret_name(name):
            return self._texts.named(name, value)
        return self._at(place, value)

    def _interaction(self, place: str, interaction: Interaction) -> Interaction:
        target = interaction.request.path
        self._texts.place = f"{place}.request.path"
        path = self.target(target)
        request = self._message(f"{place}.request", interaction.request, target)
        response = self._message(f"{place}.response", interaction.response, target)
        return Interaction(request=replace(request, path=path), response=response)

    def _message(self, place: str, message: Message, target: str) -> Message:
        self._texts.place = f"{place}.headers"
        headers = dict(self.headers(message.headers.items()))
        self._texts.place = f"{place}.body"
        return replace(message, headers=headers, body=self.body(message.body, target=target))

    def _header(self, name: str, value: str) -> str:
        if name.lower() in self.rules.kept_headers:
            if value in self._harmless and not self._texts.secrets.found_in(value):
                return value  # the same ones come with every request
            hidden = self.target(value) if "://" in value else self._texts.redact(value)
            if hidden == value and len(self._harmless) < _MOST_HEADERS:
                self._harmless.add(value)
            return hidden
        if self.rules.is_secret_name(name):
            return self._texts.named(name, value)
        return self._texts.masked(value, f"header {name}")
