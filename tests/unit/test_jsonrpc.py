from __future__ import annotations

import pytest

from wiretape.jsonrpc import Answer, Call, Failure, LineDecoder, Notice, Unreadable, read, same_id
from wiretape.strictjson import ABSENT


def test_a_line_may_come_in_any_pieces() -> None:
    decoder = LineDecoder()
    assert decoder.feed(b'{"id"') == []
    assert decoder.feed(b":1") == []
    assert decoder.feed(b'}\n{"a":1}\n\n{"b"') == [b'{"id":1}', b'{"a":1}', b""]
    assert decoder.feed(b":2}") == []
    assert decoder.close() == [b'{"b":2}']
    assert decoder.close() == []


def test_a_line_has_no_limit() -> None:
    decoder, piece = LineDecoder(), b"x" * 65_536
    assert [line for _ in range(200) for line in decoder.feed(piece)] == []
    assert [len(line) for line in decoder.feed(b"\n")] == [200 * 65_536]


@pytest.mark.parametrize(
    ("left", "right"), [(0, "0"), (0, 0.0), (0, False), (1, True), ("a", "b"), (0, None)]
)
def test_ids_that_look_alike_are_not_the_same(left: object, right: object) -> None:
    assert not same_id(left, right)
    assert same_id(left, left)
    assert same_id(right, right)


def test_a_request_has_an_id_and_a_method() -> None:
    message = read(b'{"jsonrpc":"2.0","id":"a-b","method":"m","params":null}')
    assert isinstance(message, Call)
    assert (message.id, message.method, message.params) == ("a-b", "m", None)
    assert message.value["jsonrpc"] == "2.0"


@pytest.mark.parametrize("number", [0, -1, 2**63 - 1, -(2**63)])
def test_an_id_is_any_whole_number_of_64_bits(number: int) -> None:
    message = read(b'{"id":%d,"result":null}' % number)
    assert isinstance(message, Answer)
    assert message.id == number
    assert message.result is None


@pytest.mark.parametrize(
    "text", ["null", "1.5", "0.0", "true", "[]", "9223372036854775808", "-9223372036854775809"]
)
def test_a_request_whose_id_is_none_is_a_notification(text: str) -> None:
    message = read(b'{"id":%s,"method":"m"}' % text.encode())
    assert isinstance(message, Notice)
    assert (message.method, message.params) == ("m", ABSENT)
    assert "id" in message.value


def test_a_method_makes_a_request_of_what_has_a_result_too() -> None:
    assert isinstance(read(b'{"id":0,"method":"item/tool/call","result":{}}'), Call)


def test_a_result_counts_where_an_error_stands_beside_it() -> None:
    message = read(b'{"id":0,"result":1,"error":{"code":1,"message":"m"}}')
    assert isinstance(message, Answer)
    assert message.result == 1


def test_an_error_has_code_message_and_perhaps_data() -> None:
    message = read(b'{"id":0,"error":{"code":-32000,"message":"m","data":null}}')
    assert isinstance(message, Failure)
    assert (message.code, message.message, message.data) == (-32000, "m", None)
    bare = read(b'{"id":0,"error":{"code":0,"message":""}}')
    assert isinstance(bare, Failure)
    assert bare.data is ABSENT


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("not json", "json"),
        ("", "json"),
        ('{"id":0', "json"),
        ('{"id":0,"id":1,"result":{}}', "json"),
        ('{"id":0,"result":1,"result":2}', "json"),
        ('{"id":0,"method":"a","method":"b"}', "json"),
        ('{"id":0,"method":"a","params":{},"params":{}}', "json"),
        ('{"id":0,"error":{"code":1,"message":"m","code":2}}', "json"),
        ('[{"id":0,"id":0}]', "batch"),
        (r'{"id":0,"result":"\ud800"}', "json"),
        (r'{"id":0,"result":{"\udc00":1,"\udc00":2}}', "json"),
        ('{"id":0,"result":' + "[" * 127 + "]" * 127 + "}", "json"),
        ('{"id":0,"result":NaN}', "json"),
        ("[" * 100_000, "json"),
        ('{"id":0,"result":{}} x', "json"),
        ('{"id":0,"result":{}}\n{"id":1,"result":{}}', "several"),
        ('{"method":"a"}{"method":"b"}', "several"),
        ('{"method":"a"} [1]', "several"),
        ("[]", "batch"),
        ('[{"id":1,"method":"m"}]', "batch"),
        ('{"foo":1}', "shape"),
        ('"text"', "shape"),
        ('{"id":88,"method":5}', "method"),
        ('{"id":0}', "neither"),
        ('{"id":null}', "neither"),
        ('{"id":0.0,"result":{}}', "id"),
        ('{"id":null,"error":{"code":1,"message":"m"}}', "id"),
        ('{"id":true,"result":{}}', "id"),
        ('{"id":0,"error":null}', "error"),
        ('{"id":0,"error":{"message":"m"}}', "error"),
        ('{"id":0,"error":{"code":1}}', "error"),
        ('{"id":0,"error":{"code":"1","message":"m"}}', "error"),
        ('{"id":0,"error":{"code":1.5,"message":"m"}}', "error"),
        ('{"id":0,"error":{"code":true,"message":"m"}}', "error"),
        ('{"id":0,"error":{"code":9223372036854775808,"message":"m"}}', "error"),
        ('{"id":0,"error":{"code":-9223372036854775809,"message":"m"}}', "error"),
    ],
)
def test_what_the_server_cannot_read_is_unreadable_with_the_reason(text: str, kind: str) -> None:
    message = read(text.encode())
    assert isinstance(message, Unreadable)
    assert message.kind == kind
    assert message.reason


def test_of_two_members_within_a_result_the_last_one_counts() -> None:
    message = read(b'{"id":0,"result":{"success":true,"success":false}}')
    assert isinstance(message, Answer)
    assert message.result == {"success": False}


def test_a_member_that_nobody_looks_at_may_come_twice() -> None:
    call = read(b'{"id":0,"method":"m","more":1,"more":2,"error":{"code":1,"code":2}}')
    assert isinstance(call, Call)
    assert call.value["more"] == 2
    failure = read(b'{"id":0,"error":{"code":1,"message":"m","more":1,"more":2},"result":1,"result":2}')
    assert isinstance(failure, Failure)


def test_a_request_with_two_ids_is_a_notification() -> None:
    message = read(b'{"id":95,"id":96,"method":"m","params":{}}')
    assert isinstance(message, Notice)
    assert message.value["id"] == 96


def test_a_message_may_be_as_deep_as_the_server_reads() -> None:
    assert isinstance(read(b'{"id":0,"result":' + b"[" * 126 + b"]" * 126 + b"}"), Answer)


def test_a_pair_of_surrogates_is_a_character() -> None:
    message = read(rb'{"id":0,"result":"\ud83d\ude00"}')
    assert isinstance(message, Answer)
    assert message.result == "\N{GRINNING FACE}"


def test_invalid_utf8_is_unreadable() -> None:
    message = read(b'{"method":"\xff"}')
    assert isinstance(message, Unreadable)
    assert message.kind == "json"
    assert message.value is ABSENT


def test_blanks_around_a_message_mean_nothing() -> None:
    assert isinstance(read(b' {"method":"m"}\r'), Notice)
