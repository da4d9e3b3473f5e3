from __future__ import annotations

import pytest

from wiretape.redaction import excerpt


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"", ""),
        (b"garbage", "garbage"),
        (b"\xff{", "\\xff{"),
        (b"x" * 81, "x" * 80 + "…"),
    ],
)
def test_the_beginning_of_what_came_is_shown(raw: bytes, shown: str) -> None:
    assert excerpt(raw) == shown


@pytest.mark.parametrize("key", ["app_attest_challenge", "accessToken", "conduit_token"])
def test_a_secret_in_what_came_is_not(key: str) -> None:
    assert "SECRET" not in excerpt(b'{"%b": "SECRET-1-abcdefghij", bad' % key.encode())
