"""User and password in a URL, however it is written, and what only looks like them."""

from __future__ import annotations

import pytest

from wiretape.redaction import Redactor


def redacted(text: str) -> str:
    return Redactor().body(text.encode()).decode()


@pytest.mark.parametrize(
    ("url", "hidden"),
    [
        ("https://jane:pw@corp-mail.co.uk/a", "https://~2~~:~1@corp-mail.co.uk/a"),
        ("wss://jane:long-password@h:80", "wss://~2~~:hidden-1-----@h:80"),
        ("https://token-of-jane@h/", "https://hidden-1-----@h/"),
        ("postgres://:pw4711@h", "postgres://:~1~~~~@h"),
        ("https:\\/\\/jane:pw4711@h\\/", "https:\\/\\/~2~~:~1~~~~@h\\/"),
        ("a=https%3A%2F%2Fjane:pw%40x1@h", "a=https%3A%2F%2F~2~~:~1%40~~@h"),
        ("https://a1:b1@x,ws://a1:b1@y", "https://~2:~1@x,ws://~2:~1@y"),
    ],
)
def test_user_and_password_of_a_url_are_hidden_and_the_host_stays(url: str, hidden: str) -> None:
    assert redacted(url) == hidden
    assert redacted(hidden) == hidden


@pytest.mark.parametrize(
    "text",
    [
        "git@host:path/to.git",
        "ssh://git@host/path",
        "https://host/@scope/pkg@1.2.3",
        "https://host:80/a:b@c",
        "https://host?to=a:b@c",
        "https://host#a:b@c",
        "file:///a:b@c",
        "http://[::1]:80/x@y",
        "a//b:c@d and https://host, or not @home",
        "https://<user>:<password>@host",
    ],
)
def test_an_at_sign_elsewhere_is_no_password(text: str) -> None:
    assert redacted(text) == text
