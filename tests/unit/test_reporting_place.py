"""Where a finding's path leads in the bytes that a client sent, and how the message around it is shown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiretape import strictjson
from wiretape.reporting import exhibit
from wiretape.reporting.contrast import contrast
from wiretape.reporting.exhibit import Exhibits
from wiretape.reporting.outline import outline
from wiretape.reporting.place import Place, find
from wiretape.strictjson import ABSENT
from wiretape.transcript import Body, Frame, Request, Response, Transcript

LIST = '[ 1 , {"b.c": "x\\u00e9\\ud83d\\ude00", "b": {"c": null}} ]'
TEXT = ' { "a" : ' + LIST + ' , "t": "{\\"in\\": [\\"\\u00e9\\", 2]}" } '


@pytest.mark.parametrize(
    ("path", "leads_to", "missing"),
    [
        ("", TEXT.strip(), ""),
        ("a[0]", "1", ""),
        ("a[1].b.c", '"x\\u00e9\\ud83d\\ude00"', ""),
        ("a[1].b", '{"c": null}', ""),
        ("t.in[1]", "2", ""),
        ("t.in[0]", '\\"\\u00e9\\"', ""),
        ("t.in[7]", '[\\"\\u00e9\\", 2]', "[7]"),
        ("t", '"{\\"in\\": [\\"\\u00e9\\", 2]}"', ""),
        ("a[2].x", LIST, "[2].x"),
        ("a[0].x", "1", "x"),
        ("z.y", TEXT.strip(), "z.y"),
    ],
)
def test_a_path_leads_to_the_characters_of_its_value(path: str, leads_to: str, missing: str) -> None:
    place = find(TEXT, path)
    assert (TEXT[place.start : place.end], place.missing) == (leads_to, missing)


def test_a_path_into_a_text_that_holds_no_json_ends_at_the_text() -> None:
    assert find('{"t": "{no"}', "t.x") == Place(6, 11, ("t",), "x")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abé", min_size=1), inner, max_size=3)
    ),
    max_leaves=12,
)


def paths(value: Any, path: str = "") -> list[tuple[str, Any]]:
    found = [(path, value)]
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, each in members:
        found += paths(each, f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}")
    return found


@given(VALUES, st.booleans())
def test_every_value_is_found_by_its_path(value: Any, spaced: bool) -> None:
    text = strictjson.dumps(value, spaced=spaced)
    for path, each in paths(value):
        place = find(text, path)
        assert strictjson.identical(json.loads(text[place.start : place.end]), each)


def written(value: Any, path: str) -> list[str]:
    lines = outline(value, find(strictjson.dumps(value), path))
    return [("> " if line.marked else "  ") + line.text for line in lines]


def test_an_outline_marks_a_value_and_folds_what_lies_off_its_way() -> None:
    value = {"many": [1, 2], "one": [{}], "message": {"author": {"a": 1}, "to": "all", "none": []}}
    assert written(value, "message.to") == [
        "  {",
        '    "many": [… 2 items]',
        '    "one": [… 1 item]',
        '    "message": {',
        '      "author": {… 1 member}',
        '>     "to": "all"',
        '      "none": []',
        "    }",
        "  }",
    ]


def test_an_outline_marks_all_of_an_object() -> None:
    assert written({"a": {"b": {"c": 1}, "d": 2}, "e": {"f": 1, "g": 2}}, "a") == [
        "  {",
        '>   "a": {',
        '>     "b": {',
        '>       "c": 1',
        ">     }",
        '>     "d": 2',
        ">   }",
        '    "e": {… 2 members}',
        "  }",
    ]


def test_an_outline_shows_where_something_is_not() -> None:
    assert written({"a": {}}, "a.b") == ["  {", '    "a": {', '>     "b": (is not there)', "    }", "  }"]


def test_an_outline_goes_on_in_the_json_that_a_text_holds() -> None:
    assert written({"text": '{"call_id": "x", "n": [1, 2]}'}, "text.call_id") == [
        "  {",
        '    "text": a text, which holds',
        "      {",
        '>       "call_id": "x"',
        '        "n": [… 2 items]',
        "      }",
        "  }",
    ]


def test_an_outline_is_cut_around_what_it_marks() -> None:
    lines = written({f"key{n}": n for n in range(100)}, "key50")
    assert lines[0] == lines[-1] == "  …"
    assert '>   "key50": 50' in lines
    assert len(lines) < 40


def session(*bodies: bytes) -> Exhibits:
    requests = [
        Request(
            number=n,
            method="POST",
            path="/x",
            headers=(("authorization", "Bearer s3cr3t-t0ken-value"),),
            body=body,
            at=0,
        )
        for n, body in enumerate(bodies, 1)
    ]
    answer = Response(number=1, status=200, headers=(), body=Body(b"{}"), at=0)
    return Exhibits(Transcript(protocol="flow_a", entries=[*requests, answer]))


def test_an_exhibit_gives_the_offset_in_bytes_and_what_stands_around() -> None:
    body = '{"é": "ü", "to": "all", "then": 1}'.encode()
    shown = session(b"", body).exhibit("POST …/x (request 2)", "to")
    assert shown is not None
    at = slice(shown["offset"], shown["offset"] + shown["length"])
    assert body[at] == b'"all"'
    assert (shown["place"], shown["before"], shown["value"]) == ("request 2", '{"é": "ü", "to": ', '"all"')
    assert shown["after"] == ', "then": 1}'


def test_of_a_huge_message_with_many_faults_the_first_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exhibit, "_MOST_READ", 100)
    shown = session(b'{"a": "' + b"x" * 30 + b'"}', b"x" * 500)
    assert [shown.exhibit("POST …/x (request 1)", "a") is not None for _ in range(4)] == [True] * 2 + [
        False
    ] * 2
    assert session(b"x" * 500).exhibit("POST …/x (request 1)", "") is not None


def test_an_exhibit_never_cuts_a_character_in_two() -> None:
    for pad in range(4):
        body = json.dumps({"x": "€" * 40 + "a" * pad, "to": 1, "y": "€" * 60}, ensure_ascii=False).encode()
        shown = session(body).exhibit("(request 1)", "to")
        assert shown is not None
        assert "\\x" not in shown["before"] + shown["after"]
        assert shown["before"].startswith("…€")
        assert shown["after"].endswith("€…")


def test_a_long_value_is_cut_and_says_its_length() -> None:
    shown = session(b'{"x": "' + b"y" * 1000 + b'"}').exhibit("(request 1)", "x")
    assert shown is not None
    assert shown["value"].endswith("y… (1002 bytes)")
    assert shown["after"] == ""


@pytest.mark.parametrize(
    ("body", "offset"),
    [(b'{"a": 1, b}', 9), ('{"é": nul}'.encode(), 7), (b'{"a": "\xff"}', 7), (b'{"a": 1, "a": 2}', 0)],
)
def test_of_a_body_that_is_no_json_the_exhibit_begins_where_it_ceases_to_be(body: bytes, offset: int) -> None:
    shown = session(body).exhibit("(request 1)", "")
    assert shown is not None
    assert (shown["offset"], shown["offset"] + shown["length"], shown["lines"]) == (offset, len(body), [])


def test_a_finding_about_a_whole_request_shows_its_beginning() -> None:
    shown = session(b'{"a": 1}').exhibit("(request 1)", "")
    assert shown is not None
    assert (shown["offset"], shown["value"], shown["lines"]) == (0, '{"a": 1}', [])


@pytest.mark.parametrize(
    ("at", "path"),
    [
        *(("(request 9)", ""), ("the connection", ""), ("answer to POST /x (request 1)", "")),
        ("(request 1)", "header x-conduit-token"),
    ],
)
def test_what_is_no_message_of_the_client_has_no_exhibit(at: str, path: str) -> None:
    assert session(b"{}").exhibit(at, path) is None


def test_frames_are_counted_over_both_directions() -> None:
    frames = [
        Frame(direction="server", data=b'{"id": 1}', connection="", at=0),
        Frame(direction="client", data=b'{"id": 1, "result": 2}', connection="", at=0),
    ]
    shown = Exhibits(Transcript(protocol="codex", entries=[*frames])).exhibit(
        "answer to id 1 (frame 2, c1)", "result"
    )
    assert shown is not None
    assert (shown["place"], shown["value"]) == ("frame 2", "2")


def test_a_secret_of_a_header_is_hidden_wherever_it_stands() -> None:
    exhibits = session(b'{"to": "s3cr3t-t0ken-value"}')
    assert "s3cr3t" not in json.dumps(exhibits.exhibit("(request 1)", "to"))
    assert "s3cr3t" not in json.dumps(exhibits.hide({"got": ["s3cr3t-t0ken-value"]}))


@pytest.mark.parametrize(
    ("want", "got", "marks"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 4}, ["same", "same", "differs", "extra", "same"]),
        ([1], [], ["same", "missing", "same"]),
    ],
)
def test_objects_and_lists_are_laid_side_by_side(want: object, got: object, marks: list[str]) -> None:
    told = contrast(want, got)
    assert told is not None
    assert [line["mark"] for line in told["lines"]] == marks


@pytest.mark.parametrize(
    ("want", "got", "parts_at"),
    [("the same beginning", "the same ending", 9), ("as long as it is", "as long as", 10)],
)
def test_of_two_texts_it_is_told_where_they_part(want: str, got: str, parts_at: int) -> None:
    assert contrast(want, got) == {"parts_at": parts_at}


@pytest.mark.parametrize(
    ("want", "got"), [("all", "none"), (1, True), ("a", ABSENT), ({}, []), ("a UUID", 7)]
)
def test_values_that_speak_for_themselves_have_no_contrast(want: object, got: object) -> None:
    assert contrast(want, got) is None
