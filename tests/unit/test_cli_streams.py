"""Streams that nobody reads, that are closed or full: the exit code still tells the verdict."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from wiretape_cli.main import main

FULL = Path("/dev/full")
posix = pytest.mark.skipif(os.name != "posix", reason="the shell closes the streams")
full = pytest.mark.skipif(not FULL.exists(), reason="there is no device that is always full")

CHECK = (
    "check",
    "--cassette",
    "plain_answer",
    "--report",
    "github",
    "--",
    sys.executable,
    "-c",
    "raise SystemExit(7)",
)
SLIP = ("check", "--casette", "plain_answer")
VERIFY = ("verify", "--json", "cassettes/flow_a/plain_answer.yaml")
SEVERAL = ("check", "--cassette", "handoff", "--cassette", "two_calls", "--", sys.executable, "-c", "")
SHOW = ("show", "plain_answer")


def run(arguments: Sequence[str], redirection: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a shell, with its streams redirected."""
    command = [sys.executable, "-m", "wiretape_cli", *arguments]
    return subprocess.run(
        ["sh", "-c", f'"$@" {redirection}', "sh", *command],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@posix
@pytest.mark.parametrize(
    ("arguments", "redirection", "exit_code"),
    [
        (CHECK, "2>&-", 2),
        (CHECK, ">&-", 2),
        (CHECK, ">&- 2>&-", 2),
        (SLIP, "2>&-", 2),
        (SEVERAL, "2>&-", 3),
        (SHOW, ">&-", 0),
        (VERIFY, ">&-", 0),
        pytest.param(CHECK, "2>/dev/full", 2, marks=full),
        pytest.param(SLIP, "2>/dev/full", 2, marks=full),
    ],
)
def test_a_stream_that_takes_nothing_changes_no_exit_code(
    arguments: Sequence[str], redirection: str, exit_code: int
) -> None:
    done = run(arguments, redirection, FORCE_COLOR="1")
    assert done.returncode == exit_code
    assert "fault of wiretape" not in done.stderr
    assert "Traceback" not in done.stderr


@posix
@pytest.mark.parametrize("forced", ["0", "1"])
@pytest.mark.parametrize("arguments", [CHECK, SLIP])
def test_a_reader_that_has_left_changes_no_exit_code(arguments: Sequence[str], forced: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "wiretape_cli", *arguments],
            env={**os.environ, "FORCE_COLOR": forced},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=writing,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)
    assert done.returncode == 2


@posix
@full
def test_a_stdout_that_is_full_is_named() -> None:
    done = run(VERIFY, "> /dev/full")
    assert done.returncode == 2
    assert "Error: stdout: No space left on device" in done.stderr


@full
def test_a_report_that_does_not_fit_on_the_disk_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--report", f"html:{FULL}", VERIFY[-1]]) == 2
    assert f"Error: {FULL}: No space left on device" in capsys.readouterr().err
