from __future__ import annotations

import gzip
import sys
import types
import zlib

import pytest

from wiretape_server.recording.decoding import decoder

TEXT = 'data: {"v": "é"}\n\n'.encode() * 50
BARE = zlib.compressobj(wbits=-15)
PACKED = {
    "gzip": gzip.compress(TEXT),
    "x-gzip": gzip.compress(TEXT),
    "GZIP": gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:]),
    "deflate": zlib.compress(TEXT),
    " deflate": BARE.compress(TEXT) + BARE.flush(),
    "": TEXT,
    "identity": TEXT,
}


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("coding", PACKED)
def test_a_body_is_unpacked_as_it_comes(coding: str, size: int) -> None:
    unpack, packed = decoder(coding), PACKED[coding]
    assert unpack is not None
    pieces = [piece for at in range(0, len(packed), size) for piece in unpack.feed(packed[at : at + size])]
    unpack.close()
    assert b"".join(pieces) == TEXT
    assert unpack.fault == ""


def test_what_one_chunk_holds_is_there_when_the_chunk_is() -> None:
    packer, unpack = zlib.compressobj(wbits=31), decoder("gzip")
    assert unpack is not None
    for text in (b"data: 1\n\n", b"data: 2\n\n"):
        chunk = packer.compress(text) + packer.flush(zlib.Z_SYNC_FLUSH)
        assert b"".join(unpack.feed(chunk)) == text


@pytest.mark.parametrize("cut", [5, 15, -1])
def test_a_body_that_ends_early_says_so(cut: int) -> None:
    unpack = decoder("gzip")
    assert unpack is not None
    assert TEXT.startswith(b"".join(unpack.feed(gzip.compress(TEXT)[:cut])))
    unpack.close()
    assert unpack.fault == "the gzip body ends early"


def test_a_damaged_body_says_so_and_gives_nothing_more() -> None:
    unpack = decoder("gzip")
    assert unpack is not None
    assert list(unpack.feed(b"this is no gzip")) == []
    assert unpack.fault.startswith("the gzip body is damaged")
    assert list(unpack.feed(gzip.compress(TEXT))) == []


def test_a_small_chunk_that_holds_much_is_unpacked_in_pieces() -> None:
    unpack = decoder("gzip")
    assert unpack is not None
    sizes = [len(piece) for piece in unpack.feed(gzip.compress(bytes(5 << 20)))]
    assert sum(sizes) == 5 << 20
    assert max(sizes) <= 1 << 20


def test_a_coding_that_nobody_knows_has_no_decoder() -> None:
    assert decoder("compress") is None
    assert decoder("gzip, br") is None


def test_br_needs_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("brotli", "brotlicffi"):
        monkeypatch.setitem(sys.modules, name, None)
    assert decoder("br") is None
    monkeypatch.setitem(sys.modules, "brotlicffi", _fake_brotli())
    unpack = decoder("br")
    assert unpack is not None
    assert list(unpack.feed(b"abc")) == [b"ABC"]
    unpack.close()
    assert unpack.fault == "the br body ends early"


def test_a_damaged_br_body_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "brotli", _fake_brotli())
    unpack = decoder("br")
    assert unpack is not None
    assert list(unpack.feed(b"!")) == []
    assert unpack.fault == "the br body is damaged: no brotli"
    assert list(unpack.feed(b"abc")) == []


@pytest.mark.parametrize("name", ["brotli", "brotlicffi"])
def test_the_real_library_takes_br_off(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    library = pytest.importorskip(name, reason=f"{name} is not installed: br is tried with a stand-in only")
    monkeypatch.setitem(sys.modules, "brotlicffi" if name == "brotli" else "brotli", None)
    packed = library.compress(TEXT)
    for size in (1, 7, len(packed)):
        unpack = decoder("br")
        assert unpack is not None
        pieces = [p for at in range(0, len(packed), size) for p in unpack.feed(packed[at : at + size])]
        unpack.close()
        assert (b"".join(pieces), unpack.fault) == (TEXT, "")
    for body, fault in ((packed[:-3], "the br body ends early"), (b"no br at all", "is damaged"), (b"", "")):
        unpack = decoder("br")
        assert unpack is not None
        assert TEXT.startswith(b"".join(unpack.feed(body) if body else []))
        unpack.close()
        assert fault in unpack.fault
    unpack = decoder("br")
    assert unpack is not None
    sizes = [len(piece) for piece in unpack.feed(library.compress(bytes(5 << 20)))]
    assert sum(sizes) == 5 << 20
    assert max(sizes) <= 2 << 20


def _fake_brotli() -> types.ModuleType:
    class Decompressor:
        def process(self, data: bytes) -> bytes:
            if data == b"!":
                raise ValueError("no brotli")
            return data.upper()

        def is_finished(self) -> bool:
            return False

    library = types.ModuleType("brotli")
    library.Decompressor = Decompressor  # type: ignore[attr-defined]
    library.error = ValueError  # type: ignore[attr-defined]
    return library
