"""The attack on clients of the app-server finds what was planted, and nothing in the reference."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzzing.client_playing import codex_player
from tests.fuzzing.planted_codex import PLANTED_CODEX
from wiretape.cassette import load_cassette, save
from wiretape.fuzzing import (
    CLIENT_KINDS,
    Campaign,
    Examiner,
    Misdeed,
    Player,
    Tally,
    Trial,
    client_kinds,
    session_cassettes,
)

KINDS = CLIENT_KINDS["codex"]


def tallies(play: Player, *names: str, max_examples: int = 200) -> dict[str, Tally[Trial, Misdeed]]:
    kinds = [kind for kind in KINDS if kind.name in (names or [each.name for each in KINDS])]
    campaign = Campaign(judge=Examiner(play), kinds=kinds, max_examples=max_examples)
    return {tally.kind.name: tally for tally in campaign.run()}


@pytest.mark.parametrize("name", PLANTED_CODEX)
def test_a_planted_client_is_found_made_small_and_replays_with_the_same_verdict(
    tmp_path: Path, name: str
) -> None:
    plant = PLANTED_CODEX[name]
    play = codex_player(plant.hooks)
    misdeed = tallies(play, plant.kind)[plant.kind].found
    assert misdeed is not None
    assert misdeed.rule == plant.rule
    assert len(misdeed.trial.cassette.model) <= 4

    files = [tmp_path / "find.yaml", tmp_path / "plain.yaml"]
    for written, file in zip(session_cassettes("x", misdeed, tool="test"), files, strict=False):
        save(written, file)
    plain = load_cassette(files[1]) if files[1].exists() else None
    again = Examiner(play)(Trial(cassette=load_cassette(files[0]), plain=plain))
    assert again is not None
    assert again.rule == misdeed.rule


def test_nothing_is_found_in_the_reference_client() -> None:
    final = tallies(codex_player(), max_examples=50)
    assert {name: tally.found for name, tally in final.items()} == {kind.name: None for kind in KINDS}


def test_what_a_demanded_profile_can_not_play_is_left_out() -> None:
    def left_out(profile: str) -> set[str]:
        return {kind.name for kind in KINDS} - {kind.name for kind in client_kinds("codex", profile)}

    assert left_out("") == set()
    assert left_out("0.171") == {"versions"}
    assert left_out("0.98") == {"versions", "namespaces"}
    assert client_kinds("flow_a", "app") == CLIENT_KINDS["flow_a"]


def test_kinds_of_both_protocols_have_names_of_their_own() -> None:
    names = [kind.name for kinds in CLIENT_KINDS.values() for kind in kinds]
    assert len(set(names)) == len(names)
