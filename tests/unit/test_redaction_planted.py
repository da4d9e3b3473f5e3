"""A secret of every kind in every place, and none in the file."""

from __future__ import annotations

import base64
import json
import re

import pytest

from tests.unit.planted import BY_NAME, BY_SHAPE, NAMED_PLACES, TEXT_PLACES, planted
from wiretape.cassette import Cassette, dumps
from wiretape.flow_a.stream import decode
from wiretape.redaction import Redactor, scan
from wiretape.redaction.notation import undone

PLANTED = {name: (secret, cassette) for name, secret, cassette in planted()}


def everything(cassette: Cassette) -> str:
    """All that a file tells: its text, its text without escapes, its base64, what its deltas add up to."""
    parts = [repr(cassette), *(each.data.decode() for each in cassette.frames)]
    for each in cassette.interactions:
        message = decode(each.response.body)
        parts += [each.request.body.decode(), each.response.body.decode(), repr(message), json.dumps(message)]
    deltas = [json.loads(frame.data).get("params") or {} for frame in cassette.frames]
    parts.append("".join(each.get("delta", "") for each in deltas))
    text = "\n".join(parts)
    for word in re.findall(r"(?:[A-Za-z0-9+/_-]{4}){4,}", text):
        text += base64.b64decode(word.translate(str.maketrans("-_", "+/"))).decode("utf-8", "replace")
    return text + undone(text) + undone(undone(text))


def lengths(cassette: Cassette) -> list[int]:
    bodies = [body for each in cassette.interactions for body in (each.request.body, each.response.body)]
    return [*map(len, bodies), *(len(frame.data) for frame in cassette.frames)]


def test_there_are_many_kinds_and_places() -> None:
    assert len(BY_SHAPE) + len(BY_NAME) >= 25
    assert len(TEXT_PLACES) + len(NAMED_PLACES) >= 25


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_secret_is_in_no_part_of_the_file(name: str) -> None:
    secret, cassette = PLANTED[name]
    redactor = Redactor()
    redacted = redactor.cassette(cassette)
    told = everything(redacted)
    assert secret not in told
    assert "SECRET" not in told
    assert "eyJhbGciOi" not in told
    assert lengths(redacted) == lengths(cassette)
    assert Redactor().cassette(redacted) == redacted
    assert scan(dumps(redacted), redactor.secrets) == []
    assert scan(dumps(cassette)) != []
