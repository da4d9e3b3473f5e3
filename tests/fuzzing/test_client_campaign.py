"""The attack on clients finds what was planted, makes it small, and finds nothing in the reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conformance.reference_client import ReferenceClient
from tests.fuzzing.client_playing import player
from tests.fuzzing.planted_clients import PLANTED_CLIENTS, Planted, TellsHowOften
from wiretape.cassette import dumps, load_cassette, loads, save
from wiretape.contract import Finding, Report
from wiretape.flow_a.rules import RULES
from wiretape.fuzzing import (
    CLIENT_KINDS,
    DIFFERS,
    UNPLAYED,
    Campaign,
    Examiner,
    Misdeed,
    Played,
    Player,
    Tally,
    Trial,
    session_cassettes,
)
from wiretape.fuzzing.campaign import Kind
from wiretape.fuzzing.returns import returns
from wiretape.lint import Tape, lint
from wiretape.sse import EventStreamDecoder
from wiretape.transcript import Request, Transcript
from wiretape_server.thread import ServerThread

KINDS = CLIENT_KINDS["flow_a"]
FAILED = RULES[0].finding("fail")


def tallies(
    play: Player, *names: str, max_examples: int = 300, seed: int = 0
) -> dict[str, Tally[Trial, Misdeed]]:
    kinds = [kind for kind in KINDS if kind.name in (names or [each.name for each in KINDS])]
    campaign = Campaign(judge=Examiner(play), kinds=kinds, max_examples=max_examples, seed=seed)
    return {tally.kind.name: tally for tally in campaign.run()}


def found(play: Player, kind: str, seed: int = 0) -> Misdeed:
    misdeed = tallies(play, kind, seed=seed)[kind].found
    assert misdeed is not None
    return misdeed


@pytest.mark.parametrize("name", PLANTED_CLIENTS)
def test_a_planted_client_is_found_made_small_and_replays_with_the_same_verdict(
    server: ServerThread, tmp_path: Path, name: str
) -> None:
    plant = PLANTED_CLIENTS[name]
    misdeed = found(player(server, plant.client), plant.kind, plant.seed)
    assert misdeed.rule == plant.rule
    answers = misdeed.trial.cassette.interactions
    events = [event for each in answers for event in EventStreamDecoder().feed(each.response.body)]
    assert len(answers) <= 3
    assert len([event for event in events if event.event == "delta"]) <= 24

    files = [tmp_path / "find.yaml", tmp_path / "plain.yaml"]
    for written, file in zip(session_cassettes("x", misdeed, tool="test"), files, strict=False):
        save(written, file)
    plain = load_cassette(files[1]) if files[1].exists() else None
    again = Examiner(player(server, plant.client, pace="recorded"))(
        Trial(cassette=load_cassette(files[0]), plain=plain, faults=misdeed.trial.faults)
    )
    assert again is not None
    assert again.rule == misdeed.rule


def test_nothing_is_found_in_the_reference_client(server: ServerThread) -> None:
    final = tallies(player(server, ReferenceClient), max_examples=8)
    assert {name: tally.found for name, tally in final.items()} == {kind.name: None for kind in KINDS}


def test_the_frame_of_the_planted_clients_is_right_itself(server: ServerThread) -> None:
    final = tallies(player(server, Planted), "everything", max_examples=20)
    assert final["everything"].found is None


def test_another_return_in_another_form_is_a_find_although_no_rule_fails(server: ServerThread) -> None:
    misdeed = found(player(server, TellsHowOften), "tokens")
    assert misdeed.rule == DIFFERS
    assert misdeed.findings == ()
    assert misdeed.difference is not None
    assert misdeed.difference.path == "returns[1].messages[0].content.text.result.pieces"
    tried, plain = session_cassettes("tokens", misdeed, tool="test")
    assert tried.expect == plain.expect
    assert tried.interactions[0].response.body != plain.interactions[0].response.body
    assert tried.extensions["x-find"] == {"kind": "tokens", "rule": DIFFERS}


class AsksTwice(Planted):
    """Sends its question again when it was answered."""

    def ask(self, text: str) -> None:
        super().ask(text)
        super().ask(text)


def test_what_no_session_holds_is_a_find(server: ServerThread) -> None:
    misdeed = found(player(server, AsksTwice), "calls")
    assert misdeed.rule == UNPLAYED
    assert misdeed.unplayed != ()


@pytest.mark.parametrize(
    "kind", [kind for kinds in CLIENT_KINDS.values() for kind in kinds], ids=lambda k: k.name
)
def test_a_drawn_session_is_a_cassette_that_can_be_kept(kind: Kind[Trial]) -> None:
    drawn: list[Trial] = []
    for _ in Campaign(judge=drawn.append, kinds=[kind], max_examples=5).run():
        pass
    assert drawn
    for trial in drawn:
        (written,) = session_cassettes(
            kind.name, Misdeed(trial=trial, rule="x", findings=(FAILED,)), tool="test"
        )
        data = dumps(written)
        assert loads(data) == written
        report = lint(Tape(cassette=written, data=data))
        assert report.violations == ()


def test_trials_are_the_same_when_their_cassettes_are() -> None:
    kind = KINDS[0]
    from hypothesis import find

    trial = find(kind.examples, lambda _: True)
    assert Trial(cassette=trial.cassette) == trial
    assert hash(Trial(cassette=trial.cassette)) == hash(trial)
    assert Trial(cassette=trial.cassette, plain=trial.cassette) != trial


TRIALS = {name: Trial(cassette=load_cassette(name)) for name in ("plain_answer", "alefita_way", "handoff")}


def played(returns: Any, *broken: Finding) -> Played:
    report = Report(name="", protocol="flow_a", findings=broken)
    return Played(report=report, returns=returns)


def pair(tried: str, plain: str) -> Trial:
    return Trial(cassette=TRIALS[tried].cassette, plain=TRIALS[plain].cassette)


def test_what_is_wrong_in_the_usual_form_alone_is_a_find_of_that_form() -> None:
    broken = FAILED
    outcomes = {TRIALS["handoff"]: played([]), TRIALS["alefita_way"]: played([], broken)}
    examiner = Examiner(lambda trial: outcomes.get(trial, played([])))
    misdeed = examiner(pair("handoff", "alefita_way"))
    assert misdeed is not None
    assert misdeed.rule == broken.rule
    assert misdeed.trial == TRIALS["alefita_way"]


def test_the_usual_form_is_played_once_while_it_is_asked_for() -> None:
    asked: list[Trial] = []

    def play(trial: Trial) -> Played:
        asked.append(trial)
        return played([])

    examiner = Examiner(play, kept=1)
    for tried, plain in [
        ("handoff", "alefita_way"),
        ("plain_answer", "alefita_way"),
        ("handoff", "plain_answer"),
        ("handoff", "alefita_way"),
    ]:
        assert examiner(pair(tried, plain)) is None
    usual = [trial for trial in asked if trial.plain is None]
    assert usual == [TRIALS[name] for name in ("alefita_way", "plain_answer", "alefita_way")]


def test_a_request_that_is_no_json_is_compared_as_it_is() -> None:
    request = Request(
        number=1, method="POST", path="/backend-api/f/conversation?x", headers=(), body=b"{", at=0.0
    )
    assert returns(Transcript(protocol="flow_a", entries=[request])) == ["b'{'"]
