"""A run that is cancelled, by Ctrl-C or otherwise, leaves nothing of what it began behind."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lifeline import lifeline


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX pipes and signals")
@pytest.mark.parametrize(
    "verb", [["check", "--cassette=handoff", "--"], ["fuzz", "client", "--persistent", "--"]], ids=" ".join
)
@pytest.mark.parametrize("signal_name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_run_that_is_cancelled_leaves_no_client_behind(
    tmp_path: Path, signal_name: str, verb: list[str]
) -> None:
    number = getattr(signal, signal_name)
    with lifeline(tmp_path / "alive") as client:
        command = [*verb, sys.executable, "-c", client.holder]
        with subprocess.Popen(
            [sys.executable, "-m", "wiretape_cli", *command], stderr=subprocess.PIPE
        ) as process:
            assert client.held()
            process.send_signal(number)
            assert client.dropped()
            assert process.communicate(timeout=20)[1].strip() == b"Interrupted."
        assert process.returncode == 130
