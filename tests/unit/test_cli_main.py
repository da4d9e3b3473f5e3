"""The command as a whole: help, errors in words, exit codes from one place, quick to start."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from wiretape.cassette import CassetteError
from wiretape_cli import main as command
from wiretape_cli.exits import Exit, of_all
from wiretape_cli.main import cli, main

VERBS = (
    *("serve", "check", "codex", "record", "import", "show", "diff"),
    *("verify", "report", "decode", "rules", "lint", "fuzz", "init"),
)


def test_version_is_one_line_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("wiretape ")
    assert out.count("\n") == 1
    assert err == ""


def test_help_lists_every_verb_in_a_whole_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert set(cli.commands) == set(VERBS)
    for verb in VERBS:
        assert f"  {verb} " in out
    assert "..." not in out.partition("Commands:")[2], "a short help is cut off"


@pytest.mark.parametrize("group", ["record", "import", "fuzz"])
def test_the_help_of_a_group_tells_its_verbs_in_whole_lines(
    group: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([group, "--help"]) == 0
    assert "..." not in capsys.readouterr().out.partition("Commands:")[2].partition("Example")[0]


def test_every_option_has_a_help() -> None:
    silent = [
        f"{context.command_path} {option.opts[0]}"
        for context, verb in every_verb(cli, click.Context(cli, info_name="wiretape"))
        for option in verb.params
        if isinstance(option, click.Option) and not option.help
    ]
    assert silent == []


def every_verb(group: click.Group, context: click.Context) -> Iterator[tuple[click.Context, click.Command]]:
    for name, verb in group.commands.items():
        below = click.Context(verb, parent=context, info_name=name)
        yield below, verb
        if isinstance(verb, click.Group):
            yield from every_verb(verb, below)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_with_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, "--help"]) == 0
    out = capsys.readouterr().out
    assert "Example" in out
    assert f"wiretape {verb}" in out.partition("Example")[2]


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["check", "--help"], ["serve", "--help"]])
def test_nothing_heavy_is_loaded_to_show_help(arguments: list[str]) -> None:
    code = (
        f"import sys; from wiretape_cli.main import main; main({arguments!r})\n"
        "heavy = {'aiohttp', 'asyncio', 'yaml', 'jsonschema', 'hypothesis', 'rich', 'pytest'}\n"
        "heavy |= {'wiretape.verdict', 'wiretape.cassette', 'wiretape.redaction'}\n"
        "print('loaded:', *sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "loaded:"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["no-such-verb"], "No such command"),
        (["serve", "--no-such-option"], "No such option"),
        (["decode"], "Missing argument"),
        (["decode", "no/such/file"], "no/such/file"),
        (["verify", "no/such/file"], "no/such/file"),
        (["lint", "no/such/file"], "no/such/file"),
        (["check", "--timeout", "nan", "--", "true"], "expected a number of seconds, got nan"),
        (["check", "--timeout", "inf", "--", "true"], "expected a number of seconds, got inf"),
        (["check", "--timeout", "1e10", "--", "true"], "expected a number of seconds, got 1e+10"),
        (["fuzz", "client", "--timeout", "inf", "--", "true"], "expected a number of seconds, got inf"),
        (["fuzz", "decoder", "--time", "nan", "--python", "a:b"], "expected a number of seconds, got nan"),
        (["check", "--report", "json:.", "--", "true"], ". is a folder; name a file in it"),
    ],
)
def test_a_usage_error_exits_2(arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert why in err


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (CassetteError("the tape is torn"), 2, "Error: the tape is torn"),
        (PermissionError(13, "Permission denied", "/a/file"), 2, "Error: /a/file: Permission denied"),
        (OSError("no file at all"), 2, "Error: no file at all"),
        (KeyboardInterrupt(), 130, "Interrupted."),
        (KeyError("a bug"), 2, "a fault of wiretape, please report it: KeyError('a bug') at "),
    ],
)
def test_every_error_becomes_words_and_an_exit_code(
    error: BaseException,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    @click.command()
    def fails() -> None:
        raise error

    monkeypatch.setitem(command.cli.commands, "fails", fails)
    assert main(["fails"]) == code
    err = capsys.readouterr().err
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("exits", "code"),
    [
        ([], 0),
        ([Exit.FINE, Exit.FINE], 0),
        ([Exit.UNPLAYED, Exit.FINE], 3),
        ([Exit.UNPLAYED, Exit.VIOLATIONS], 1),
        ([Exit.VIOLATIONS, Exit.UNPLAYED, Exit.SETUP], 2),
    ],
)
def test_the_first_of_2_1_3_that_occurred_is_the_exit_code_of_all(exits: list[Exit], code: int) -> None:
    assert of_all(exits) == code


@pytest.mark.parametrize("arguments", [["rules", "--json"], ["check", "--help"], ["--version"]])
def test_a_reader_that_leaves_is_no_error(arguments: list[str]) -> None:
    """As in ``wiretape rules | head -1``."""
    command = [sys.executable, "-m", "wiretape_cli", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


def test_a_stdout_with_a_small_character_set_shows_escapes(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "wiretape_cli", "rules", "flow_a.return.recipient-is-all"],
        capture_output=True,
        env={"PYTHONIOENCODING": "iso8859-2", "PATH": str(tmp_path)},
        check=True,
        timeout=60,
    )
    assert b"\xa73 \\xabrecipient" in done.stdout
