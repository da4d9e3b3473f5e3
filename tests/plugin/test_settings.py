"""Where an option comes from: command line > environment > the test > marker > ini > default."""

from __future__ import annotations

import pytest

from pytest_wiretape import settings

VALUES = {
    "pace": ("instant", "x2", "x3", "x4", "x5", "recorded"),
    "chunks": ("byte", "event", "one", "random:1", "random:2", "recorded"),
    "ids": ("recorded", "fresh", "recorded", "fresh", "recorded", "fresh"),
    "profile": ("app", "seed-capture", "app", "seed-capture", "app", ""),
}
"""For each option what every level says, from the command line down to the default."""


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in settings.PLAYING:
        monkeypatch.delenv(f"WIRETAPE_{name.upper()}", raising=False)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize(
    "first", range(6), ids=["command line", "environment", "test", "marker", "ini", "none"]
)
def test_the_first_level_that_says_something_wins(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, name: str, first: int
) -> None:
    """Level ``first`` and all below it say something; what it says counts."""
    command_line, environment, test, marker, ini, _ = VALUES[name]
    said = [f"--wiretape-{name}={command_line}"] if first <= 0 else []
    if first <= 1:
        monkeypatch.setenv(f"WIRETAPE_{name.upper()}", environment)
    levels = [{name: test} if first <= 2 else {name: None}, {name: marker} if first <= 3 else {}]
    if first <= 4:
        pytester.makeini(f"[pytest]\nwiretape_{name} = {ini}\n")
    options = settings.play_options(pytester.parseconfig(*said), *levels)
    assert getattr(options, name) == VALUES[name][first]


@pytest.mark.parametrize(
    ("said", "profile"),
    [("app", "app"), ("flow_a=app", "app"), ("flow_a=app codex=0.98", "app"), ("codex=0.98", "")],
)
def test_a_profile_is_the_one_of_the_protocol(pytester: pytest.Pytester, said: str, profile: str) -> None:
    assert settings.play_options(pytester.parseconfig(f"--wiretape-profile={said}")).profile == profile


@pytest.mark.parametrize(
    ("arguments", "environment", "level", "ini", "strict"),
    [
        ((), "", {}, "", False),
        ((), "", {}, "true", True),
        ((), "", {"strict": False}, "true", False),
        ((), "", {"strict": True}, "", True),
        ((), "no", {"strict": True}, "", False),
        ((), "1", {"strict": False}, "", True),
        (("--wiretape-strict",), "no", {}, "", True),
        (("--wiretape-strict=off",), "1", {"strict": True}, "true", False),
    ],
)
def test_strict_is_a_switch_at_every_level(
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    environment: str,
    level: dict[str, bool],
    ini: str,
    strict: bool,
) -> None:
    monkeypatch.setenv("WIRETAPE_STRICT", environment)
    pytester.makeini(f"[pytest]\nwiretape_strict = {ini}\n")
    config = pytester.parseconfig(*arguments)
    assert settings.play_options(config, level).strict is strict


def test_a_configured_folder_is_relative_to_where_it_was_said(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WIRETAPE_CASSETTE_DIR", raising=False)
    assert settings.cassette_directory(pytester.parseconfig()) is None
    pytester.makeini("[pytest]\nwiretape_cassette_dir = in_ini\n")
    below = pytester.mkdir("below")
    monkeypatch.chdir(below)
    config = pytester.parseconfig("--rootdir", str(pytester.path), "-c", str(pytester.path / "tox.ini"))
    assert settings.cassette_directory(config) == pytester.path / "in_ini"
    monkeypatch.setenv("WIRETAPE_CASSETTE_DIR", "in_environment")
    assert settings.cassette_directory(config) == below / "in_environment"


def test_every_option_is_shown_by_help_and_the_marker_by_markers(pytester: pytest.Pytester) -> None:
    shown = pytester.runpytest_inprocess("--help", "-p", "no:asyncio").stdout
    for name in (*settings.PLAYING, "cassette_dir"):
        shown.fnmatch_lines([f"*--wiretape-{name.replace('_', '-')}*"])
        shown.fnmatch_lines([f"*wiretape_{name}*"])
    pytester.runpytest_inprocess("--markers", "-p", "no:asyncio").stdout.fnmatch_lines(
        ["@pytest.mark.wiretape(name, [*], pace*"]
    )
