"""The delta decoder, rule by rule: what an operation does, what is inherited, what an error leaves behind."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.deltas import HIGH, after, holding, kind_of, op
from wiretape.delta import ABSENT, Delta, DeltaDecoder, DeltaError
from wiretape.document import MAX_GAP
from wiretape.strictjson import MAX_DEPTH, dumps, equal, identical


@pytest.mark.parametrize(
    ("root", "delta", "value"),
    [
        # objects
        ({"a": 1}, op("add", "/a", 2), {"a": 2}),
        ({}, op("add", "/a", None), {"a": None}),
        ({"a": 1}, op("add", "/a"), {}),
        ({"a": 1}, op("replace", "/b", 2), {"a": 1, "b": 2}),
        ({"a": 1}, op("replace", "/a"), {}),
        ({"a": 1, "b": 2}, op("remove", "/a", "ignored"), {"b": 2}),
        ({"a": 1}, op("remove", "/b"), {"a": 1}),
        ({"7": "x"}, op("replace", "/7", "y"), {"7": "y"}),
        ({"9999999999": 1}, op("remove", "/9999999999"), {}),
        ({"a/b": {"~": 1}}, op("replace", "/a~1b/~0", 2), {"a/b": {"~": 2}}),
        ({"a": 1}, op("replace", "a", 2), {"a": 2}),
        ({"": 1}, op("replace", "/", 2), {"": 2}),
        # lists
        ([1, 2], op("add", "/0", 0), [0, 1, 2]),
        ([1, 2], op("add", "/2", 3), [1, 2, 3]),
        ([1], op("add", "/9", 2), [1, 2]),
        ([1], op("add", "/9999999999", 2), [1, 2]),
        ([1, 2], op("add", "/1"), [1, None, 2]),
        ([1, 2], op("replace", "/1", 3), [1, 3]),
        ([1, 2], op("replace", "/1"), [1, None]),
        ([1], op("replace", "/3", 4), [1, None, None, 4]),
        ([1, 2, 3], op("remove", "/1"), [1, 3]),
        ([1], op("remove", "/1"), [1]),
        ([1], op("remove", "/9999999999"), [1]),
        # the root
        ({"a": 1}, op("add", "", [2]), [2]),
        ({"a": 1}, op("replace", "", "text"), "text"),
        ({"a": 1}, op("add", ""), ABSENT),
        ({"a": 1}, op("remove", ""), ABSENT),
        # append
        ("x", op("append", "", "y"), "xy"),
        ({"a": "x"}, op("append", "/a", 1.0), {"a": "x1"}),
        ({"a": "x"}, op("append", "/a", None), {"a": "xnull"}),
        ({"a": "x"}, op("append", "/a"), {"a": "xundefined"}),
        ({"a": "x"}, op("append", "/a", [1, [2, None]]), {"a": "x1,2,"}),
        ({"a": "x"}, op("append", "/a", {"b": 1}), {"a": "x[object Object]"}),
        ({"a": [1]}, op("append", "/a", [2, 3]), {"a": [1, 2, 3]}),
        ({"a": [1]}, op("append", "/a", [[2]]), {"a": [1, [2]]}),
        ({"a": [1]}, op("append", "/a", "x"), {"a": [1, "x"]}),
        ({"a": [1]}, op("append", "/a", {"b": 1}), {"a": [1, {"b": 1}]}),
        ({"a": [1]}, op("append", "/a"), {"a": [1, None]}),
        ({"a": {"x": 1, "y": {"z": 1}}}, op("append", "/a", {"y": {}}), {"a": {"x": 1, "y": {}}}),
        ({"a": {"x": 1}}, op("append", "/a", [1]), {"a": [1]}),
        ({"a": {"x": 1}}, op("append", "/a", "text"), {"a": "text"}),
        ({"a": 2}, op("append", "/a", 3), {"a": 3}),
        ({"a": True}, op("append", "/a", "x"), {"a": "x"}),
        ({"a": None}, op("append", "/a", "x"), {"a": "x"}),
        ({"a": 2}, op("append", "/a"), {}),
        ({}, op("append", "/a/0/b", "x"), {"a": [{"b": "x"}]}),
        ([], op("append", "/2", "x"), [None, None, "x"]),
        # truncate
        ("a😀b", op("truncate", "", 3), "a😀"),
        ("a😀b", op("truncate", "", 2), "a" + HIGH),
        ("abc", op("truncate", "", 1.9), "a"),
        ("abc", op("truncate", "", -1), ""),
        ("abc", op("truncate", "", -0.5), ""),
        ("abc", op("truncate", "", 1e300), "abc"),
        ([1, 2, 3], op("truncate", "", 2), [1, 2]),
        ([1, 2, 3], op("truncate", "", -1), [1, 2]),
        ([1, 2, 3], op("truncate", "", -9), []),
        ([1, 2, 3], op("truncate", "", 9), [1, 2, 3]),
        ({"a": 1}, op("truncate", "/a", 0), {"a": 1}),
        ({"a": None}, op("truncate", "/a", 0), {"a": None}),
        ({}, op("truncate", "/a", 0), {}),
        ([1], op("truncate", "/5", 0), [1]),
        # walking creates what is missing, whatever the operation is
        ({}, op("remove", "/a/b/c"), {"a": {"b": {}}}),
        ({}, op("truncate", "/a/0/b", 1), {"a": [{}]}),
        ({}, op("patch", "/a/b", []), {"a": {}}),
        ([], op("remove", "/1/b"), [None, {}]),
        ({"a": {}}, op("add", "/a/00/x", 1), {"a": {"00": {"x": 1}}}),
        # patch
        ({"a": "x"}, op("patch", "", [op("append", "/a", "y"), op("add", "/b", 1)]), {"a": "xy", "b": 1}),
        ({"a": {"b": [1]}}, op("patch", "/a", [op("add", "/b/0", 0)]), {"a": {"b": [0, 1]}}),
        ({"a": 1}, op("patch", "/a", [op("replace", "", 2)]), {"a": 2}),
        ({"a": 1}, op("patch", "/a", [op("remove", "")]), {}),
        ([1, 2], op("patch", "/0", [op("add", "", 3)]), [3, 2]),
        ([1, 2], op("patch", "/0", [op("remove", "")]), [None, 2]),
        ([1], op("patch", "/2", [op("add", "/x", 1)]), [1, None, {"x": 1}]),
        ([1], op("patch", "/2", []), [1]),
        ({"a": {}}, op("patch", "", [op("patch", "/a", [op("add", "/b", 1)])]), {"a": {"b": 1}}),
        ({}, op("patch", "", [{"path": "/a", "op": "add", "value": 1, "c": None}]), {"a": 1}),
        ({}, op("patch", "", [{"p": "/a", "path": 5, "o": "add", "op": 5, "v": 1, "value": 2}]), {"a": 1}),
        ({"a": "x"}, op("patch", "", [op("append", "/a", "y"), op("truncate", "/a", 1)]), {"a": "x"}),
    ],
)
def test_what_an_operation_does(root: Any, delta: dict[str, Any], value: Any) -> None:
    assert identical(after(root, delta), value)


def test_a_hole_is_filled_by_the_walk_where_null_would_be_an_error() -> None:
    assert after([], op("replace", "/1", 1), op("add", "/0/x", 2)) == [{"x": 2}, 1]
    assert kind_of(holding([None, 1]), op("add", "/0/x", 2)) == "container"


@pytest.mark.parametrize(
    ("delta", "kind"),
    [
        ([], "payload"),
        (None, "payload"),
        ("text", "payload"),
        ({"p": None}, "path"),
        ({"p": 0}, "path"),
        ({"o": "move"}, "op"),
        ({"o": None}, "op"),
        ({"o": ["add"]}, "op"),
        ({"o": "patch"}, "patch_value"),
        ({"o": "patch", "v": {}}, "patch_value"),
        ({"o": "patch", "v": ["x"]}, "patch_entry"),
        ({"o": "patch", "v": [{"o": "add", "v": 1}]}, "path"),
        ({"o": "patch", "v": [{"p": None, "path": "", "o": "add"}]}, "path"),
        ({"o": "patch", "v": [{"p": "", "v": 1}]}, "op"),
        ({"o": "patch", "v": [{"p": "", "o": "patch", "v": [{"p": ""}]}]}, "op"),
        ({"o": "patch", "v": [{"p": "", "o": "truncate", "v": True}]}, "truncate_value"),
        ({"o": "truncate", "v": "1"}, "truncate_value"),
        ({"o": "truncate", "v": True}, "truncate_value"),
        ({"o": "truncate"}, "truncate_value"),
        ({"c": None, "v": 1}, "channel"),
        ({"c": "0", "v": 1}, "channel"),
        ({"c": True, "v": 1}, "channel"),
        ({"c": 10**400, "v": 1}, "channel"),
        ({"c": float("nan"), "v": 1}, "channel"),
    ],
)
def test_an_invalid_delta_leaves_value_and_inherited_fields_as_they_were(delta: Any, kind: str) -> None:
    decoder = holding({"a": "x"})
    decoder.push(op("append", "/a", "y"))
    assert kind_of(decoder, delta) == kind
    assert decoder.values == {0: {"a": "xy"}}
    assert decoder.apply({"v": "z"}) == {"a": "xyz"}


@pytest.mark.parametrize(
    ("delta", "kind"),
    [
        (op("add", "/list/x", 1), "index"),
        (op("remove", "/list/-"), "index"),
        (op("truncate", "/list/01", 1), "index"),
        (op("add", "/list/-/x", 1), "index"),
        (op("add", "/null/x", 1), "container"),
        (op("remove", "/text/0"), "container"),
        (op("append", "/number/x/y", 1), "container"),
        (op("replace", "/list/9999999999", 1), "limit"),
        (op("append", "/new/9999999999", 1), "limit"),
        (op("add", "/list/9999999999/x", 1), "limit"),
        (op("replace", f"/list/{MAX_GAP + 3}", 1), "limit"),
        (op("add", "/a" * (MAX_DEPTH + 1), 1), "limit"),
        (op("patch", "/a", [op("add", "/a" * MAX_DEPTH, 1)]), "limit"),
    ],
)
def test_a_delta_that_cannot_be_applied_changes_no_value_but_is_inherited(
    delta: dict[str, Any], kind: str
) -> None:
    root = {"list": [1, 2], "null": None, "text": "x", "number": 1}
    decoder = holding(root)
    assert kind_of(decoder, delta) == kind
    assert decoder.values == {0: root}
    assert decoder.push({"p": "/text"} | ({"v": 1} if delta["o"] != "patch" else {"v": []})).op == delta["o"]


def test_bare_text_after_a_failed_delta_does_not_reach_the_text_before_it() -> None:
    decoder = holding({"text": "a", "list": []})
    decoder.push(op("append", "/text", "b"))
    assert kind_of(decoder, op("add", "/list/x", 1)) == "index"
    assert kind_of(decoder, {"v": "c"}) == "index"
    assert decoder.peek(0, "/text") == "ab"


def test_a_failing_patch_is_undone_whatever_its_entries_did() -> None:
    root = {"text": "a", "grown": "b", "list": [1, [2], 3, 4], "object": {"x": 1}, "gone": 1, "scalar": 0}
    decoder = holding(root)
    decoder.push(op("append", "/grown", "c"))
    before = decoder.values
    entries = [
        op("append", "/text", "x"),
        op("append", "/grown", "x"),
        op("truncate", "/grown", 1),
        op("append", "/list", [5]),
        op("append", "/list", "x"),
        op("add", "/list/1", "x"),
        op("add", "/list/99", "end"),
        op("remove", "/list/0"),
        op("replace", "/list/1", "y"),
        op("replace", "/list/9", "x"),
        op("truncate", "/list", -8),
        op("append", "/object", {"x": 2, "y": 3}),
        op("append", "/scalar", 1),
        op("add", "/new/0/deep", "x"),
        op("remove", "/gone"),
        op("add", "/gone", "back"),
        op("patch", "/object", [op("remove", "/x"), op("add", "", "small root")]),
        op("replace", "", "all gone"),
        op("add", "", {"again": 1}),
    ]
    for end in range(len(entries) + 1):
        failing = [*entries[:end], op("add", "", []), op("add", "/no-index", 1)]
        assert kind_of(decoder, op("patch", "", failing)) == "index"
        assert equal(decoder.values, before), f"{end} entries undone"
    assert decoder.apply(op("append", "/grown", "d"))["grown"] == "bcd"


def test_a_patch_that_fails_at_a_text_takes_back_what_it_had_appended_to_it() -> None:
    decoder = DeltaDecoder()
    decoder.push({"p": "", "o": "add", "v": {"text": "a"}})
    decoder.push({"p": "/text", "o": "append", "v": "b"})
    entries = [{"p": "/text", "o": "append", "v": "c"}, {"p": "/text/x", "o": "add", "v": 1}]
    with pytest.raises(DeltaError, match="got 'abc'"):
        decoder.push({"p": "", "o": "patch", "v": entries})
    assert decoder.values == {0: {"text": "ab"}}


def test_fields_are_inherited_one_by_one_from_the_delta_before_whatever_its_channel() -> None:
    decoder = DeltaDecoder()
    assert decoder.push({"v": {"a": "x"}}) == Delta(0, "", "add", {"a": "x"})
    assert decoder.push({"c": 1, "v": {"a": "y"}}) == (1, "", "add", {"a": "y"})
    assert decoder.push({"p": "/a", "o": "append", "v": "1"}) == (1, "/a", "append", "1")
    assert decoder.push({"v": "2"}) == (1, "/a", "append", "2")
    assert decoder.push({"c": 0, "v": "3"}) == (0, "/a", "append", "3")
    assert decoder.push({"o": "replace", "v": "4"}) == (0, "/a", "replace", "4")
    assert decoder.push({}) == (0, "/a", "replace", ABSENT)
    assert decoder.values == {0: {}, 1: {"a": "y12"}}


def test_a_long_path_without_p_is_overwritten_by_the_inherited_one_but_a_long_value_counts() -> None:
    assert after({"a": 1}, {"path": "/b", "op": "remove", "channel": 9, "value": 2}) == 2
    assert after({"a": 1}, {"v": 2, "value": 3}) == 2
    assert after({"a": 1}, {"v": None, "value": 3}) is None


def test_an_empty_delta_repeats_the_one_before_without_a_value() -> None:
    assert after({"a": "x"}, op("append", "/a", "y"), {}) == {"a": "xyundefined"}
    assert after({"a": 1}, op("remove", "/a"), {"v": "anything"}) == {}


def test_one_and_one_point_zero_are_one_channel_and_its_key_is_an_int() -> None:
    decoder = DeltaDecoder()
    decoder.push({"c": 1.0, "v": "x"})
    assert decoder.push({"c": 1, "o": "append", "v": "y"}).channel == 1
    decoder.push({"c": 0.5, "o": "add", "v": "half"})
    decoder.push({"c": -0.0, "v": "zero"})
    assert dumps({str(key): value for key, value in decoder.values.items()}) == (
        '{"1":"xy","0.5":"half","0":"zero"}'
    )


def test_numbers_that_are_one_double_are_one_channel() -> None:
    decoder = DeltaDecoder()
    decoder.push({"c": 2**53 + 1, "v": "x"})
    assert decoder.apply({"c": 2**53, "o": "append", "v": "y"}) == "xy"


def test_an_absent_root_is_not_listed() -> None:
    decoder = holding("x")
    assert decoder.apply({"o": "remove"}) is ABSENT
    assert decoder.values == {}
