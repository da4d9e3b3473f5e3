"""Secrets that are known: few of them and many are found alike."""

from __future__ import annotations

import pytest

from wiretape.redaction import Redactor


@pytest.mark.parametrize("count", [1, 3, 30, 400])
def test_known_secrets_are_hidden_however_many_there_are(count: int) -> None:
    secrets = ["ab!", *(f"falcon {number}x" for number in range(count))]
    redactor = Redactor()
    redactor.know(secret.encode() for secret in secrets * 2)
    text = "; ".join(f"say {secret}" for secret in secrets)
    hidden = redactor.text(text)
    assert len(hidden) == len(text)
    assert [secret for secret in secrets if secret in hidden] == []
    assert hidden.count("; say ") == count


@pytest.mark.parametrize("count", [3, 400])
def test_the_first_of_two_secrets_that_overlap_is_hidden_first(count: int) -> None:
    redactor = Redactor()
    redactor.know(f"falcon{number:03}".encode() for number in range(count))
    redactor.know([b"lcon001-one", b"001-one-two"])
    assert redactor.text("say lcon001-one-two") == "say hidden-1----two"
