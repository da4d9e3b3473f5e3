"""``wiretape check --inspect``: the page is there from the start, and stays after the run until Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.inspector import sessions

BROKEN = Path(__file__).parents[1] / "conformance" / "broken.py"
WITHIN = 60
FLAGS = subprocess.CREATE_NEW_PROCESS_GROUP if sys.platform == "win32" else 0
INTERRUPT = signal.CTRL_BREAK_EVENT if sys.platform == "win32" else signal.SIGINT


@pytest.mark.parametrize(
    ("client", "exit_code", "said"),
    [
        ([str(BROKEN), f"flow_a.{sessions.BREAKS}"], 1, "1 violation"),
        (["-c", "import urllib.request, os; urllib.request.urlopen(os.environ['WIRETAPE_BASE_URL'] + "
          "'/backend-api/ios/attestation_challenge')"], 3, "not played to its end"),
    ],
)  # fmt: skip
def test_the_page_stays_until_ctrl_c_and_the_exit_code_is_the_verdicts(
    client: list[str], exit_code: int, said: str, tmp_path: Path
) -> None:
    report = tmp_path / "report.json"
    options = ["--inspect", "--pace", "instant", "--cassette", "alefita_way", "--report", f"json:{report}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "wiretape_cli", "check", *options, "--", sys.executable, *client],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        encoding="utf-8",
        env=os.environ | {"NO_COLOR": "1"},
        creationflags=FLAGS,
    )
    try:
        assert process.stderr is not None
        first = process.stderr.readline()
        found = re.fullmatch(r"inspector: (http://127\.0\.0\.1:\d+/inspector/)\n", first)
        assert found, first
        for line in process.stderr:
            if "stays until Ctrl-C" in line:
                break
        assert json.loads(report.read_text("utf-8"))["cassettes"]
        with urllib.request.urlopen(found[1], timeout=WITHIN) as answer:
            page = answer.read().decode()
        assert said in page
        assert 'href="/inspector/play/alefita_way/"' in page
        process.send_signal(INTERRUPT)
        process.stderr.read()
        assert process.wait(WITHIN) == exit_code
    finally:
        process.kill()
        process.wait(WITHIN)
        if process.stderr is not None:
            process.stderr.close()
