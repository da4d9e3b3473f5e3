"""What stands in a file, for now, for the end of a stream that is still on its way."""

from __future__ import annotations

import json
import re

import pytest

from tests.unit.planted import JWT, growing, split, stream
from wiretape.delta_encoder import ANNOUNCEMENT, delta_event
from wiretape.flow_a.stream import decode
from wiretape.redaction import RedactionRules, Redactor
from wiretape.redaction.rules import DEFAULT
from wiretape.sse import ServerSentEvent, encode

KEY = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg kqhkiG9w\nAQEFAASCBKcw\n-----END PRIVATE KEY-----"
SECRETS = {
    "JSON Web Token": JWT,
    "API key": "sk-proj-AbC123dEf456GhI789",
    "e-mail address": "qzjx.wvut+kk@xkcdmail.org",
    "bearer": "Bearer tok98765zyx",
    "private key": KEY,
    "a member": '{"password": "xyzzy wörd 王 🔑 1"}',
    "known": "Project Falcon",
}
SECRET_PARTS = {"bearer": "tok98765zyx", "a member": "xyzzy wörd 王 🔑 1", "private key": KEY[28:-25]}


class File:
    """A file that gets, after each piece, what is final and what stands for the rest for now."""

    def __init__(self, redactor: Redactor) -> None:
        self._hide = redactor.stream()
        self.data = bytearray()
        self._final = 0
        self._fed = 0

    def feed(self, piece: bytes) -> bytes:
        self._fed += len(piece)
        self._put(self._hide.feed(piece))
        held = self._hide.held().encode()
        self.data[self._fed - len(held) : self._fed] = held
        assert len(self.data) == self._fed
        return bytes(self.data)

    def close(self) -> bytes:
        self._put(self._hide.close())
        assert self._final == self._fed
        return bytes(self.data)

    def _put(self, text: str) -> None:
        final = text.encode("utf-8", "surrogateescape")
        self.data[self._final : self._final + len(final)] = final
        self._final += len(final)


def knowing(secret: str) -> Redactor:
    redactor = Redactor()
    if secret == SECRETS["known"]:
        redactor.know([secret.encode()])
    return redactor


def text_of(data: bytes) -> str:
    return str(decode(data)["values"]["0"]["message"]["content"]["parts"][0])


def shows(text: str, secret: str) -> list[str]:
    """The parts of a secret, of four characters, that a text has."""
    windows = {secret[at : at + 4] for at in range(len(secret) - 3)}
    return [each for each in windows if each in text and not re.search(r"\\|[0-9a-f]{4}|^[-. @/]*$", each)]


@pytest.mark.parametrize("chunk", [1, 7, 61, 400])
@pytest.mark.parametrize("size", [1, 2, 5, 60])
@pytest.mark.parametrize("kind", SECRETS)
def test_no_moment_shows_a_part_of_a_secret(kind: str, size: int, chunk: int) -> None:
    secret = SECRETS[kind]
    part = SECRET_PARTS.get(kind, secret)
    data = growing(f"It is {secret} and so on.", size)
    file = File(knowing(secret))
    for piece in [data[at : at + chunk] for at in range(0, len(data), chunk)]:
        now = file.feed(piece)
        assert shows(now.decode() if part.isascii() else "", json.dumps(part)[1:-1]) == []
        assert shows(text_of(now) if b"parts" in now else "", part) == []
    done = file.close()
    assert text_of(done).startswith("It is ")
    assert text_of(done).endswith(" and so on.")
    assert shows(text_of(done), part) == []


def test_a_leak_would_be_seen() -> None:
    assert shows("it is sk-pro and", SECRETS["API key"])


def test_an_unfinished_word_is_masked_and_all_before_it_is_there() -> None:
    file = File(Redactor())
    first, *events = growing("Say café to the 王 of Spain", 5).split(b"\n\n")[:-1]
    file.feed(first + b"\n\n" + events[0] + b"\n\n")
    told = [text_of(file.feed(event + b"\n\n")) for event in events[1:]]
    assert told == [
        "Say ~",
        "Say café ~",
        "Say café to ~~~",
        "Say café to the 王 ~~",
        "Say café to the 王 of ~~~~",
        "Say café to the 王 of ~~~~~",
    ]
    assert text_of(file.close()) == "Say café to the 王 of Spain"


def test_an_event_that_is_not_whole_is_masked_until_it_is() -> None:
    file = File(Redactor())
    start = stream()
    event = encode(delta_event({"p": "/message/content/parts/0", "o": "append", "v": "bob "}))
    assert file.feed(start + event[:30])[len(start) :] == b"event: delta\n".translate(MASK) + b"~" * 17
    assert file.feed(event[30:]).endswith(event)


MASK = bytes(byte if byte in b"\r\n" else ord("~") for byte in range(256))


def test_another_body_is_masked_until_it_is_whole() -> None:
    file = File(Redactor())
    assert file.feed(b'{"a":\n"bo') == b"~~~~~\n~~~"
    assert file.feed(b'b","token":"SECRET-1"}') == b"~~~~~\n" + b"~" * 25
    assert file.close() == b'{"a":\n"bob","token":"hidden-1"}'


def test_a_string_that_was_set_may_go_on_but_an_id_does_not() -> None:
    root = {
        "id": "33333333-3333-4333-8333-333333333333",
        "status": "in_progress",
        "token": "two words",
        "tokens": ["one two"],
        "text": "Say bob@co",
        "n": 1,
    }
    file = File(Redactor())
    file.feed(encode(ANNOUNCEMENT))
    now = file.feed(encode(delta_event({"p": "", "o": "add", "v": {"message": root}})))
    message = decode(now)["values"]["0"]["message"]
    assert message == root | {"token": "~~~ ~~~~~", "tokens": ["~~~ ~~~"], "text": "Say ~~~@~~"}
    now = file.feed(encode(delta_event({"p": "/message/text", "o": "append", "v": "rp.com now"})))
    assert b"bob" not in now
    assert decode(file.close())["values"]["0"]["message"]["text"] == "Say ~1~@~~~~.~~~ now"


def test_what_was_shown_once_is_not_shown_again() -> None:
    hide = Redactor().stream()
    hide.feed(stream({"p": "/message/t", "o": "add", "v": "bob"}))
    assert hide.held()
    assert hide.held() == ""
    hide.feed(b"data: {")
    hide.feed(b'"type"')
    assert hide.held() == "~" * 13
    hide.feed(b":1")
    assert hide.held() == "~~"


def test_a_word_without_end_is_shown_once_only() -> None:
    hide = Redactor().stream()
    event = encode(delta_event({"p": "/a", "o": "append", "v": "x" * 100}))
    given = 0
    for _ in range(300):
        hide.feed(event)
        given += len(hide.held())
    assert given < 300 * len(event) * 20


@pytest.mark.parametrize("size", [1, 4])
def test_a_key_that_is_never_closed_is_hidden_to_the_end(size: int) -> None:
    file = File(Redactor())
    for event in growing(f"It is {KEY[:-30]}", size).split(b"\n\n")[:-1]:
        now = file.feed(event + b"\n\n")
        assert shows(now.decode(), json.dumps(KEY[28:-30])[1:-1]) == []
    assert shows(text_of(file.close()), KEY[28:-30]) == []


def test_rules_without_shapes_have_no_marks() -> None:
    rules = RedactionRules(
        names=DEFAULT.names,
        endings=(),
        kept_headers=frozenset(),
        shapes=(),
        placeholders=DEFAULT.placeholders,
    )
    data = growing("Mail bob@corp.com and say so", 4)
    assert Redactor(rules).body(data) == data


def test_a_text_of_nothing_has_nothing_to_show() -> None:
    file = File(Redactor())
    data = stream({"p": "/message/t", "o": "append", "v": ""}, {"p": "/message/u", "o": "append", "v": "x"})
    assert file.feed(data).endswith(b'"v":"~"} \n\n')


def test_events_of_other_sorts_between_are_kept() -> None:
    file = File(Redactor())
    events = [
        *growing("one two three four", 4).split(b"\n\n")[:-1],
        b'data: {"type":"x","token":"SECRET-1"}',
        b'event: delta\ndata: {"v":" five bob@corp.com six"}',
    ]
    for size in (1, 3, 50):
        file = File(Redactor())
        data = b"".join(event + b"\n\n" for event in events)
        for at in range(0, len(data), size):
            file.feed(data[at : at + size])
        assert text_of(file.close()) == "one two three four five ~2~@~~~~.~~~ six"
    assert split("abc", 2) == ["ab", "c"]
    assert encode(ServerSentEvent(data="x")) == b"data: x\n\n"
