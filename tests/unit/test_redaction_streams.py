from __future__ import annotations

import json
import re

import pytest

from tests.unit.planted import JWT, fed, growing, stream
from wiretape.delta_encoder import delta_event
from wiretape.flow_a.stream import decode
from wiretape.redaction import Redactor
from wiretape.sse import ServerSentEvent, encode


def final(data: bytes) -> object:
    return decode(data)["values"]["0"]


def text_of(data: bytes) -> str:
    return str(final(data)["message"]["content"]["parts"][0])  # type: ignore[index]


SPLIT = growing(json.dumps({"password": "SECRET 1"}) + f" Say {JWT} to bob@corp.com, café, or not.", 3)


@pytest.mark.parametrize("size", [1, 2, 7, 40, 333, 100_000])
def test_a_body_in_pieces_is_redacted_as_a_whole_one(size: int) -> None:
    whole = Redactor().body(SPLIT)
    assert fed(SPLIT, size) == whole
    assert len(whole) == len(SPLIT)
    assert text_of(whole).endswith(
        "} Say hidden-2-----------.-----------------------.---- to ~3~@~~~~.~~~, café, or not."
    )


@pytest.mark.parametrize("ends", [b"\r\n", b"\r"])
def test_line_ends_of_all_sorts_do(ends: bytes) -> None:
    data = SPLIT.replace(b"\n", ends)
    assert fed(data, 5) == Redactor().body(SPLIT).replace(b"\n", ends)


def test_what_is_safe_goes_on_at_once() -> None:
    hide = Redactor().stream()
    for event in map(
        encode, (ServerSentEvent("delta_encoding", '"v1"'), ServerSentEvent(data='{"type":"x"}'))
    ):
        assert hide.feed(event) == event.decode()
    word, more, end = (
        encode(delta_event({"p": "/a", "o": "append", "v": v})) for v in (" bob", "@corp.com", " ")
    )
    safe = hide.feed(word)
    assert safe == "event: delta\n"
    assert hide.feed(more) == ""
    rest = hide.feed(end)
    assert "bob" not in rest
    assert len(safe + rest) == len(word + more + end)
    assert hide.close() == ""


def test_a_word_that_does_not_go_on_is_let_go() -> None:
    hide = Redactor().stream()
    first = encode(delta_event({"p": "", "o": "add", "v": {"status": "in_progress"}}))
    others = [encode(delta_event({"p": f"/n{number}", "o": "replace", "v": number})) for number in range(9)]
    given = [len(hide.feed(event)) for event in (first, *others)]
    assert given[:3] == [len("event: delta\n"), 0, 0]
    assert sum(given) == len(first) + sum(map(len, others))


def test_an_endless_word_is_held_within_bounds() -> None:
    hide = Redactor().stream()
    event = encode(delta_event({"p": "/a", "o": "append", "v": "x" * 1000}))
    held = most = 0
    for _ in range(300):
        held += len(event) - len(hide.feed(event))
        most = max(most, held)
    assert 60_000 < most < 80_000


def test_another_body_waits_for_its_end_within_bounds() -> None:
    hide = Redactor().stream()
    assert hide.feed(b'{"token":"SECRET-1') == ""
    assert hide.feed(b'","a":1}') == ""
    assert hide.close() == '{"token":"hidden-1","a":1}'
    long = Redactor().stream()
    block = b'{"a":1}\n' * 2**17
    assert "".join([*(long.feed(block) for _ in range(5)), long.close()]).encode() == block * 5


def test_an_empty_body_stays_empty() -> None:
    assert Redactor().stream().close() == ""
    assert fed(b": x", 1) == b": x"


def test_an_unfinished_last_event_is_redacted_too() -> None:
    data = stream() + b'data: {"type":"x","token":"SECRET-1"}'
    assert fed(data, 9).endswith(b'"token":"hidden-1"}')
    assert b"SECRET" not in fed(data + b"\n", 9)


def test_bytes_that_are_no_utf_8_are_kept() -> None:
    data = b'data: \xff\xfe {"token":"SECRET-1"}\n\n'
    assert fed(data, 3) == b'data: \xff\xfe {"token":"hidden-1"}\n\n'


def test_texts_in_turn_are_told_apart() -> None:
    pieces = [("bo", 0), ("am", 1), ("b@corp", 0), ("y@corp", 1), (".com", 0), (".org", 1)]
    deltas = [{"p": "/t", "o": "append", "c": channel, "v": piece} for piece, channel in pieces]
    deltas = [{"p": "", "o": "add", "c": channel, "v": {"t": ""}} for channel in (0, 1)] + deltas
    values = decode(fed(stream(*deltas), 50))["values"]
    assert [values[channel]["t"] for channel in "01"] == ["~1~@~~~~.~~~", "~2~@~~~~.~~~"]


@pytest.mark.parametrize("channel", [{}, {"p": "/message/content/parts/0", "o": "append"}])
@pytest.mark.parametrize("size", [1, 90, 100_000])
def test_a_secret_in_a_row_of_events_that_are_alike_is_hidden(channel: dict[str, object], size: int) -> None:
    said = ["Write ", "to bob", "@corp", ".com", " or say ", "fal", "con-", "77. ", "Bye", " n", "ow"]
    first = {"p": "/message/content/parts/0", "o": "append", "v": "So: "}
    data = stream(first, *({**channel, "v": each} for each in said))
    redactor = Redactor()
    redactor.know([b"falcon-77"])
    hidden = fed(data, size, redactor)
    assert len(hidden) == len(data)
    told = re.sub("[12]", "N", text_of(hidden))
    assert told == "So: Write to ~N~@~~~~.~~~ or say hidden-N-. Bye now"


def test_strings_alike_that_replace_one_another_are_one_text_each() -> None:
    data = stream({"p": "/message/t", "o": "replace", "v": ""}, *({"v": v} for v in ("bob ", "@corp.com ")))
    assert fed(data, 1000) == data


def test_what_only_looks_like_an_append_does_not_part_a_secret() -> None:
    broken = ServerSentEvent("delta", '{"p": "/message/t", "o": "append", "v": "\t \\x"}')
    first, *_, last = (
        encode(delta_event({"p": "/message/t", "o": "append", "v": v})) for v in ("bob@", "corp.com")
    )
    hidden = fed(stream() + first + encode(broken) + last, 1000)
    assert b"bob" not in hidden
    assert b"corp" not in hidden


def test_a_secret_that_was_hidden_in_a_delta_is_no_new_one() -> None:
    redactor = Redactor()
    data = redactor.body(stream({"p": "", "o": "add", "v": {"token": "SECRET-1", "email": ""}}))
    again = Redactor()
    assert again.body(data) == data
    assert again.hits == ()


def test_a_text_goes_on_in_a_patch_in_a_patch() -> None:
    inner = {"p": "/parts", "o": "patch", "v": [{"p": "/0", "o": "append", "v": "@corp"}]}
    patch = {"p": "/message/content", "o": "patch", "v": [inner, {"p": "/x", "o": "remove"}, 5, {"p": 1}]}
    data = stream(
        {"p": "/message/content/parts/0", "o": "append", "v": "bob"},
        {"p": "", "o": "patch", "v": [patch]},
        {"p": "/message/content/parts/0", "o": "append", "v": ".com"},
    )
    assert b'"@corp"' not in fed(data, 1000)
    assert b'"bob"' not in fed(data, 1000)


def test_a_text_that_was_set_goes_on() -> None:
    data = stream({"p": "/message/t", "o": "add", "v": "bob@co"}, {"o": "append", "v": "rp.com"})
    assert final(fed(data, 1000))["message"]["t"] == "~1~@~~~~.~~~"  # type: ignore[index]


def test_a_text_that_was_set_goes_on_at_a_path_with_escapes() -> None:
    data = stream(
        {"p": "", "o": "add", "v": {"a/~": {"b": "jane"}}}, {"p": "/a~1~0/b", "o": "append", "v": "@corp.com"}
    )
    assert b"corp" not in fed(data, 1)


def test_a_text_that_ends_behind_a_secret_members_name_takes_nothing_around_it_for_the_value() -> None:
    begun = json.dumps({"arguments": '{"user": 1, "password":\n ', "next": json.dumps({"a": '"token": '})})
    then = ['{"password": ', "b", "%22token%22%3A%20", "c"]
    data = stream({"p": "", "o": "add", "v": {"first": begun, "then": then}})
    assert Redactor().body(data) == data
    secret = json.dumps([json.dumps({"password": "hunter22"}), '"token":', "hunter22"])
    assert Redactor().text(secret).endswith(', "\\"token\\":", "hidden-1"]')
    assert "hunter22" not in Redactor().text(secret)


def test_a_text_that_was_cut_goes_on_from_there() -> None:
    data = stream(
        {"p": "/message/t", "o": "add", "v": "bob@corp and more"},
        {"p": "/message/t", "o": "truncate", "v": 8},
        {"p": "/message/u", "o": "truncate", "v": 8},
        {"p": "/message/t", "o": "append", "v": ".com SECRET"},
    )
    assert b".com" not in fed(data, 1000)


def test_a_second_announcement_forgets_all_texts() -> None:
    data = growing("bob", 3) + growing("@corp.com", 9)
    assert fed(data, 1000) == data


def test_what_is_no_delta_is_left_alone() -> None:
    for text in (
        "{",
        "[]",
        '{"p":5,"v":"a"}',
        '{"o":"append"}',
        '{"v":"a"}',
        '{"o":"patch","v":"a"}',
        '{"o":[],"v":1}',
    ):
        data = encode(ServerSentEvent("delta", text))
        assert fed(data, 1000) == data


def test_what_was_said_before_tells_what_comes() -> None:
    hide = Redactor().stream()
    events = [
        encode(delta_event({"p": "/a", "o": "append", "v": v}))
        for v in ("x " * 80, "Bearer ", "tok9876 ", "y ")
    ]
    assert "tok9876" not in "".join([*map(hide.feed, events), hide.close()])


def test_frames_are_redacted_together() -> None:
    messages = [
        {"method": "d/delta", "params": {"itemId": i, "delta": d}}
        for i, d in (("a", "bob@"), ("b", "x"), ("a", "corp.com"))
    ]
    messages += [{"method": "d/delta", "params": {"delta": 5}}, {"method": "d/delta"}]
    frames = [json.dumps(message).encode() for message in messages]
    hidden = Redactor().frames(frames)
    assert [len(frame) for frame in hidden] == [len(frame) for frame in frames]
    assert [json.loads(frame)["params"]["delta"] for frame in hidden[:3]] == ["~1~@", "x", "~~~~.~~~"]
    assert Redactor().frames([]) == []
    assert Redactor().frame(b'{"token":"SECRET-1"}') == b'{"token":"hidden-1"}'


def test_a_text_in_a_value_that_was_set_long_ago_goes_on_from_there() -> None:
    set_it = {"p": "", "o": "add", "v": {"message": {"t": "x " * 99 + "Bearer", "list": ["a", {"b": 1}]}}}
    numbers = [{"p": f"/n{number}", "o": "replace", "v": number} for number in range(9)]
    goes_on = [{"p": "/message/t", "o": "append", "v": each} for each in (" ", "tok9876 ", "")]
    others = [
        {"p": path, "o": "append", "v": "x"} for path in ("/message/list/5", "/message/t/u/w", "/message")
    ]
    assert b"tok9876" not in fed(stream(set_it, *numbers, *goes_on, *others), 50)


def test_only_the_last_values_that_were_set_are_remembered() -> None:
    many = [{"p": f"/m/{number}", "o": "add", "v": {"t": "bob@co"}} for number in range(70)]
    late = [{"p": "/m/69/t", "o": "append", "v": "rp.com "}, {"p": "/m/0/t", "o": "append", "v": "rp.com "}]
    hidden = fed(stream(*many, *late), 1000)
    assert hidden.count(b"bob@co") == 69
    assert hidden.count(b"rp.com") == 1


def test_a_text_that_was_replaced_goes_on_without_the_old_one() -> None:
    data = stream(
        {"p": "/message/t", "o": "append", "v": "bob@"},
        {"p": "/message", "o": "replace", "v": {"t": ""}},
        {"p": "/message/t", "o": "append", "v": "corp.com "},
    )
    assert fed(data, 1000) == data


def test_channels_of_any_sort_are_told_apart() -> None:
    pieces = [("bob", [1]), ("amy", {}), ("@corp.com ", [1]), ("@corp.org ", {})]
    hidden = fed(stream(*({"p": "/t", "o": "append", "c": c, "v": v} for v, c in pieces)), 1000)
    assert not [each for each in (b"bob", b"amy", b"corp") if each in hidden]


def test_a_delta_beside_others_of_its_name_is_found() -> None:
    messages = [
        {"method": "d/delta", "params": {"x": {"delta": "y"}, "delta": each}} for each in ("bob@", "corp.com")
    ]
    hidden = Redactor().frames([json.dumps(each).encode() for each in messages])
    assert [json.loads(each)["params"]["delta"] for each in hidden] == ["~1~@", "~~~~.~~~"]


def test_a_list_of_signs_is_no_delta() -> None:
    data = encode(ServerSentEvent("delta", '["v", "\\\\"]'))
    assert fed(data, 1000) == data


def test_a_secret_among_very_many_names_is_found() -> None:
    names = b"".join(b'{"name%d":1}' % number for number in range(5000))
    assert Redactor().body(names + b'{"token":"SECRET-1"}') == names + b'{"token":"hidden-1"}'
    redactor = Redactor()
    for number in range(5000):
        redactor.body(b'{"name%d":1}' % number)
    assert redactor.body(b'{"token":"SECRET-1"}') == b'{"token":"hidden-1"}'
