"""Small situations that decoders got wrong, what is handed in and out, and what makes it linear."""

from __future__ import annotations

import copy

from tests.unit.deltas import HIGH, LOW, T, after, holding, kind_of, message, op
from wiretape.delta import ABSENT, DeltaDecoder
from wiretape.strictjson import dumps


def test_text_that_repeats_itself_is_kept() -> None:
    bare = ["ha", "1", "50", "0", "0"]
    decoder = holding(message())
    for delta in [op("append", T, "ha"), *({"v": piece} for piece in bare)]:
        decoder.push(delta)
    assert decoder.peek(0, T) == "haha15000"


def test_patches_go_on_without_op() -> None:
    decoder = DeltaDecoder()
    decoder.push({"p": "", "o": "add", "v": message(), "c": 2})
    decoder.push(op("patch", "", [op("append", T, "he")]))
    decoder.push({"v": [op("append", T, "llo")]})
    decoder.push({"v": [op("append", T, "!"), op("replace", "/message/status", "finished_successfully")]})
    assert decoder.peek(2, T) == "hello!"
    assert decoder.peek(2, "/message/status") == "finished_successfully"


def test_replace_after_append_sets() -> None:
    value = after(message(text="dra"), op("append", T, "ft"), op("replace", T, "final"), op("append", T, "!"))
    assert value == message(text="final!")


def test_an_emoji_split_over_two_deltas_is_one_character() -> None:
    decoder = holding(message())
    decoder.push(op("append", T, HIGH))
    assert dumps(decoder.peek(0, T)).encode() == rb'"\ud83d"'
    decoder.push({"v": LOW})
    decoder.push({"v": " ok"})
    assert decoder.peek(0, T) == "😀 ok"
    assert decoder.peek(0, T).encode() == "😀 ok".encode()


def test_halves_are_joined_also_when_the_text_was_read_between() -> None:
    decoder = holding("x")
    assert decoder.apply(op("append", "", HIGH)) == "x" + HIGH
    assert decoder.apply({"v": LOW}) == "x😀"
    assert decoder.apply(op("truncate", "", 2)) == "x" + HIGH
    assert decoder.apply(op("append", "", LOW)) == "x😀"


def test_a_truncate_sees_halves_that_met_as_one_character() -> None:
    decoder = holding("")
    decoder.push(op("append", "", HIGH))
    decoder.push({"v": LOW + "rest"})
    assert decoder.apply(op("truncate", "", 2)) == "😀"


def test_bare_text_after_a_patch_is_an_error_and_not_a_guess() -> None:
    decoder = holding(message())
    decoder.push(op("patch", "", [op("append", T, "the")]))
    assert kind_of(decoder, {"v": "ory"}) == "patch_value"
    assert decoder.peek(0, T) == "the"


def test_a_value_handed_out_is_fresh() -> None:
    decoder = holding({"a": ["x"], "b": {}})
    first = decoder.values
    decoder.push(op("append", "/a/0", "y"))
    decoder.push(op("add", "/b/c", 1))
    assert first == {0: {"a": ["x"], "b": {}}}
    first[0]["a"].append("mine")
    decoder.peek(0, "/b")["mine"] = True
    assert decoder.values == {0: {"a": ["xy"], "b": {"c": 1}}}


def test_a_delta_handed_in_is_never_changed() -> None:
    root = {"a": [{"x": 1}]}
    merged, listed, entries = {"m": {}}, [[]], [op("add", "/p", {"q": []})]
    given = [root, op("append", "", merged), op("append", "/a", listed), op("patch", "", entries)]
    before = copy.deepcopy(given)
    decoder = holding(root)
    for delta in given[1:]:
        decoder.push(delta)
    for path in ("/a/0/x", "/m/y", "/a/1/0", "/p/q/0"):
        decoder.push(op("replace", path, "changed"))
    assert given == before


def test_peek_reads_a_leaf_and_says_absent_where_nothing_is() -> None:
    decoder = holding({"a": ["x", None], "b": {"c": 1}})
    decoder.push(op("replace", "/a/3", "y"))
    assert decoder.peek(0, "/a/0") == "x"
    assert decoder.peek(0.0, "/a/3") == "y"
    assert decoder.peek(0, "/a/1") is None
    assert decoder.peek(0, "/b") == {"c": 1}
    for path in ("/a/2", "/a/9", "/a/-", "/z", "/b/c/d", "/a/0/0"):
        assert decoder.peek(0, path) is ABSENT, path
    assert decoder.peek(7, "") is ABSENT


def pieces(decoder: DeltaDecoder, path: str) -> list[str]:
    return decoder.node(0, path).pieces


def test_thirty_thousand_appends_are_kept_as_pieces_and_joined_when_read() -> None:
    decoder = holding(message())
    decoder.push(op("append", T, "x"))
    for _ in range(30_000):
        decoder.push({"v": "x"})
    assert len(pieces(decoder, T)) == 30_002
    assert decoder.peek(0, T) == "x" * 30_001
    assert len(pieces(decoder, T)) == 1  # joined once, not at every reading


def test_pieces_survive_patches_and_appends_elsewhere() -> None:
    decoder = holding({"a": "", "b": "", "status": 0})
    for number in range(1000):
        decoder.push(op("append", "/a", "x"))
        decoder.push(op("append", "/b", "y"))
        decoder.push(op("patch", "", [op("append", "/a", "z"), op("replace", "/status", number)]))
    assert len(pieces(decoder, "/a")) == 2001
    assert len(pieces(decoder, "/b")) == 1001
    assert decoder.values == {0: {"a": "xz" * 1000, "b": "y" * 1000, "status": 999}}


def test_a_step_copies_nothing_of_the_value_that_it_changes() -> None:
    decoder = holding({"big": [{"n": n} for n in range(1000)], "text": ""})
    big = decoder.node(0, "/big")
    elements = [*map(id, big)]
    for number in range(10):
        decoder.push(op("append", "/text", "x"))
        decoder.push(op("patch", "", [op("add", "/big/0/n", number)]))
        assert (
            kind_of(decoder, op("patch", "", [op("add", "/big/1/n", 5), op("add", "/big/x", 0)])) == "index"
        )
    assert decoder.node(0, "/big") is big
    assert [*map(id, big)] == elements


def test_the_undo_log_is_empty_between_deltas() -> None:
    decoder = holding({"a": []})
    decoder.push(op("patch", "", [op("append", "/a", 1)] * 100))
    kind_of(decoder, op("patch", "", [op("append", "/a", 1), op("add", "/a/x", 1)]))
    assert decoder._documents[0]._undo == []
