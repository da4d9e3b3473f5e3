"""Ctrl-C in the middle of an attack: what was found until then is kept and said."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from wiretape.fuzzing import KINDS, Tally
from wiretape_cli import fuzzing
from wiretape_cli.corpus import Corpus
from wiretape_cli.signals import signals_interrupt


class Finds:
    def __init__(self) -> None:
        self.kept: list[str] = []

    def name(self, found: str) -> str:
        return found

    def keep(self, kind: str, about: str, found: str) -> fuzzing.Kept:
        del about, found
        self.kept.append(kind)
        return fuzzing.Kept(files=[])


@pytest.fixture
def _heeded() -> Iterator[None]:
    """Ctrl-C counts, also where a shell has started the tests in the background and set it aside."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_heeded")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_finds_are_kept_and_said_when_it_is_interrupted(
    number: signal.Signals,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first, second = KINDS[:2]

    class Interrupted(fuzzing.Campaign):  # type: ignore[type-arg]
        def run(self) -> Iterator[Tally[object, str]]:
            yield Tally(kind=first, examples=1, found="wrong")
            signal.raise_signal(number)

    monkeypatch.setattr(fuzzing, "Campaign", Interrupted)
    corpus = Corpus(folder=tmp_path / "corpus")
    attack = fuzzing.Attack(
        subject={}, kinds=[first, second], seed=0, max_examples=5, seconds=None, corpus=corpus
    )
    finds = Finds()
    with pytest.raises(KeyboardInterrupt), signals_interrupt():
        fuzzing.run(attack, lambda _: None, finds, as_json=False)
    assert finds.kept == [first.name]
    said = capsys.readouterr().err
    assert "FAIL wrong" in said
    assert "Stopped: the same command goes on from here." in said
