"""Texts that grow in turn: where one begins, no secret of another is parted."""

from __future__ import annotations

from itertools import accumulate, pairwise
from operator import sub

import pytest

from tests.unit.planted import fed, stream
from wiretape.redaction import Redactor
from wiretape.sse import event_ends


@pytest.mark.parametrize("size", [1, 50, 100_000])
def test_a_secret_in_which_another_text_begins_is_not_parted_there(size: int) -> None:
    said = [(0, "so ")] * 9 + [
        (0, "sk-abcd"),
        (1, "an"),
        (0, "EFGH1234 "),
        (1, "swer"),
        (0, "or not "),
        (1, " to it"),
    ]
    data = stream(*({"p": "/a", "o": "append", "v": text, "c": channel} for channel, text in said))
    hidden = fed(data, size)
    assert len(hidden) == len(data)
    assert b"sk-abcd" not in hidden
    assert b"EFGH1234" not in hidden
    assert b'"swer"' in hidden


def test_words_of_two_texts_that_overlap_wait_together() -> None:
    said = [(0, "so ")] * 9
    said += [(0, "jane"), (1, "sk-abcd"), (0, "@corp.com "), (0, "bob"), (1, "EFGH1234 "), (0, "@corp.com")]
    data = stream(*({"p": "/a", "o": "append", "v": text, "c": channel} for channel, text in said))
    hidden = fed(data, 1)
    assert not any(part in hidden for part in (b"jane", b"sk-abcd", b"EFGH1234", b"corp", b"bob"))


def test_eight_deltas_of_another_text_may_come_between_two_parts_of_a_secret() -> None:
    said = [(0, "so ")] * 9 + [(0, "jane")] + [(1, "or ")] * 8 + [(0, "@corp.com")]
    data = stream(*({"p": "/a", "o": "append", "v": text, "c": channel} for channel, text in said))
    assert b"jane" not in fed(data, 1)


@pytest.mark.parametrize(("letter", "most"), [("a", 2_000), ("=", 70_000)])
def test_little_waits_where_each_word_begins_inside_one_of_another_text(letter: str, most: int) -> None:
    texts = [f"{letter * 4} " * 150, f"{letter} {letter * 3}" * 150]
    said = [(channel, text) for pair in zip(*texts, strict=True) for channel, text in enumerate(pair)]
    data = stream(*({"p": "/a", "o": "append", "v": text, "c": channel} for channel, text in said))
    ends = event_ends(data)
    redactor = Redactor().stream()
    given = [len(redactor.feed(data[start:end])) for start, end in pairwise([0, *ends])]
    assert max(map(sub, ends, accumulate(given))) < most
