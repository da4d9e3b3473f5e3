"""``check --save-auto``: the session that was made up for a client becomes a cassette of the user's."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from wiretape.cassette import Cassette, save
from wiretape.scenario.adaptive import Adaptive
from wiretape_cli.errors import SetupError
from wiretape_cli.screen import say


def demand_one(cassettes: Iterable[Cassette], path: Path) -> None:
    """See to it that one session will be made up, and that its file is free. Raises SetupError."""
    count = sum(isinstance(each, Adaptive) for each in cassettes)
    if count != 1:
        raise SetupError(f"--save-auto keeps one made-up session, not {count}; give --cassette auto once")
    if path.exists():
        raise SetupError(f"--save-auto: {path} is there already; choose another name, or remove it")


def keep(cassette: Cassette, path: Path) -> None:
    """Save what was made up, if anything was. Raises CassetteError."""
    if isinstance(cassette, Adaptive):
        say(f"  {path} was not written: the client asked for nothing")
        return
    save(cassette, path)
    say(f"  wrote {path}")
