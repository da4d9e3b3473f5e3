from __future__ import annotations

import pytest

from tests.recording.stage import answer, chunk, head
from wiretape_server.recording.framing import AnswerReader

CHUNKED = answer(b"", chunks=[b"data: 1\n\n", b"d", "ata: é\n\n".encode()])
SIZED = answer(b"data: 1\n\n")
UNSIZED = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nto the end"


def read(data: bytes, size: int, method: str = "POST") -> tuple[AnswerReader, list[bytes]]:
    """Feed an answer in pieces of this size, then end the connection."""
    reader = AnswerReader(method)
    pieces = [
        piece for start in range(0, len(data), size) for piece in reader.feed(data[start : start + size])
    ]
    return reader, pieces + reader.close()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1000])
def test_the_pieces_of_a_chunked_body_are_its_chunks_however_it_is_cut(size: int) -> None:
    reader, pieces = read(CHUNKED, size)
    assert pieces == [b"data: 1\n\n", b"d", "ata: é\n\n".encode()]
    assert reader.ended
    assert reader.keeps_alive


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_a_body_with_a_length_ends_at_it(size: int) -> None:
    reader, pieces = read(SIZED, size)
    assert b"".join(pieces) == b"data: 1\n\n"
    assert reader.keeps_alive


@pytest.mark.parametrize(("second", "ended"), [("9", True), ("10", False)])
def test_a_length_may_be_said_twice_but_not_in_two_ways(second: str, ended: bool) -> None:
    reader = AnswerReader("POST")
    reader.feed(SIZED.replace(b"\r\n\r\n", f"\r\nContent-Length: {second}\r\n\r\n".encode()))
    assert reader.ended is ended


def test_a_body_without_length_or_chunks_ends_with_the_connection() -> None:
    reader, pieces = read(UNSIZED, 7)
    assert (b"".join(pieces), reader.ended, reader.keeps_alive) == (b"to the end", True, False)


@pytest.mark.parametrize("data", [head() + b"5\r\nab", answer(b"abc")[:-1], b"HTTP/1.1 200"])
def test_a_connection_that_ends_early_does_not_end_the_answer(data: bytes) -> None:
    reader, pieces = read(data, 4)
    assert not reader.ended
    assert b"".join(pieces) in (b"ab", b"")


def test_a_part_of_a_chunk_is_kept_when_the_connection_ends() -> None:
    assert read(head() + chunk(b"whole") + b"5\r\nab", 1000)[1] == [b"whole", b"ab"]


def test_a_chunk_that_is_very_long_is_given_in_parts() -> None:
    body = bytes(3 << 20)
    reader, pieces = read(head() + chunk(body) + b"0\r\n\r\n", 64 * 1024)
    assert b"".join(pieces) == body
    assert len(pieces) == 3
    assert reader.ended


def test_chunk_extensions_and_trailers_are_read_over() -> None:
    reader, pieces = read(head() + b'3;name="x"\r\nabc\r\n0\r\nx-sum: 1\r\nx-more: 2\r\n\r\n', 1)
    assert (pieces, reader.ended) == ([b"abc"], True)


@pytest.mark.parametrize(
    ("method", "status"), [("HEAD", "200 OK"), ("POST", "204 No Content"), ("GET", "304 No")]
)
def test_some_answers_have_no_body_whatever_their_headers_say(method: str, status: str) -> None:
    data = f"HTTP/1.1 {status}\r\nContent-Length: 5\r\n\r\n".encode()
    reader, pieces = read(data, 1000, method)
    assert (pieces, reader.ended, reader.keeps_alive) == ([], True, True)


def test_an_interim_answer_is_not_the_answer() -> None:
    reader, pieces = read(b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n" + SIZED, 3)
    assert reader.head is not None
    assert (reader.head.status, b"".join(pieces)) == (200, b"data: 1\n\n")


def test_headers_keep_their_order_and_their_names_and_are_found_in_any_case() -> None:
    reader, _ = read(b"HTTP/1.1 200 OK\r\nX-B: 1\r\nx-a:2\r\nX-B: 3\r\nContent-Length: 0\r\n\r\n", 5)
    assert reader.head is not None
    assert reader.head.headers[:3] == (("X-B", "1"), ("x-a", "2"), ("X-B", "3"))
    assert reader.head.get("x-b") == "1, 3"


@pytest.mark.parametrize(
    ("line", "keeps"), [("HTTP/1.0", False), ("HTTP/1.1", True)], ids=["1.0 closes", "1.1 stays"]
)
def test_a_connection_stays_as_the_version_says(line: str, keeps: bool) -> None:
    assert read(f"{line} 200 OK\r\nContent-Length: 0\r\n\r\n".encode(), 9)[0].keeps_alive is keeps


def test_connection_close_and_bytes_behind_the_answer_end_a_connection() -> None:
    assert not read(answer(b"", connection="close"), 1000)[0].keeps_alive
    assert not read(SIZED + b"HTTP/1.1 200", 1000)[0].keeps_alive


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"SSH-2.0-OpenSSH\r\n", "expected an HTTP/1.1 answer, got b'S"),
        (b"HTTP/2 200\r\n\r\n", "expected an HTTP/1.1 answer's head"),
        (b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "expected an HTTP/1.1 answer's head"),
        (head() + b"zz\r\nabc", "expected the size of a chunk, got 4 bytes that begin with none"),
        (head() + b"-3\r\nabc", "expected the size of a chunk, got 4 bytes that begin with none"),
        (head() + b"1\r\nabc\r\n", "expected the end of a chunk behind 1 bytes, got more"),
    ],
)
def test_what_is_no_http_has_a_fault_and_is_never_an_error(data: bytes, fault: str) -> None:
    reader, _ = read(data, 1)
    assert fault in reader.fault
    assert not reader.ended
    assert reader.feed(b"more") == []


def test_a_head_without_an_end_is_given_up() -> None:
    reader, _ = read(b"HTTP/1.1 200 OK\r\n" + b"x" * (2 << 20), 64 * 1024)
    assert "expected an HTTP/1.1 answer's head, got" in reader.fault


@pytest.mark.parametrize(
    "data",
    [
        b"key sk-live4711abcdefghijkl\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nset-cookie a=opaque4711\r\n\r\n",
        head() + b'{"accessToken": "opaque4711"}\r\n',
        head() + b'1\r\n{"accessToken": "opaque4711"}\r\n',
    ],
)
@pytest.mark.parametrize("size", [1, 1000])
def test_a_fault_quotes_nothing_that_may_be_a_secret(data: bytes, size: int) -> None:
    reader, _ = read(data, size)
    assert reader.fault
    assert "4711" not in reader.fault
