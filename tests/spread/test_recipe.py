"""Fuzzing that is spread over processes: the recipe of the documentation, word by word."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "fuzzing-in-ci.md"
WITHIN = 120.0
"""Seconds that pytest may take with all its workers."""
RIGHT = "from tests.fuzzing.python_decoders import right as messages\n"
QUICK = """
from hypothesis import Phase, settings

settings.register_profile("quick", phases=[Phase.reuse, Phase.generate])
settings.load_profile("quick")
"""
"""Finds are kept as they are: to make them small takes the most time."""
WRONG = "def messages(data):\n    return []\n"


def block(language: str) -> str:
    """The first block of code of a language on the page."""
    found = re.search(rf"```{language}\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found
    return found[1]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the test of the page, and a decoder that is still to be written."""
    (tmp_path / "my_package").mkdir()
    (tmp_path / "my_package" / "__init__.py").touch()
    (tmp_path / "test_decoder_fuzz.py").write_text(block("python"), "utf-8")
    (tmp_path / "conftest.py").write_text(QUICK, "utf-8")
    return tmp_path


def fuzzed(project: Path, decoder: str, *, examples: int) -> subprocess.CompletedProcess[str]:
    (project / "my_package" / "stream.py").write_text(decoder, "utf-8")
    environment = os.environ | {
        "CI": "true",
        "FUZZ_SHARES": "2",
        "FUZZ_EXAMPLES": str(examples),
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }
    environment.pop("HYPOTHESIS_PROFILE", None)
    command = [sys.executable, "-m", "pytest", "-n", "2", "-q", "-p", "no:cacheprovider"]
    return subprocess.run(
        [*command, "test_decoder_fuzz.py"],
        cwd=project,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=WITHIN,
        check=False,
    )


def test_workers_find_what_is_wrong_and_share_it_through_a_folder(project: Path) -> None:
    first = fuzzed(project, WRONG, examples=100)
    assert "2 failed" in first.stdout
    assert any((project / ".fuzz-examples").iterdir())
    again = fuzzed(project, WRONG, examples=1)  # one example a share is enough: what failed comes first
    assert "2 failed" in again.stdout


def test_a_share_ends_with_its_first_find() -> None:
    """Without it a decoder with many faults keeps pytest busy for minutes, which is nothing to run here."""
    assert "report_multiple_bugs=False" in block("python")


def test_workers_find_nothing_in_a_decoder_that_is_right(project: Path) -> None:
    done = fuzzed(project, RIGHT, examples=20)
    assert (done.returncode, "2 passed" in done.stdout) == (0, True), done.stdout


def test_the_nightly_job_of_the_page_is_yaml_that_runs_a_verb() -> None:
    job = yaml.safe_load(block("yaml"))["jobs"]["decoder"]
    runs = [step["run"] for step in job["steps"] if "run" in step]
    assert runs[-1].startswith("wiretape fuzz decoder ")
    assert [step["uses"] for step in job["steps"] if "if" in step] == ["actions/upload-artifact@v4"]
