"""Where an option comes from: command line, environment, the test, ini file, default; in this order."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import pytest

from wiretape.faults import Fault, FaultError, read_file
from wiretape_server.options import OptionError, PlayOptions
from wiretape_server.profiles import demanded

PLAYING = ("pace", "chunks", "ids", "strict", "faults", "profile", "seed")
SWITCH = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}
MARKER_OPTIONS = {*PLAYING, "own_port"}


def refuse(text: str) -> NoReturn:
    """Fail the test with one sentence: something was asked for that does not exist."""
    raise pytest.fail.Exception(f"wiretape: {text}", pytrace=False) from None


def play_options(
    config: pytest.Config,
    *levels: Mapping[str, Any],
    protocol: str = "flow_a",
    app_server: Iterable[str] = (),
) -> PlayOptions:
    """How to play; ``levels`` are what the test says, the nearest first. A value without meaning fails it."""
    given = {name: value for name in PLAYING if (value := resolve(config, name, *levels)) is not None}
    if "strict" in given:
        given["strict"] = switch(given["strict"])
    if "faults" in given:
        given["faults"] = _faults(config, given["faults"])
    if "seed" in given:
        given["seed"] = _whole(given["seed"])
    try:
        # Blanks part several: "flow_a=app codex=0.98" serves a suite that plays both.
        given["profile"] = demanded(str(given.get("profile", "")).split(), protocol)
        return PlayOptions.parse(**given, app_server=app_server)
    except OptionError as error:
        refuse(str(error))


def _faults(config: pytest.Config, given: Any) -> Iterable[str | Fault]:
    """Faults as a list, as one text with blanks between them, or in a YAML file below the root folder."""
    texts: Any = given.split() if isinstance(given, str) else [given] if isinstance(given, Path) else given
    found: list[str | Fault] = []
    for each in texts:
        if isinstance(each, Path) or str(each).endswith((".yaml", ".yml")):
            found += _faults_in(config.rootpath / str(each))
        else:
            found.append(each)
    return found


def _faults_in(path: Path) -> Iterable[Fault]:
    try:
        return read_file(path.read_bytes())
    except (FaultError, OSError) as error:
        refuse(f"{path}: {error}")


def resolve(config: pytest.Config, name: str, *levels: Mapping[str, Any]) -> Any:
    """An option's value, wherever it comes from; None when nobody gives it."""
    from_outside = config.getoption(f"wiretape_{name}") or os.environ.get(f"WIRETAPE_{name.upper()}")
    if from_outside:
        return from_outside
    for level in levels:
        if level.get(name) is not None:
            return level[name]
    return config.getini(f"wiretape_{name}") or None


def switch(value: object) -> bool:
    """Read yes or no; anything else fails the test."""
    on = value if isinstance(value, bool) else SWITCH.get(str(value).strip().lower())
    if on is None:
        refuse(f"strict is {value!r}; give {' or '.join(SWITCH)}")
    return on


def _whole(value: object) -> int:
    """Read a whole number; anything else fails the test."""
    try:
        return int(str(value))
    except ValueError:
        refuse(f"seed is {value!r}; give a whole number")


def cassette_directory(config: pytest.Config) -> Path | None:
    """Where cassettes are looked up first; an ini setting is relative to the root folder. None: nowhere."""
    from_outside = config.getoption("wiretape_cassette_dir") or os.environ.get("WIRETAPE_CASSETTE_DIR")
    if from_outside:
        return config.invocation_params.dir / from_outside
    configured = config.getini("wiretape_cassette_dir")
    return config.rootpath / configured if configured else None


def marked(item: pytest.Item) -> tuple[str | None, dict[str, Any]]:
    """The cassette and the options that the test's markers name; the nearest marker wins."""
    name: str | None = None
    options: dict[str, Any] = {}
    for marker in item.iter_markers("wiretape"):
        if unknown := marker.kwargs.keys() - MARKER_OPTIONS:
            known = ", ".join(sorted(MARKER_OPTIONS))
            refuse(f"the marker has no option {', '.join(sorted(unknown))}; it has {known}")
        if len(marker.args) > 1:
            refuse(f"the marker takes one cassette, got {marker.args!r}")
        name = name or next(iter(marker.args), None)
        options = {**marker.kwargs, **options}
    return name, options
