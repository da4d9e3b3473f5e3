"""Decoders that are processes: nothing that they started outlives them, and the text says how they ended."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from pathlib import Path

import pytest

from wiretape.fuzzing import CrashedError
from wiretape_cli import line_process
from wiretape_cli.decoders import OneShot
from wiretape_cli.line_process import LineProcess, NoAnswerError

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the commands are of a POSIX shell")


@pytest.fixture
def held(tmp_path: Path) -> Iterator[int]:
    """The reading end of the FIFO ``held``: it ends when nobody holds the other one."""
    os.mkfifo(tmp_path / "held")
    end = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    yield end
    os.close(end)


def shell(script: str, folder: Path) -> list[str]:
    return ["sh", "-c", f'exec 3>"$0"; {script}', str(folder / "held")]


def is_let_go(end: int) -> bool:
    ready, _, _ = select.select([end], [], [], 10)
    return bool(ready) and os.read(end, 1) == b""


def test_what_a_process_that_hangs_has_started_is_ended_with_it(tmp_path: Path, held: int) -> None:
    process = LineProcess(shell("sleep 600 & wait", tmp_path), 1)
    with pytest.raises(NoAnswerError, match="no answer within 1 s"):
        process.ask({})
    assert is_let_go(held)


def test_what_a_process_forgot_when_it_ended_is_ended_too(tmp_path: Path, held: int) -> None:
    process = LineProcess(shell("sleep 600 & read line; echo '{\"id\": 1}'; read line", tmp_path), 20)
    process.ask({})
    process.close()
    assert is_let_go(held)


@pytest.mark.parametrize("babble", ["while :; do echo '{\"id\": 1}'; done", "cat /dev/zero"])
def test_a_process_that_never_ends_to_speak_is_not_listened_to_for_ever(
    tmp_path: Path, held: int, babble: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_process, "_LONGEST", 1 << 10)
    process = LineProcess(shell(f"read line; echo '{{\"id\": 1}}'; {babble}", tmp_path), 20)
    process.ask({})
    assert is_let_go(held)
    process.close()


@pytest.mark.usefixtures("held")
def test_a_process_that_closes_its_output_did_not_end(tmp_path: Path) -> None:
    process = LineProcess(shell("read line; exec >&-; sleep 600", tmp_path), 20)
    with pytest.raises(NoAnswerError, match="the process closed its stdin or stdout, without an answer"):
        process.ask({})


def test_what_a_command_that_is_run_once_has_started_is_ended_with_it(tmp_path: Path, held: int) -> None:
    with pytest.raises(CrashedError, match="no answer within 1 s"):
        OneShot(shell("sleep 600 & wait", tmp_path), 1)(b"")
    assert is_let_go(held)


def test_what_a_command_that_is_run_once_forgot_is_ended_too(tmp_path: Path, held: int) -> None:
    assert OneShot(shell("sleep 600 >&- 2>&- & echo '[]'", tmp_path), 20)(b"") == []
    assert is_let_go(held)
