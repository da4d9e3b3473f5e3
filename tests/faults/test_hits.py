"""What a dry run lists, and what is said of faults that never struck."""

from __future__ import annotations

import pytest

from wiretape import load_cassette
from wiretape.faults import FaultError, demand_hits, hits, kind_of, parse, silence, unstruck
from wiretape.transcript import Struck
from wiretape_server.refusals import REFUSALS

ALEFITA = load_cassette("alefita_way")
PLAIN = load_cassette("plain_answer")
CODEX = load_cassette("codex/dynamic_tool_text")


def places(*faults: str) -> list[str]:
    return [f"{hit.fault}: {hit.at}: {hit.excerpt}" for hit in hits(map(parse, faults), ALEFITA)]


def test_a_hit_names_interaction_event_bytes_and_what_is_there() -> None:
    hit, _ = hits([parse("drop@event:1")], ALEFITA)
    assert (hit.interaction, hit.event, hit.start, hit.stop) == (1, 1, 0, 34)
    assert hit.at == "interaction 1, event 1, bytes 1 to 34"
    assert hit.excerpt == 'event: delta_encoding data: "v1"'
    assert ALEFITA.interactions[0].response.body[hit.start : hit.stop].split() == hit.excerpt.encode().split()


def test_an_excerpt_is_short() -> None:
    (line,) = places("cut@event:7", "cut@type:message_stream_complete")[:1]
    assert line == "cut@event:7: interaction 1, event 7, before byte 1714: data: [DONE]"
    assert all(len(hit.excerpt) <= 60 for hit in hits([parse("drop@event:*")], ALEFITA))


def test_a_byte_behind_the_last_event_is_in_none() -> None:
    assert hits([parse("cut@byte:1")], ALEFITA)[0].event == 1


def test_requests_are_counted_as_clients_usually_send_them() -> None:
    assert places("500@request:4", "429@request:3") == [
        "500@request:4: interaction 2, request 4: GET /backend-api/ios/attestation_challenge",
        "429@request:3: interaction 1, request 3: POST /backend-api/f/conversation",
    ]
    assert len(places("500@request:*")) == 6
    assert [hit.request for hit in hits([parse("prepare-refused@request:*")], ALEFITA)] == [2, 5]
    assert [hit.request for hit in hits([parse("conversation-deleted@request:*")], ALEFITA)] == [5, 6]


def test_a_request_that_is_usually_another_one_may_be_it_all_the_same() -> None:
    usually_another, usually_none = hits(
        [parse("prepare-refused@request:3"), parse("500@request:99")], ALEFITA
    )
    assert usually_another.at == "request 3, if there is such a one"
    assert usually_another.excerpt == "POST /backend-api/f/conversation/prepare"
    assert (usually_none.request, usually_none.excerpt) == (99, "")


def test_a_conversation_of_one_request_is_never_named_again() -> None:
    with pytest.raises(FaultError, match=r"conversation-deleted@request:\* hits nothing in plain_answer"):
        demand_hits([parse("conversation-deleted@request:*")], PLAIN)


def test_how_long_faults_are_silent_is_known_beforehand() -> None:
    faults = tuple(map(parse, ("delay@event:3", "jitter@event:4", "cut@event:5")))
    assert silence(faults, ALEFITA) == pytest.approx(2 * (1.0 + 0.1))


def test_a_fault_that_hits_nothing_is_an_error() -> None:
    with pytest.raises(FaultError, match="fault drop@event:50 hits nothing in alefita_way"):
        demand_hits([parse("cut@event:1"), parse("drop@event:50")], ALEFITA)
    assert len(demand_hits([parse("cut@event:1")], ALEFITA)) == 2


def test_a_fault_of_another_protocol_is_an_error() -> None:
    with pytest.raises(FaultError, match=r"cut is a fault of flow_a, and codex/dynamic_tool_text is codex"):
        demand_hits([parse("cut@event:1")], CODEX)
    assert hits([parse("cut@event:1")], CODEX) == []


def test_a_fault_that_never_struck_is_said() -> None:
    faults = [parse("delay@event:1"), parse("unknown-event@event:2")]
    struck = Struck(connection="request 3", fault="delay@event:1", at=0.0)
    said = "fault unknown-event@event:2 struck nothing: the client did not come to that place"
    assert unstruck(faults, [struck]) == (said,)
    assert len(unstruck(faults, [])) == 2


def test_a_request_that_a_fault_does_not_strike_may_have_come() -> None:
    (said,) = unstruck([parse("content-type@request:2")], [])
    assert said.endswith("or sent there what is not struck")


def test_nothing_is_said_of_faults_behind_one_that_may_end_the_session() -> None:
    struck = Struck(connection="request 3", fault="cut@event:1", at=0.0)
    assert unstruck([parse("cut@event:1"), parse("500@request:9")], [struck]) == ()


def test_a_kind_that_nobody_knows_any_more_excuses_everything() -> None:
    kind = kind_of("forgotten@event:1")
    assert (kind.name, kind.may_end, kind.fails_turn) == ("forgotten", True, True)
    assert kind_of("cut@event:1").name == "cut"


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("cut@byte:99999999999999999999", ", where no answer has more than 3018 bytes. Choose another place"),
        ("drop@event:18", ", where no answer has more than 17 events. Choose another place"),
        ("reorder@event:17", " hits nothing in alefita_way. Choose another place"),
        ("drop@type:nothing", " hits nothing in alefita_way. Choose another place"),
    ],
)
def test_a_place_behind_every_end_is_said_to_be_there(fault: str, said: str) -> None:
    with pytest.raises(FaultError) as refused:
        demand_hits([parse(fault)], ALEFITA)
    assert said in str(refused.value)


@pytest.mark.parametrize("kind", sorted(REFUSALS.keys() - {"conversation-deleted"}))
def test_a_refusal_is_said_to_hit_the_requests_that_the_server_refuses(kind: str) -> None:
    said = hits([parse(f"{kind}@request:*")], ALEFITA)
    paths = [hit.excerpt.partition(" ")[2] for hit in said]
    assert paths
    assert all(REFUSALS[kind].takes.fullmatch(path) for path in paths)
    everything = {hit.excerpt.partition(" ")[2] for hit in hits([parse("500@request:*")], ALEFITA)}
    assert set(paths) == {path for path in everything if REFUSALS[kind].takes.fullmatch(path)}
