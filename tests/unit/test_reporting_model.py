"""What a report is made from: how it was run, how streams came and ended, what was covered; and its files."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.unit.flow_a_wire import conforming
from tests.unit.reported import RUN, finding, part, report, wrong_session
from wiretape.cassette import Cassette, dumps, load_cassette
from wiretape.cassette.model import Chunks, Interaction, Provenance, RecordedRequest, RecordedResponse
from wiretape.reporting.faces import charts, words
from wiretape.reporting.model import coverage, document
from wiretape.reporting.run import Run, cassette_file, judged_file, sources
from wiretape.reporting.streams import endings, timelines
from wiretape.transcript import Body, Chunk, End, Entry, Frame, Link, Request, Response, Transcript

STREAM = (("Content-Type", "text/event-stream; charset=utf-8"),)


# --- the run


def test_what_does_not_apply_to_a_run_is_not_in_it() -> None:
    assert Run(version="1").as_json() == {"version": "1", "sources": [], "cassettes": []}
    run = RUN.as_json()
    assert run["clients"] == [
        {"cassette": "alefita_way", "exit_code": 0, "timed_out": False, "seconds": 1.25}
    ]


def test_source_documents_are_named_once_each() -> None:
    names = [each.name for each in sources(["flow_a", "codex", "flow_a"])]
    assert names == ["app-server-dynamic-tools", "flow-a-tool-protocol"]
    assert all(len(each.sha256) == 64 for each in sources(["flow_a", "codex"]))


def test_a_cassette_has_the_hash_of_its_file_and_one_in_memory_that_of_the_file_it_would_be(
    tmp_path: Path,
) -> None:
    bundled = load_cassette("alefita_way")
    data = Path(bundled.source).read_bytes()
    assert cassette_file(bundled).sha256 == hashlib.sha256(data).hexdigest()
    made = Cassette(protocol="flow_a", provenance=Provenance(kind="synthetic"), name="made", source="nowhere")
    assert cassette_file(made).sha256 == hashlib.sha256(dumps(made)).hexdigest()
    (tmp_path / "t.jsonl").write_bytes(b"x")
    assert judged_file(tmp_path / "t.jsonl").sha256 == hashlib.sha256(b"x").hexdigest()


# --- streams


def played(chunks: Sequence[tuple[int, int, float]], body: bytes = b"abcdef", **about: Any) -> Transcript:
    """One answer, whose chunks are start, stop and time."""
    entries: list[Entry] = [
        Request(number=1, method="POST", path="/f/conversation?x=1", headers=(), body=b"", at=0),
        Response(number=1, status=200, headers=STREAM, body=Body(body), at=1.0),
        *(Chunk(number=1, start=start, stop=stop, at=at) for start, stop, at in chunks),
    ]
    return Transcript(protocol="flow_a", entries=entries, **about)


def taped(*chunks: tuple[float, int], body: bytes = b"abcdef") -> Cassette:
    """One answer, whose chunks are delay and length."""
    delays, lengths = zip(*chunks, strict=True) if chunks else ((), ())
    table = Chunks(delays=delays, lengths=lengths) if chunks else None
    response = RecordedResponse(body=body, chunks=table)
    one = Interaction(request=RecordedRequest(method="POST", path="/"), response=response)
    return Cassette(protocol="flow_a", provenance=Provenance(kind="synthetic"), interactions=(one,))


TAPE = taped((100.0, 2), (50.0, 4))


def waits(transcript: Transcript, cassette: Cassette | None) -> list[tuple[float | None, float | None]]:
    (stream,) = timelines(transcript, cassette)
    return [(each["recorded_ms"], each["played_ms"]) for each in stream["points"]]


def test_a_timeline_sets_the_recorded_wait_of_each_chunk_against_the_replayed_one() -> None:
    transcript = played([(0, 2, 1.2), (2, 6, 1.25)], live=True)
    assert waits(transcript, TAPE) == [(100.0, 200.0), (50.0, 50.0)]


def test_chunks_that_are_cut_elsewhere_are_timed_by_their_bytes() -> None:
    transcript = played([(0, 1, 1.0), (1, 4, 1.0), (4, 6, 1.0)], live=True)
    assert waits(transcript, TAPE) == [(100.0, 0.0), (50.0, 0.0), (0.0, 0.0)]


@pytest.mark.parametrize("cassette", [None, taped(), taped((1.0, 5), body=b"other")])
def test_without_a_recorded_table_only_the_replay_is_timed(cassette: Cassette | None) -> None:
    assert waits(played([(0, 6, 1.5)], live=True), cassette) == [(None, 500.0)]


def test_a_cassette_by_itself_has_no_replayed_times() -> None:
    assert waits(played([(0, 6, 1.5)]), TAPE) == [(150.0, None)]


def test_many_chunks_are_summed_up() -> None:
    body = bytes(1000)
    transcript = played([(n, n + 1, 1 + n / 1000) for n in range(1000)], body, live=True)
    (stream,) = timelines(transcript, None)
    assert len(stream["points"]) <= 120
    assert sum(each["count"] for each in stream["points"]) == stream["count"] == 1000
    assert round(sum(each["played_ms"] for each in stream["points"])) == 999


def test_an_answer_without_a_chunk_or_that_is_no_stream_has_no_timeline() -> None:
    transcript = played([])
    plain = Response(number=2, status=200, headers=(), body=Body(b"{}"), at=0)
    transcript.entries += [plain, Chunk(number=2, start=0, stop=2, at=0), End(number=2, how="reset", at=0)]
    assert timelines(transcript, None) == []
    assert endings(transcript) == {}


def test_streams_and_connections_are_counted_by_their_ends() -> None:
    transcript = played([(0, 6, 1.5)])
    assert timelines(transcript, None)[0]["end"] == "still open"
    transcript.entries += [
        End(number=1, how="client-left", at=2),
        Link(connection="", what="opened", transport="stdio", at=0),
        Link(connection="", what="closed", transport="stdio", at=0, by="server"),
    ]
    assert endings(transcript) == {"client-left": 1, "closed by server": 1}
    assert timelines(transcript, None)[0]["end"] == "client-left"


def test_an_app_servers_messages_are_timed_by_connection() -> None:
    entries: list[Entry] = [
        Frame(connection="a", direction="client", data=b"{}", at=0.5),
        *(Frame(connection=name, direction="server", data=b"{}", at=at) for name, at in PLAYED),
        Link(connection="a", what="closed", transport="stdio", at=2),
    ]
    first, second = timelines(Transcript(protocol="codex", entries=entries), None)
    assert (first["place"], first["count"], first["bytes"], first["end"]) == (
        *("connection a", 3, 6, "closed by client"),
    )
    assert [each["played_ms"] for each in first["points"]] == [0.0, 250.0, 500.0]
    assert {each["recorded_ms"] for each in first["points"]} == {None}
    assert (second["place"], second["end"]) == ("connection", "still open")
    assert charts.timeline(first).bars[1].title.startswith("message 2: recorded unknown, replayed 250 ms")


PLAYED = (("a", 1.0), ("", 1.1), ("a", 1.25), ("a", 1.75))


def test_bars_are_as_high_as_the_waits_and_a_chunk_without_one_is_still_seen() -> None:
    (stream,) = timelines(played([(0, 2, 1.2), (2, 6, 1.2)], live=True), TAPE)
    plot = charts.timeline(stream)
    assert [(bar.recorded, bar.played) for bar in plot.bars] == [(24.0, 48.0), (12.0, 1.0)]
    assert plot.bars[1].title == "chunk 2: recorded 50 ms, replayed 0 ms"
    assert plot.text == "2 chunks, 6 bytes; recorded in 150 ms, replayed in 200 ms. End: still open."
    assert plot.longest == "200 ms"


def test_a_stream_without_waits_or_without_a_recording_is_drawn_too() -> None:
    (stream,) = timelines(played([(0, 2, 1.0), (2, 6, 1.0)], live=True), None)
    plot = charts.timeline(stream)
    assert [(bar.recorded, bar.played) for bar in plot.bars] == [(0.0, 1.0), (0.0, 1.0)]
    assert plot.text == "2 chunks, 6 bytes; replayed in 0 ms. End: still open."


def test_a_bar_of_several_chunks_says_which() -> None:
    point = {"count": 9, "recorded_ms": 1.0, "played_ms": 1.0}
    stream = {"of": "chunks", "points": [point, point], "count": 18, "bytes": 1, "end": "complete"}
    assert [bar.title.partition(":")[0] for bar in charts.timeline(stream).bars] == [
        "chunks 1 to 9",
        "chunks 10 to 18",
    ]


# --- verdicts and coverage


@pytest.mark.parametrize(
    ("findings", "about", "behavior", "ending"),
    [
        ([("flow_a.behavior.reads-to-end", "pass")], {}, "ok", "ok"),
        ([("flow_a.behavior.reads-to-end", "fail")], {}, "ok", "violated"),
        ([("flow_a.return.exactly-once", "fail")], {}, "violated", "not_observed"),
        ([("flow_a.behavior.reads-to-end", "pass")], {"errors": ("no answer",)}, "ok", "unplayed"),
    ],
)
def test_a_session_has_two_verdicts(
    findings: list[tuple[str, str]], about: dict[str, Any], behavior: str, ending: str
) -> None:
    found = [finding(rule.removeprefix("flow_a."), outcome=outcome) for rule, outcome in findings]
    verdict = part(wrong_session(), report("x", *found, **about))
    assert (verdict["behavior"], verdict["ending"]["verdict"]) == (behavior, ending)


def test_coverage_counts_a_must_rule_that_any_session_exercised() -> None:
    first = report("a", finding("r.one", outcome="pass"), finding("r.two", outcome="not_observed"))
    second = report("b", finding("r.one", outcome="not_applicable"), finding("r.three", outcome="fail"))
    again = report("b", finding("r.three", outcome="pass"))
    matrix = coverage([part(wrong_session(), each) for each in (first, second, again)])
    assert matrix["cassettes"] == ["a", "b"]
    assert {row["rule"]: row["outcomes"] for row in matrix["rules"]} == {
        "flow_a.r.one": ["pass", "not_applicable"],
        "flow_a.r.two": ["not_observed", None],
        "flow_a.r.three": [None, "fail"],
    }
    assert matrix["must"] == {"of": 3, "exercised": 2, "share": 0.6667}
    assert words.share(matrix) == "2 of 3 must rules exercised (66 %)"
    assert coverage([])["must"] == {"of": 0, "exercised": 0, "share": 0.0}


def test_a_share_is_never_rounded_up_to_all() -> None:
    assert words.share({"must": {"exercised": 999, "of": 1000, "share": 0.999}}).endswith("(99 %)")


def test_a_rule_of_the_catalogue_brings_its_title_and_document() -> None:
    found = part(wrong_session(recipient="x"))["findings"]
    (wrong,) = (each for each in found if each["rule"] == "flow_a.return.recipient-is-all")
    assert (wrong["title"], wrong["document"]) == ("The recipient is all", "flow-a-tool-protocol")


@pytest.mark.parametrize(
    ("cassettes", "stale", "said"),
    [
        ([], [], "0 sessions as the protocol demands"),
        ([conforming(name="x")], [], "1 session as the protocol demands"),
        (
            [conforming(name="x")],
            ["e"],
            "1 session as the protocol demands, and 1 accepted finding is stale",
        ),
        ([conforming(), wrong_session(recipient="x")], [], "1 of 2 sessions went wrong"),
    ],
)
def test_all_verdicts_in_a_sentence(cassettes: list[Any], stale: list[str], said: str) -> None:
    assert words.summary([document(map(part, cassettes), RUN, stale)]) == said


def test_a_client_that_ran_out_of_time_is_told() -> None:
    end = {"cassette": "x", "exit_code": None, "timed_out": True, "seconds": 30.0}
    assert ("client", "x: time limit after 30 s") in words.about({"version": "1", "clients": [end]})


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"client": "node", "run": {"command": ["x"]}}, "node"),
        ({"run": {"command": ["a b"]}}, "'a b'"),
        ({"run": {"files": ["a.jsonl", "b.jsonl"]}}, "a.jsonl b.jsonl"),
        ({"run": {}}, "wiretape"),
    ],
)
def test_whose_report_it_is(given: dict[str, Any], name: str) -> None:
    assert words.client(given) == name


def test_a_client_that_was_not_asked_about_a_rule_has_an_empty_cell() -> None:
    one = document([part(wrong_session(), report("a", finding("r.one", outcome="pass")))], RUN)
    other = document([part(wrong_session(), report("b", finding("r.two", "should", "fail")))], RUN)
    matrix = charts.run_matrix([one, other])
    assert [row["outcomes"] for row in matrix.rules] == [["pass", None], [None, "fail"]]
    assert [cell.outcome for cell in matrix.cells] == ["pass", "none", "none", "fail"]
    assert matrix.cells[1].title.endswith("flow_a.r.one: not judged")
