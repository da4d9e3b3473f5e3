"""The arguments that a model writes: handed on when they are JSON, else refused in the server's words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.codex_client import DONE, Bench, calls


@pytest.mark.parametrize(
    ("arguments", "parsed"),
    [
        ("[1, 2]", [1, 2]),
        ('"x"', "x"),
        ("null", None),
        ('{"n": 1.5e0}', {"n": 1.5}),
        ('"\\ud83d\\ude00"', "😀"),
    ],
)
def test_arguments_are_any_json_and_held_to_no_schema(arguments: str, parsed: Any) -> None:
    client = Bench(calls("call_1", arguments=arguments), DONE).client()
    client.start_turn(client.start_thread())
    assert client.asked()[0]["params"]["arguments"] == parsed


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("{x", "key must be a string at line 1 column 2"),
        ("", "EOF while parsing a value at line 1 column 0"),
        ("not json", "expected ident at line 1 column 2"),
        ('{"a" 1}', "expected `:` at line 1 column 6"),
        ('{"a": 1 2}', "expected `,` or `}` at line 1 column 9"),
        ('{"a": "x', "EOF while parsing a string at line 1 column 8"),
        ("{} x", "trailing characters at line 1 column 4"),
        ("NaN", "expected value at line 1 column 1"),
        ("1e999", "number out of range"),
        ('{"a": "\\', "EOF while parsing a string at line 1 column 8"),
        ('"\\u12"', "EOF while parsing a string at line 1 column 6"),
        ('"\\u12g4"', "invalid escape at line 1 column 7"),
        ("1.x", "invalid number at line 1 column 3"),
        ("[true, fals]", "expected ident at line 1 column 12"),
        ("[1.5e+1, -0, 1E-2", "EOF while parsing a list at line 1 column 17"),
        ('{"\\u00e9\\n": null', "EOF while parsing an object at line 1 column 17"),
        ('"\\ud800"', "unexpected end of hex escape at line 1 column 8"),
        ('"\\ud800\\n"', "unexpected end of hex escape at line 1 column 9"),
        ('"\\ud800\\u0041"', "lone leading surrogate in hex escape at line 1 column 13"),
        ('"\\udc00"', "lone leading surrogate in hex escape at line 1 column 7"),
        ("[" * 200 + "]" * 200, "recursion limit exceeded at line 1 column 128"),
        ("[" * 100_000, "recursion limit exceeded at line 1 column 128"),
    ],
)
def test_arguments_that_are_no_json_never_reach_the_client(arguments: str, complaint: str) -> None:
    bench = Bench(calls("call_1", arguments=arguments), DONE)
    client = bench.client()
    client.start_turn(client.start_thread())
    assert client.asked() == []
    assert client.items() == []
    assert bench.model.outputs() == [f"failed to parse function arguments: {complaint}"]
