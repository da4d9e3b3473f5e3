"""Every cassette that can't be used is refused with file, place, what was wanted, what came, what to do."""

from __future__ import annotations

import re

import pytest

from wiretape.cassette import CassetteError, document, loads

GOOD = """\
format: 1
protocol: flow_a
title: A short one
provenance:
  kind: synthetic
interactions:
- request:
    method: POST
    path: /backend-api/f/conversation
    headers:
      content-type: application/json
    body: |-
      {"action":"next"}
  response:
    status: 200
    end: complete
    chunks: |+
      0+9
      12.5+4
    body: |+
      data: {}\x20\x20\x20

"""
BROKEN_SUM = r"interactions\[0\].response.chunks"


def refused(text: str | bytes) -> str:
    with pytest.raises(CassetteError) as caught:
        loads(text.encode() if isinstance(text, str) else text, source="shelf/short.yaml")
    return str(caught.value)


def edited(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


def test_blocks_of_what_is_no_mapping_have_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "IN_C", False)
    monkeypatch.setattr(document, "cut_blocks", lambda _data: (b"[]\n", [("body", b"x")]))
    assert document.read_document(b"[]\n") == []


def test_the_file_that_the_refusals_spoil_is_good() -> None:
    response = loads(GOOD.encode()).interactions[0].response
    assert response.body == b"data: {}   \n\n"


CASES = {
    "not YAML": ("title: A short", "title: [A short", "line 4, column 1", "YAML", "expected"),
    "not UTF-8": ("A short one", "\udcff", "the file's bytes|line", "YAML", "UTF-8|utf-8|codec"),
    "unknown key": ("title:", "titel:", "the top level", "only these keys: format", "did you mean 'title'"),
    "unknown key in the provenance": ("kind:", "kinds:", "provenance", "only these keys: kind", "'kinds'"),
    "unknown key in a request": (
        "method:",
        "verb:",
        r"interactions\[0\].request",
        "only these keys",
        "'verb'",
    ),
    "unknown key in a response": ("end:", "ends:", r"interactions\[0\].response", "only these keys", "'end'"),
    "unknown key in an interaction": (
        "  response:",
        "  answer:",
        r"interactions\[0\]",
        "request",
        "'answer'",
    ),
    "duplicate key": ("title: A", "format: 1\ntitle: A", "line 3", "once", "a second 'format'"),
    "duplicate key deep down": ("status: 200", "status: 200\n    status: 200", "line 16", "once", "'status'"),
    "another format": ("format: 1", "format: 2", "format", "format: 1", "later wiretape"),
    "a format that is true": ("format: 1", "format: true", "format", "format: 1", "True"),
    "a format in quotes": ("format: 1", 'format: "1"', "format", "format: 1", "'1'"),
    "a format with a fraction": ("format: 1", "format: 1.0", "format", "format: 1", "1.0"),
    "no format": ("format: 1\n", "", "format", "format: 1", "no such key"),
    "no title": ("title: A short one\n", "", "the top level", "the key 'title'", "no such key"),
    "unknown protocol": ("flow_a", "flow_b", "protocol", "one of flow_a, codex", "'flow_b'"),
    "unknown kind": ("synthetic", "real", "provenance.kind", "one of recorded", "'real'"),
    "a list as provenance": ("  kind: synthetic", "- synthetic", "provenance", "a mapping", "synthetic"),
    "a number as a title": ("A short one", "12", "title", "text", "12"),
    "a title of null": ("A short one", "null", "title", "text", "None"),
    "a title that is nothing": (" A short one", "", "title", "text", "None"),
    "a number as a header": (" application/json", " 12", r"request.headers.content-type", "text", "12"),
    "a status as text": ("200", '"200"', r"response.status", "an HTTP status", "'200'"),
    "a status of true": ("200", "true", r"response.status", "an HTTP status", "True"),
    "a status that is none": ("200", "99", r"response.status", "an HTTP status", "99"),
    "an unknown end": ("complete", "finished", r"response.end", "one of complete, reset, hang", "'finished'"),
    "a method in small letters": ("POST", "post", r"request.method", "in capitals", "'post'"),
    "a path without its slash": (" /backend", " backend", r"request.path", "begins with /", "'backend"),
    "a body of null": (' |-\n      {"action":"next"}', "", r"request.body", "text, or {base64", "None"),
    "base64 that is none": (
        '|-\n      {"action":"next"}',
        '{base64: "a*"}',
        r"request.body.base64",
        "base64",
        r"'a\*'",
    ),
    "too few bytes in chunks": ("0+9", "0+8", BROKEN_SUM, "13 bytes", "12 bytes, 1 too few"),
    "too many bytes in chunks": ("0+9", "0+19", BROKEN_SUM, "13 bytes", "23 bytes, 10 too many"),
    "blanks taken by an editor": ("{}   ", "{}", BROKEN_SUM, "10 bytes", "3 too many"),
    "a chunk line without a plus": ("12.5+4", "12.5", "its line 2", "DELAY[+]LENGTH", "'12.5'"),
    "a negative delay": ("12.5+4", "-1+5", "its line 2", "DELAY[+]LENGTH", r"'-1\+5'"),
    "a chunk of no bytes": ("12.5+4", "12.5+4\n      1+0", "its line 3", "DELAY[+]LENGTH", r"'1\+0'"),
    "four decimals": ("12.5+4", "12.5000+5", "its line 2", "round delays to three decimals", "12.5000"),
    "a delay with a leading zero": ("12.5+4", "012.5+4", "its line 2", "DELAY[+]LENGTH", "012.5"),
    "ten digits before the point": ("12.5+4", "1234567890+4", "its line 2", "DELAY[+]LENGTH", "1234567890"),
    "an empty line in the chunk table": ("      12.5", "\n      12.5", "its line 2", "DELAY", "''"),
    "full-width digits": ("12.5+4", "１2.5+5", "its line 2", "DELAY", "１2.5"),
    "a python object": (
        "title: A",
        "title: !!python/object/apply:os.getcwd []\nx-a: A",
        "line 3",
        "tags",
        "python",
    ),
    "a python name": ("title: A", "title: !!python/name:os.system\nx-a: A", "line 3", "tags", "os.system"),
    "a harmless tag": ("title: A", "title: !!str A", "line 3", "without YAML tags", "yaml.org,2002:str"),
    "a binary tag": ('|-\n      {"action":"next"}', "!!binary aGk=", "line 12", "tags", "base64"),
    "a tag of its own": ("title: A", "title: !mine A", "line 3", "tags", "!mine"),
    "an anchor": ("title: A", "title: &a A", "line 3", "written out", "'a'"),
    "an alias": ("title: A", "title: *a\nx-a: A", "line 3", "written out", "'a'"),
    "a merge key": ("title: A", "<<: {title: t}\nx-a: A", "line 3", "in quotes", "<<"),
    "a second document": ("interactions:", "---\ninteractions:", "line 6", "one YAML document", "second"),
    "a number as a key": ("title: A", "1: A", "line 3", "text as a key", "1"),
    "a list as a key": ("title: A", "? [a]\n: b\nx-a: A", "line 3", "text as a key", "'a'"),
    "a date without quotes": ("A short one", "2026-08-27", "line 3", "in quotes", "2026-08-27"),
    "yes without quotes": ("A short one", "yes", "line 3", "in quotes", '"yes"'),
    "an octal number": ("200", "0200", "line 15", "as JSON writes them", "0200"),
    "a number out of range": ("200", "1.0e+999", "line 15", "as JSON writes them", "e.999"),
    "frames in a flow_a cassette": (
        "flow_a",
        "flow_a\nframes: |+\n  a\n",
        "the top level",
        "only",
        "'frames'",
    ),
    "exchanges in a codex cassette": (
        "flow_a",
        "codex",
        "the top level",
        "model, client, frames",
        "'interac",
    ),
    "no protocol": ("protocol: flow_a\n", "", "the top level", "the key 'protocol'", "no such key"),
    "a list of protocols": ("flow_a", "[flow_a]", "protocol", "one of flow_a, codex", "'flow_a'"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_spoilt_file_is_refused_with_place_want_and_got(case: str) -> None:
    old, new, at, want, got = CASES[case]
    data = edited(old, new).encode(errors="surrogateescape")
    text = refused(data)
    head, *lines = text.split("\n")
    assert head == "cassette shelf/short.yaml can't be used"
    parts = {line[2:8].strip(): line[8:] for line in lines}
    assert list(parts) == ["at", "want", "got", "hint"]
    assert re.search(at, parts["at"]), text
    assert re.search(want, parts["want"] + parts["hint"]), text
    assert re.search(got, parts["got"] + parts["hint"]), text
    assert parts["hint"]


@pytest.mark.parametrize("text", ["", "# nothing\n", "[1, 2]", "just words", "--- \n...\n"])
def test_what_is_no_mapping_is_refused(text: str) -> None:
    assert "want  a mapping" in refused(text)


def test_an_empty_recording_is_refused() -> None:
    empty = GOOD[: GOOD.index("interactions:")] + "interactions: []\n"
    assert "at    interactions\n  want  at least 1 entry" in refused(empty)


def test_deep_nesting_is_refused_and_not_recursed_into() -> None:
    assert "levels of nesting" in refused("x-deep: " + "[" * 900 + "]" * 900)


def test_a_long_value_is_cut_in_the_message() -> None:
    text = refused(edited("flow_a", "a" * 5000))
    assert "5002 characters" in text
    assert len(text) < 500


@pytest.mark.parametrize("value", ["12", "[]", '"ECHO"', "null"])
def test_a_result_that_is_neither_object_nor_echo_is_refused(value: str) -> None:
    text = refused(edited("interactions:", f"expect:\n  results:\n    tool: {value}\ninteractions:"))
    assert "at    expect.results.tool" in text


@pytest.mark.parametrize(
    ("expect", "at"),
    [("tools: {}", "expect.tools"), ("tools: [1]", "expect.tools[0]"), ("rules: [1]", "expect.rules[0]")],
)
def test_an_expectation_of_the_wrong_type_is_refused(expect: str, at: str) -> None:
    text = refused(edited("interactions:", f"expect:\n  {expect}\ninteractions:"))
    assert f"at    {at}\n" in text


def test_keys_of_ones_own_are_kept() -> None:
    cassette = loads(edited("interactions:", "x-note: {a: [1, 1.0, true, null]}\ninteractions:").encode())
    assert repr(cassette.extensions) == "{'x-note': {'a': [1, 1.0, True, None]}}"


def test_what_is_left_out_has_its_default() -> None:
    short = "format: 1\nprotocol: flow_a\ntitle: t\nprovenance: {kind: synthetic}\n"
    cassette = loads(f"{short}interactions: [{{request: {{method: GET, path: /}}, response: {{}}}}]".encode())
    response = cassette.interactions[0].response
    assert (response.status, response.end, response.body, response.chunks) == (200, "complete", b"", None)
