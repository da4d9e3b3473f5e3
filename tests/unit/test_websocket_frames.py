"""Messages read out of a websocket's bytes."""

from __future__ import annotations

import pytest

from wiretape_server.recording.websocket_frames import BINARY, CLOSE, TEXT, Message, MessageReader, unmasked

KEY = b"\x01\x02\x03\x04"


def frame(kind: int, data: bytes, *, final: bool = True, key: bytes = b"") -> bytes:
    size = len(data)
    code = size if size < 126 else 126 if size < 1 << 16 else 127
    length = b"" if size < 126 else size.to_bytes(2 if size < 1 << 16 else 8, "big")
    body = unmasked(data, key) if key else data
    return bytes([kind | final << 7, code | (128 if key else 0)]) + length + key + body


@pytest.mark.parametrize("size", [0, 1, 63, 64, 125, 126, 65_535, 65_536])
@pytest.mark.parametrize("key", [b"", KEY])
def test_a_message_of_any_length_is_read_with_and_without_a_mask(size: int, key: bytes) -> None:
    data = bytes(range(256)) * (size // 256 + 1)
    assert MessageReader().feed(frame(TEXT, data[:size], key=key)) == [Message(TEXT, data[:size])]


def test_a_mask_hides_and_shows() -> None:
    assert unmasked(b"Hello", b"\x37\xfa\x21\x3d") == b"\x7f\x9f\x4d\x51\x58"
    long = b"abc" * 100
    assert unmasked(long, KEY) != long
    assert unmasked(unmasked(long, KEY), KEY) == long


def test_bytes_may_come_one_by_one() -> None:
    reader = MessageReader()
    data = frame(TEXT, b"one", key=KEY) + frame(BINARY, b"two") + frame(CLOSE, b"\x03\xe8")
    heard = [message for byte in data for message in reader.feed(bytes([byte]))]
    assert heard == [Message(TEXT, b"one"), Message(BINARY, b"two"), Message(CLOSE, b"\x03\xe8")]


def test_a_ping_between_fragments_does_not_part_them() -> None:
    data = frame(TEXT, b"a", final=False) + frame(9, b"ping") + frame(0, b"b", final=False) + frame(0, b"c")
    assert MessageReader().feed(data) == [Message(TEXT, b"abc")]


def test_half_a_frame_is_no_message() -> None:
    assert MessageReader().feed(frame(TEXT, b"whole")[:-1]) == []
