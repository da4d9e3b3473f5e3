"""What the state machines of whole sessions have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ClassVar, TypeVar

from hypothesis.stateful import RuleBasedStateMachine

from wiretape.contract import Report
from wiretape.report import to_text

Step = TypeVar("Step", bound=Callable[..., None])


class SessionMachine(RuleBasedStateMachine):
    """A session that is drawn step by step, and judged at its end unless a step has failed."""

    results: ClassVar[Mapping[str, Any]] = {}
    """What tools must give, as in a cassette: tool to result, or to ``"echo"``."""

    def __init__(self) -> None:
        super().__init__()
        self.broken_off = False
        """Whether a step has failed: then nothing else is to be said."""

    def conclude(self) -> Report:
        """End what is open; the verdict on the whole session."""
        raise NotImplementedError

    def teardown(self) -> None:
        if not self.broken_off:
            self.judge(self.conclude())

    def judge(self, report: Report) -> None:
        """What is asked of the whole session: that no must is broken."""
        assert report.ok, to_text(report)


def step(function: Step) -> Step:
    """Note a step of a SessionMachine that does not come to its end."""

    @wraps(function)
    def run(self: SessionMachine, *given: Any, **named: Any) -> None:
        self.broken_off = True
        function(self, *given, **named)
        self.broken_off = False

    return run  # type: ignore[return-value]
