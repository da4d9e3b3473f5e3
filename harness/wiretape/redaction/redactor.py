"""Redacts a session: headers, targets, bodies and frames, in any order, with one set of pseudonyms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final

from wiretape.cassette.model import Cassette, Interaction, RecordedFrame
from wiretape.redaction.pseudonyms import Pseudonyms
from wiretape.redaction.rules import DEFAULT, RedactionRules
from wiretape.redaction.stream import BodyRedactor
from wiretape.redaction.texts import TextRedactor

_PROOF_IN_SENTINEL_REQUESTS: Final = frozenset("p")
"""A name too short to be a secret's everywhere: it is the path of a delta as well."""


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
        """Redact one JSON-RPC or websocket message."""
        return self.body(data)

    def cassette(self, cassette: Cassette) -> Cassette:
        """Redact a whole session. A redacted one comes back as it is."""
        self._pseudonyms.reserve(_numbers(cassette))
        known = -1
        while known != len(self._texts.secrets):  # what a later text betrays is hidden in earlier ones too
            known = len(self._texts.secrets)
            cassette = self._value(cassette)
        return cassette

    def _value(self, value: Any) -> Any:
        """Redact every text in a plain value."""
        if isinstance(value, str):
            return self._texts.redact(value)
        if isinstance(value, Interaction):
            return self._interaction(value)
        if isinstance(value, RecordedFrame):
            return replace(value, data=self.frame(value.data))
        if isinstance(value, Mapping):
            return {key: self._member(key, each) for key, each in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(map(self._value, value))
        if is_dataclass(value) and not isinstance(value, type):
            texts = {each.name: self._value(getattr(value, each.name)) for each in fields(value)}
            return replace(value, **texts)
        return value

    def _member(self, key: object, value: Any) -> Any:
        secret = isinstance(key, str) and isinstance(value, str) and self.rules.is_secret_name(key)
        return self._texts.secret(value) if secret else self._value(value)

    def _interaction(self, interaction: Interaction) -> Interaction:
        request, response = interaction.request, interaction.response
        return Interaction(
            request=replace(
                request,
                path=self.target(request.path),
                headers=dict(self.headers(request.headers.items())),
                body=self.body(request.body, target=request.path),
            ),
            response=replace(
                response,
                headers=dict(self.headers(response.headers.items())),
                body=self.body(response.body, target=request.path),
            ),
        )

    def _header(self, name: str, value: str) -> str:
        if name.lower() in self.rules.kept_headers:
            return self.target(value) if "://" in value else self._texts.redact(value)
        if name.lower() in ("cookie", "set-cookie"):
            return self._texts.cookies(value)
        return self._texts.secret(value) if self.rules.is_secret_name(name) else self._texts.masked(value)


def _numbers(cassette: Cassette) -> str:
    """The texts in which pseudonyms of an earlier redaction stand."""
    return repr(cassette)
