"""How a cassette is laid out: what is a block, what falls back, and the two ways of reading."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from wiretape.cassette import (
    Cassette,
    CassetteError,
    Chunks,
    Expect,
    Interaction,
    Provenance,
    RecordedRequest,
    RecordedResponse,
    bundled,
    bundled_directory,
    document,
    dumps,
    loads,
    plain_yaml,
)
from wiretape.cassette.blocks import cut_blocks

FILES = [
    bundled_directory() / protocol / f"{name}.yaml"
    for protocol in ("flow_a", "codex")
    for name in bundled(protocol)
]


def a_cassette(body: bytes = b"data: 1\n\n", chunks: Chunks | None = None) -> Cassette:
    request = RecordedRequest(method="POST", path="/backend-api/f/conversation", body=b'{"a":1}')
    response = RecordedResponse(body=body, chunks=chunks)
    return Cassette(
        protocol="flow_a",
        title="t",
        provenance=Provenance(kind="synthetic"),
        interactions=(Interaction(request=request, response=response),),
    )


@pytest.fixture
def cutting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read as without libyaml: blocks are cut out where the layout is canonical."""
    monkeypatch.setattr(document, "IN_C", False)


@pytest.fixture
def only_cutting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, and a file that still has its blocks fails."""
    monkeypatch.setattr(document, "IN_C", False)

    def read_rest(data: bytes) -> object:
        assert b"body: |" not in data
        assert b"frames: |" not in data
        return plain_yaml.read_yaml(data)

    monkeypatch.setattr(document, "read_yaml", read_rest)


def body_of(data: bytes) -> bytes:
    return loads(data).interactions[0].response.body


def test_a_streamed_body_is_one_literal_block_beside_its_chunks() -> None:
    data = dumps(a_cassette(b"data: one \n\ndata: two\n\n", Chunks(delays=(0, 12.5), lengths=(12, 11))))
    expected = (
        "    chunks: |+\n      0+12\n      12.5+11\n    body: |+\n      data: one \n\n      data: two\n\n"
    )
    assert data.endswith(expected.encode())


@pytest.mark.parametrize(
    "data", [b"x", b"x\n", b"x\n\n\n", b"\n\nx", b"x \n \n\n", b"#\n- a: b\n---\n...\n%\n\tx\n"]
)
def test_printable_text_is_held_by_a_block(data: bytes) -> None:
    assert b"    body: |" in dumps(a_cassette(data)).partition(b"response")[2]
    assert body_of(dumps(a_cassette(data))) == data


@pytest.mark.parametrize(
    "text",
    [
        *("", "\n", "\n\n", " x", "\tx", "\n x", "a\rb", "a\r\nb", "\u0085", "a\u2028", "a\u2029"),
        *("\ufeffa", "a\ufeff", "a\x00", "a\x1b", "a\x7f", "a\ufffe", "a\uffff"),
    ],
)
def test_text_that_a_block_would_change_is_quoted(text: str) -> None:
    data = dumps(a_cassette(text.encode())).partition(b"response")[2]
    assert b"body: |" not in data
    assert (b'    body: "' in data) == bool(text)
    assert body_of(dumps(a_cassette(text.encode()))) == text.encode()


def test_bytes_that_are_no_text_are_base64() -> None:
    data = dumps(a_cassette(b"\xff\x00"))
    assert b'    body: {base64: "/wA="}\n' in data
    assert body_of(data) == b"\xff\x00"


def test_a_file_says_on_top_that_blanks_count() -> None:
    first = dumps(a_cassette()).partition(b"\n")[0]
    assert first.startswith(b"#")
    assert b"Blanks at line ends" in first


def test_keys_stand_in_their_order() -> None:
    full = Cassette(
        protocol="flow_a",
        title="t",
        profile="app",
        provenance=Provenance(kind="recorded", captured_at="2026", tool="x", basis=("b",), gaps=("g",)),
        expect=Expect(user_message="u", tools=({"name": "n"},), results={"n": "echo"}, rules=("r",)),
        interactions=(
            Interaction(
                request=RecordedRequest(method="GET", path="/", headers={"a": "b"}, body=b"x"),
                response=RecordedResponse(
                    headers={"a": "b"}, body=b"x", chunks=Chunks(delays=(0,), lengths=(1,))
                ),
            ),
        ),
        extensions={"x-z": 1, "x-a": 2},
    )
    other = yaml.safe_load(dumps(full))
    assert list(other) == [
        *("format", "protocol", "title", "profile", "provenance", "expect", "interactions"),
        *("x-z", "x-a"),
    ]
    assert list(other["provenance"]) == ["kind", "captured_at", "tool", "basis", "gaps"]
    assert list(other["expect"]) == ["user_message", "tools", "results", "rules"]
    assert list(other["interactions"][0]["request"]) == ["method", "path", "headers", "body"]
    assert list(other["interactions"][0]["response"]) == ["status", "headers", "end", "chunks", "body"]


@pytest.mark.parametrize(
    "word", ["yes", "no", "on", "null", "~", "true", "1", "1.0", "0x1", "1e5", "2026-08-27", "12:30"]
)
def test_text_that_looks_like_something_else_is_quoted(word: str) -> None:
    data = dumps(Cassette(**{**as_fields(a_cassette()), "title": word}))
    assert f'title: "{word}"\n'.encode() in data
    assert loads(data).title == word


def as_fields(cassette: Cassette) -> dict[str, object]:
    return {name: getattr(cassette, name) for name in ("protocol", "title", "provenance", "interactions")}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_bundled_file_is_in_canonical_layout(path: Path) -> None:
    data = path.read_bytes()
    assert dumps(loads(data)) == data


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.usefixtures("only_cutting")
def test_the_blocks_of_a_bundled_file_are_cut_out(path: Path) -> None:
    cassette = loads(path.read_bytes())
    assert cassette.frames or cassette.interactions[0].response.chunks


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_bundled_file_gives_the_same_both_ways(path: Path, request: pytest.FixtureRequest) -> None:
    data = path.read_bytes()
    whole = loads(data)
    request.getfixturevalue("cutting")
    assert loads(data) == whole


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_bundled_file_with_windows_line_ends_gives_the_same(path: Path) -> None:
    data = path.read_bytes()
    assert loads(data.replace(b"\n", b"\r\n")) == loads(data)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_bundled_file_that_another_tool_wrote_anew_gives_the_same(path: Path) -> None:
    data = path.read_bytes()
    again = yaml.safe_dump(yaml.safe_load(data), sort_keys=True, width=60)
    assert loads(again.encode()) == loads(data)


UNUSUAL = {
    "a comment behind a block": (b"data: 1\n\n", b"data: 1\n\n# a comment\n"),
    "a line of fewer blanks behind a block": (b"data: 1\n\n", b"data: 1\n\n   \n"),
    "deeper indentation": (b"      data: 1\n", b"        data: 1\n"),
    "a clipped block": (b"body: |+\n      data", b"body: |\n      data"),
    "an indentation indicator": (b"body: |+\n      data", b"body: |2+\n      data"),
    "a comment behind the key": (b"body: |+\n      data", b"body: |+  # text\n      data"),
    "no line end at the end": (b"data: 1\n\n", b"data: 1"),
    "a next line character in a block": (b"data: 1", "data: \u0085 1".encode()),
    "a carriage return in a block": (b"data: 1", b"data: \r 1"),
    "the mark in the text": (b"data: 1", b"data: wiretape-block-0"),
    "the mark as a body": (b'|-\n      {"a":1}', b"wiretape-block-0"),
    "the mark as a body, with an escape": (b'|-\n      {"a":1}', b'"wiretape-bloc\\u006b-0"'),
    "a block within other text": (b"title: t", b'title: "a\n    body: |-\n      b"'),
    "a block in a key of one's own": (b"data: 1\n\n", b"data: 1\n\nx-own:\n  a:\n    body: |+\n      b\n"),
    "a block where no key takes one": (b"    status: 200\n", b"    status: 200\n    body: |+\n      b\n"),
    "a tab before the text": (b"      data: 1\n", b"      data: 1\n\tx\n"),
}


@pytest.mark.parametrize("case", UNUSUAL)
def test_an_unusual_file_is_read_as_yaml_reads_it(case: str, request: pytest.FixtureRequest) -> None:
    old, new = UNUSUAL[case]
    data = dumps(a_cassette())
    assert old in data
    edited = data.replace(old, new, 1)
    whole = outcome(edited)
    request.getfixturevalue("cutting")
    assert outcome(edited) == whole


def outcome(data: bytes) -> object:
    try:
        return loads(data)
    except CassetteError as error:
        return str(error)


def test_a_file_without_blocks_has_nothing_to_cut() -> None:
    assert cut_blocks(b"format: 1\n") is None
    assert cut_blocks(dumps(a_cassette())) is not None


def test_the_pure_python_parser_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    data = FILES[0].read_bytes()
    with_c = loads(data)
    monkeypatch.setattr(plain_yaml, "_SafeLoader", yaml.SafeLoader)
    monkeypatch.setattr(document, "IN_C", False)
    assert loads(data) == with_c
    assert loads(data.replace(b"\n", b"\r\n")) == with_c


def test_the_example_of_the_documentation_is_a_canonical_cassette() -> None:
    page = Path(__file__).parents[2] / "docs" / "cassette-format.md"
    example = page.read_text("utf-8").partition("```yaml\n")[2].partition("```")[0].encode()
    assert dumps(loads(example)) == example
