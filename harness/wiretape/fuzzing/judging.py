"""One stream, two decoders: whether the one under attack gives what the reference gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from wiretape.flow_a.stream import decode
from wiretape.strictjson import equal

Contract: TypeAlias = Literal["exact", "lenient"]
"""What is asked where the reference finds a fault in a stream, or its end missing. ``exact``: to refuse it,
or to give the messages that the reference gives; ``lenient``: nothing."""


class RefusedError(Exception):
    """A decoder did not take a stream. The text is its reason."""


class CrashedError(Exception):
    """A decoder gave no answer, or one that can't be read: wrong whatever the stream is.

    ``stderr`` is the end of what it wrote there.
    """

    def __init__(self, text: str, stderr: str = "") -> None:
        super().__init__(text)
        self.stderr = stderr


Decoder: TypeAlias = Callable[[bytes], Any]
"""The bytes of an event stream in, the list of its messages in their final state out, by first appearance.

Raises RefusedError for a stream that it does not take, CrashedError when it could not say even that.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What a decoder made of a stream, and what it should have made of it.

    ``got`` is what it gave; where it refused or crashed, ``refusal`` says why and ``got`` is None.
    """

    data: bytes
    want: list[dict[str, Any]]
    got: Any
    refusal: str = ""
    stderr: str = ""
    """The end of what it wrote there before it crashed."""


def difference(decoder: Decoder, data: bytes, contract: Contract) -> Difference | None:
    """Let a decoder read a stream, and compare; None when it keeps the contract."""
    reference = decode(data)
    want, faulty = reference["messages"], bool(reference["errors"]) or not reference["done"]
    try:
        got = decoder(data)
    except CrashedError as crashed:
        return Difference(data=data, want=want, got=None, refusal=str(crashed), stderr=crashed.stderr)
    except RefusedError as refused:
        return None if faulty else Difference(data=data, want=want, got=None, refusal=str(refused))
    if equal(got, want) or (faulty and contract == "lenient"):
        return None
    return Difference(data=data, want=want, got=got)
