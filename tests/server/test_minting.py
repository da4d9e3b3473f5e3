from __future__ import annotations

import base64
import json
import uuid

import pytest

from tests.server.making import (
    ANSWER,
    CALL,
    CONVERSATION,
    CREATED,
    RETURN_MESSAGE,
    TOKEN,
    USER_MESSAGE,
    answer_stream,
    call_stream,
    event,
    tool_return,
    user_turn,
)
from wiretape.transcript import Body
from wiretape_server.minting import Minted, fresh_id, fresh_token, message_ids, patches, sorting

NOW = 1900000000.0


class Counter:
    """An id source whose bytes count up."""

    def __init__(self) -> None:
        self.next = 0

    def __call__(self, size: int) -> bytes:
        self.next += 1
        return self.next.to_bytes(size, "big")


def _calling(results: dict[str, object] | None = None) -> Minted:
    known = sorting(results or {})
    known.request(json.dumps(user_turn(message_id=USER_MESSAGE)).encode())
    known.answer(call_stream(), [CALL])
    known.request(json.dumps(tool_return(message_id=RETURN_MESSAGE, create_time=1787848294.65)).encode())
    known.answer(answer_stream() + event({"seen": [RETURN_MESSAGE, 1787848294.65]}), [ANSWER])
    return known.minted()


def test_the_server_made_what_no_request_said_before() -> None:
    minted = _calling()
    assert set(minted.ids) == {CONVERSATION.encode(), CALL.encode(), ANSWER.encode()}
    assert minted.tokens == (TOKEN.encode(),)


def test_the_clients_ids_stay_the_clients_also_where_an_answer_repeats_them() -> None:
    assert not {USER_MESSAGE.encode(), RETURN_MESSAGE.encode()} & set(_calling().ids)


def test_a_call_id_is_the_servers_although_the_return_repeats_it() -> None:
    assert CALL.encode() in _calling().ids


def test_a_value_that_a_tool_must_give_is_never_made_anew() -> None:
    assert CALL.encode() not in _calling({"handoff": {"accepted": True, "thread_id": CALL}}).ids


def test_new_values_have_the_length_of_the_old_ones_and_differ_from_them() -> None:
    values = _calling().anew(Counter(), NOW)
    assert values
    for old, new in values.items():
        assert len(new) == len(old)
        assert new != old
    assert len(set(values.values())) == len(values)


def test_a_new_id_is_a_uuid_in_the_letters_of_the_old_one() -> None:
    assert uuid.UUID(fresh_id(CALL.encode(), Counter()).decode()).version == 4
    upper = fresh_id(CALL.upper().encode(), lambda size: b"\xab" * size)
    assert upper == upper.upper()


def test_an_id_that_is_no_uuid_keeps_its_shape() -> None:
    assert fresh_id(b"msg_Ab12-x", lambda size: bytes(range(size))) == b"abc_Ef67-j"


def test_a_new_jwt_can_still_be_read() -> None:
    new = fresh_token(TOKEN.encode(), Counter())
    header, payload, signature = new.split(b".")
    assert json.loads(base64.urlsafe_b64decode(header + b"==")) == {"alg": "none"}
    assert payload == TOKEN.encode().split(b".")[1]
    assert signature != TOKEN.encode().split(b".")[2]


def test_times_move_to_now_and_keep_their_distances_and_digits() -> None:
    minted = Minted(times=(b"1787848267.510629", b"1787848269.010629"))
    assert minted.anew(Counter(), NOW) == {
        b"1787848267.510629": b"1900000000.000000",
        b"1787848269.010629": b"1900000001.500000",
    }


def test_a_short_id_says_nothing_and_stays() -> None:
    known = sorting({})
    known.answer(event({"message_id": "m1"}), ["m1"])
    assert known.minted().ids == ()


def test_every_place_of_a_value_is_patched_also_inside_a_text() -> None:
    body = event({"id": CALL, "text": json.dumps({"call_id": CALL}), "create_time": 1787848267.510629})
    values = {CALL.encode(): b"X" * len(CALL), CREATED.encode(): b"9" * len(CREATED)}
    sent = Body(body, patches(body, values), values).bytes()
    assert sent == body.replace(CALL.encode(), b"X" * len(CALL)).replace(
        CREATED.encode(), b"9" * len(CREATED)
    )


def test_a_value_inside_a_longer_word_is_not_patched() -> None:
    assert patches(b'{"a": "xmsg_12345678"}', [b"msg_12345678"]) == ()
    assert patches(b'{"a": 11787848267.510629}', [CREATED.encode()]) == ()


@pytest.mark.parametrize("body", [b"", b"[1]", b'{"messages": 3}', b'{"messages": [1, {"id": 2}]}'])
def test_a_request_without_readable_messages_has_no_message_ids(body: bytes) -> None:
    assert not any(message_ids(body))
