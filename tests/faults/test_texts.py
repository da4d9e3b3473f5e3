"""Faults as they are written: on a command line, in a marker, in a YAML file."""

from __future__ import annotations

import pytest

from wiretape.faults import KINDS, Fault, FaultError, Kind, Where, parse, read_file

FLOW_A = {
    *("stall", "delay", "jitter", "cut", "cut-inside", "cut-character", "reset", "early-end", "bad-chunk"),
    *("duplicate", "drop", "reorder", "unknown-op", "unknown-field", "unknown-event", "invalid-json"),
    *("invalid-utf8", "error-event", "content-type", "401", "403", "403-html", "404", "409", "413", "422"),
    *("429", "500", "502", "challenge-used", "prepare-refused", "conduit-changed", "handoff", "resume"),
    *("conversation-deleted",),
}
OF_FLOW_A = [kind for kind in KINDS.values() if kind.protocol == "flow_a"]


def test_every_kind_of_the_protocol_is_there() -> None:
    assert {name for name, kind in KINDS.items() if kind.protocol == "flow_a"} == FLOW_A


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("cut@event:12", Fault("cut", Where("event", 12))),
        (" cut@byte:400 ", Fault("cut", Where("byte", 400))),
        ("drop@type:message_marker", Fault("drop", Where("type", "message_marker"))),
        ("drop@type:[DONE]", Fault("drop", Where("type", "[DONE]"))),
        ("429@request:2", Fault("429", Where("request", 2))),
        ("delay@event:*", Fault("delay", Where("event", "*"))),
    ],
)
def test_a_fault_is_read_and_written_back(text: str, fault: Fault) -> None:
    assert parse(text) == fault
    assert str(fault) == text.strip()


@pytest.mark.parametrize("kind", OF_FLOW_A, ids=lambda kind: kind.name)
def test_a_kind_takes_the_units_that_it_names_and_no_other(kind: Kind) -> None:
    for unit in ("event", "byte", "type", "request"):
        text = f"{kind.name}@{unit}:{'delta' if unit == 'type' else 3}"
        if unit in kind.units:
            assert str(parse(text)) == text
        else:
            with pytest.raises(FaultError, match="expected"):
                parse(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "cutt@event:1",
            "did you mean cut? It takes cut@event:N or cut@type:NAME or cut@byte:N (N",
        ),
        ("nonsense@event:1", "there are: stall delay jitter"),
        ("", "there is no kind ''"),
        ("cut", "expected cut@event:N or cut@type:NAME or cut@byte:N"),
        ("cut@event", "got 'cut@event'"),
        ("cut@event:0", "N from 1"),
        (f"cut@byte:{'9' * 5000}", "N from 1"),
        ("cut@event:-1", "N from 1"),
        ("cut@event:1.5", "N from 1"),
        ("cut@event:\u0661", "N from 1"),
        ("cut@type:", "type:NAME"),
        ("cut@type:7", "type:NAME"),
        ("cut@request:1", "expected cut@event:N"),
        ("500@event:1", "expected 500@request:N (N from 1, or * for every one)"),
    ],
)
def test_a_text_that_means_nothing_is_refused_with_what_is_possible(text: str, said: str) -> None:
    with pytest.raises(FaultError) as refused:
        parse(text)
    assert said in str(refused.value)


def test_a_file_lists_faults_as_texts_or_mappings() -> None:
    data = b"- cut@event:12\n- {kind: 429, at: request:2}\n- kind: drop\n  at: type:message_marker\n"
    assert [str(fault) for fault in read_file(data)] == [
        "cut@event:12",
        "429@request:2",
        "drop@type:message_marker",
    ]
    assert read_file(b"[]") == ()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "expected a YAML list of faults such as cut@event:12, got None"),
        (b"cut@event:1", "got 'cut@event:1'"),
        (b"[", "expected a YAML list of faults\n  at    line "),
        (b"- \xff", "want  YAML"),
        (
            b"- cut@event:1\n- {kind: cut, at: event:2, kind: drop}",
            "  at    line 2\n  want  each key once in its mapping\n  got   a second 'kind'",
        ),
        (b"- kind: cut\n  at: event:2\n  at: event:3", "  at    line 3\n  want  each key once"),
        (
            b"- cut@event:1\n- cat@event:1",
            "entry 2: fault 'cat@event:1': there is no kind 'cat'",
        ),
        (b"- 7", "entry 1: expected KIND@WHERE or {kind: KIND, at: WHERE}, got 7"),
        (b"- {kind: cut}", "entry 1: expected KIND@WHERE"),
        (b"- {kind: cut, at: 7}", "entry 1: expected KIND@WHERE"),
        (b"- !!python/object/apply:os.getcwd []", "want  plain data without YAML tags"),
    ],
)
def test_a_file_that_means_nothing_is_refused_with_the_place(data: bytes, said: str) -> None:
    with pytest.raises(FaultError) as refused:
        read_file(data)
    assert said in str(refused.value)
