"""The last look at bytes before they become a file: is a secret still in them?

It redacts once more: what that would change is a secret.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from wiretape.cassette.model import CassetteError
from wiretape.cassette.reader import loads
from wiretape.delta import DeltaDecoder, DeltaError
from wiretape.redaction.redactor import Redactor
from wiretape.redaction.rules import DEFAULT, Hit, RedactionRules
from wiretape.sse import EventStreamDecoder
from wiretape.strictjson import StrictJSONError, dumps
from wiretape.strictjson import loads as read_json


class SaveRefused(CassetteError):  # noqa: N818 - it says what happened
    """Bytes that were to be saved hold a secret; nothing was saved. ``hits`` says which kinds, and where."""

    def __init__(self, hits: Iterable[Hit]) -> None:
        self.hits = tuple(hits)
        places = "\n".join(f"  {hit.place}: {hit.name}" for hit in self.hits)
        super().__init__(
            f"the file: expected no secret in what is to be saved, got {len(self.hits)}:\n{places}\n"
            "nothing was saved; redact it first, and give rules of your own for what is not known here"
        )


def scan(data: bytes, secrets: Iterable[bytes] = (), rules: RedactionRules = DEFAULT) -> list[Hit]:
    """Look for secrets in the bytes of a file: live values, and what the rules take for a secret.

    ``secrets``: live values as ``Redactor.secrets`` has them, without escapes; they are found raw, in the
    escapes of JSON and of URLs, in base64, and in what an event stream's deltas add up to.
    """
    redactor = Redactor(rules)
    redactor.know(secrets)
    text = data.decode("utf-8", "surrogateescape")
    try:
        cassette = loads(data)
    except CassetteError:
        redactor.text(text, "the text")
        return list(redactor.hits)
    redactor.cassette(cassette)
    for number, interaction in enumerate(cassette.interactions):
        redactor.text(_added_up(interaction.response.body), f"interactions[{number}].response.body, decoded")
    if not redactor.hits:
        redactor.known(text, "the text")
    return list(redactor.hits)


def refuse_secrets(data: bytes, redactor: Redactor) -> None:
    """Raise SaveRefused when bytes to be saved hold a secret, one that was seen or another."""
    hits = scan(data, redactor.secrets, redactor.rules)
    if hits:
        raise SaveRefused(hits)


def _added_up(body: bytes) -> str:
    """What an event stream's deltas add up to, as JSON."""
    decoder, values = DeltaDecoder(), []
    for event in EventStreamDecoder().feed(body):
        if event.event == "delta_encoding":
            values.append(decoder.values)
            decoder = DeltaDecoder()
        elif event.event == "delta":
            with suppress(DeltaError, StrictJSONError):
                decoder.push(read_json(event.data))
    return dumps([*values, decoder.values])
