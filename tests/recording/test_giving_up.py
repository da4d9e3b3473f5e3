"""A fault in the recording itself ends the recording; the traffic goes on as if nothing recorded it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.recording.codex_stage import RECORD, session
from tests.recording.stage import answer, recorder, sends, upstream
from tests.recording.test_codex_stdio import SPEAKING
from tests.recording.test_passing_on import STREAM, converse
from tests.server.wire import TIMEOUT

SENT = answer(b"", chunks=[STREAM[:100], STREAM[100:]])


@pytest.mark.parametrize("word", ["Hi", "delta_encoding", "[DONE]"], ids=["request", "piece", "end"])
def test_a_hook_that_fails_ends_the_recording_and_not_the_traffic(word: str, tmp_path: Path) -> None:
    def hook(text: str) -> list[str]:
        if word in text:
            raise KeyError(text)
        return []

    with upstream(sends(SENT)) as backend, recorder(backend.base_url, tmp_path, hook=hook) as stage:
        assert converse(stage) == SENT
        assert converse(stage) == SENT
        assert "KeyError at tests.recording.test_giving_up:" in stage.recording.failure
        assert word not in stage.recording.failure


def test_a_hook_that_fails_on_an_app_servers_message_is_told_and_every_message_goes_on(
    tmp_path: Path,
) -> None:
    out, said = tmp_path / "my.yaml", b'{"id": 1}\n{"method": "odd"}\n'
    (tmp_path / "failing.py").write_text("def find(text):\n    return {'odd': 1 / ('odd' not in text)}\n")
    rules = tmp_path / "rules.yaml"
    rules.write_text("hook: failing:find\n")
    done = subprocess.run(
        [*RECORD, "--out", str(out), "--redact", str(rules), "--", *SPEAKING, "0"],
        input=said,
        capture_output=True,
        timeout=TIMEOUT * 4,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert (done.returncode, done.stdout) == (2, said)
    assert b"the recording broke off" in done.stderr
    assert b"ZeroDivisionError at failing:2" in done.stderr
    assert out.with_name("my.yaml.partial").exists()


def test_what_is_noted_after_the_end_does_no_harm(tmp_path: Path) -> None:
    recording = session(tmp_path / "my.yaml")
    recording.close()
    recording.messages("client", [b"{}"], "", recording.stamp())
    assert recording.recording.failure == ""
