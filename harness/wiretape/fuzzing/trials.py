"""One session put to a client: whether its returns are right, and the same whatever form the session has."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from wiretape.cassette.model import Cassette
from wiretape.contract import Finding, Report
from wiretape.drift.same import Difference, Differences
from wiretape.fuzzing.returns import returns
from wiretape.transcript import Transcript, is_from_client
from wiretape.verdict import verify


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A session in the form that is tried. ``plain``: the same session in the usual form, to compare with."""

    cassette: Cassette = field(compare=False, repr=False)
    plain: Cassette | None = field(default=None, compare=False, repr=False)
    faults: tuple[str, ...] = ()
    """What goes wrong on the wire while it plays."""
    identity: str = field(init=False, repr=False)
    """What makes two trials the same one."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "identity", repr((self.cassette, self.plain)))

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """Spare Hypothesis, which prints every example that fails, the whole cassettes."""
        printer.text(repr(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What became of a session: the verdict, what the client sent, and how it ended."""

    report: Report
    returns: Any
    ended: str = ""
    """Empty where the client ended as it should."""
    asked: bool = True
    """Whether the client sent anything."""
    stderr: str = ""
    """The end of what the client wrote there, where it did not end as it should."""

    @classmethod
    def of(cls, transcript: Transcript, ended: str = "", stderr: str = "") -> Played:
        """Judge a client's run."""
        return cls(
            report=verify(transcript),
            returns=returns(transcript),
            ended=ended,
            asked=any(map(is_from_client, transcript.entries)),
            stderr=stderr,
        )


Player: TypeAlias = Callable[[Trial], Played]
"""Plays a trial's cassette to the client."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Misdeed:
    """What a client does wrong in a session."""

    trial: Trial
    rule: str
    """The id of the first rule that it breaks; DIFFERS or UNPLAYED where it breaks none."""
    findings: tuple[Finding, ...] = ()
    """Of the rules that it breaks."""
    difference: Difference | None = None
    """The first place where it answers otherwise than in the usual form."""
    unplayed: tuple[str, ...] = ()
    stderr: str = ""
    """The end of what the client wrote there, where it did not end as it should."""


DIFFERS: Final = "same-return-in-any-form"
"""The session draws another return in this form than in the usual one."""
UNPLAYED: Final = "played-to-its-end"
"""The client left a part of the session unplayed, or asked for what no session has."""


class Examiner:
    """Puts trials to one client.

    What the usual form draws is remembered for the latest ``kept`` sessions: while a find shrinks they come
    again and again.
    """

    def __init__(self, player: Player, *, kept: int = 256) -> None:
        self._player = player
        self._kept = kept
        self._plain: OrderedDict[Trial, Played] = OrderedDict()

    def __call__(self, trial: Trial) -> Misdeed | None:
        """Play a trial; what is wrong with what the client did, or None."""
        played = self._player(trial)
        wrong = _verdict(trial, played)
        if wrong is not None or trial.plain is None:
            return wrong
        in_usual_form = Trial(cassette=trial.plain)
        usual = self._usual(in_usual_form)
        return _verdict(in_usual_form, usual) or _difference(trial, usual, played)

    def _usual(self, trial: Trial) -> Played:
        """What the usual form draws; played once."""
        played = self._plain.pop(trial, None) or self._player(trial)
        self._plain[trial] = played
        if len(self._plain) > self._kept:
            self._plain.popitem(last=False)
        return played


def _verdict(trial: Trial, played: Played) -> Misdeed | None:
    violations = played.report.violations
    if violations:
        return Misdeed(trial=trial, rule=violations[0].rule, findings=violations, stderr=played.stderr)
    unplayed = (*played.report.unplayed, *played.report.errors)
    if unplayed and not trial.faults:
        return Misdeed(trial=trial, rule=UNPLAYED, unplayed=unplayed, stderr=played.stderr)
    return None


def _difference(trial: Trial, usual: Played, played: Played) -> Misdeed | None:
    before, now = ({"returns": each.returns, "ended": each.ended} for each in (usual, played))
    difference = next(Differences(shape=False).between(before, now), None)
    if difference is None:
        return None
    return Misdeed(trial=trial, rule=DIFFERS, difference=difference, stderr=played.stderr)
