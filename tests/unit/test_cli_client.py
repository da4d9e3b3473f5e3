"""Running a client command: its end, its output, its time limit, and that nothing of it is left."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.lifeline import lifeline
from wiretape_cli.client import TAIL, ClientRun, StartError, run_client

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="process groups are POSIX")


def run_python(code: str, *, timeout: float = 20, **variables: str) -> ClientRun:
    return run_client([sys.executable, "-c", code], variables, timeout=timeout)


def test_a_client_that_ends_well_has_exit_code_zero_and_its_output_is_kept() -> None:
    run = run_python("import sys; print('out'); print('err', file=sys.stderr)")
    assert (run.exit_code, run.crashed, run.timed_out) == (0, False, False)
    assert (run.stdout.strip(), run.stderr.strip()) == ("out", "err")


def test_a_crash_is_told_from_a_good_end() -> None:
    run = run_python("raise SystemExit('no backend')")
    assert (run.exit_code, run.crashed, run.timed_out) == (1, True, False)
    assert "no backend" in run.stderr


@posix_only
def test_a_client_that_a_signal_ended_has_crashed() -> None:
    run = run_python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert (run.exit_code, run.crashed) == (-9, True)


def test_the_client_sees_the_variables_beside_its_own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_USER", "kept")
    run = run_python(
        "import os; print(os.environ['OF_THE_USER'], os.environ['WIRETAPE_X'])", WIRETAPE_X="héllo"
    )
    assert run.exit_code == 0
    assert run.stdout.split()[0] == "kept"


def test_the_client_has_no_terminal_to_ask() -> None:
    assert run_python("import sys; print(repr(sys.stdin.read()))").stdout.strip() == "''"


def test_only_the_tail_of_much_output_is_kept_and_the_client_never_blocks_on_it() -> None:
    run = run_python("import sys; sys.stderr.write('x' * 1_000_000 + 'the end')")
    assert run.exit_code == 0
    assert len(run.stderr) == TAIL
    assert run.stderr.endswith("xthe end")


def test_output_that_is_no_text_is_no_error() -> None:
    assert run_python(r"import sys; sys.stdout.buffer.write(b'\xff\x00ok')").stdout == "\ufffd\x00ok"


def test_the_time_limit_ends_a_client_that_would_never_end() -> None:
    run = run_python("import threading; print('waiting', flush=True); threading.Event().wait()", timeout=0.5)
    assert (run.exit_code, run.timed_out, run.crashed) == (None, True, False)


@posix_only
def test_a_client_that_ignores_a_polite_end_is_killed() -> None:
    code = "import signal, threading; signal.signal(signal.SIGTERM, signal.SIG_IGN); threading.Event().wait()"
    assert run_python(code, timeout=0.5).timed_out


@posix_only
@pytest.mark.parametrize(("after", "timeout"), [("child.wait()", 1.0), ("", 20.0)])
def test_what_a_client_started_ends_with_it(tmp_path: Path, after: str, timeout: float) -> None:
    """At the time limit, and also when the client ended by itself and forgot its child."""
    with lifeline(tmp_path / "alive") as grandchild:
        code = (
            "import subprocess, sys\n"
            f"child = subprocess.Popen([sys.executable, '-c', {grandchild.holder!r}])\n"
            f"open({str(tmp_path / 'alive')!r}).read(1)\n"  # waits until the child is there
            f"{after}\n"
        )
        run_python(code, timeout=timeout)
        assert grandchild.dropped()


@posix_only
def test_a_script_whose_interpreter_is_missing_is_not_said_to_be_missing_itself(tmp_path: Path) -> None:
    script = tmp_path / "client"
    script.write_text("#!/no/such/interpreter\n", encoding="utf-8")
    script.chmod(0o755)
    with pytest.raises(StartError, match=r"what the first line of .*client names is not there"):
        run_client([str(script)], {}, timeout=5)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["wiretape-no-such-program", "--x"], "no program 'wiretape-no-such-program' on PATH"),
        ([str(Path(__file__).parent)], "can't be started"),
        ([sys.executable, "a\0b"], "null byte"),
    ],
)
def test_a_command_that_cannot_be_started_is_told_in_words(command: list[str], why: str) -> None:
    with pytest.raises(StartError, match=why) as caught:
        run_client(command, {}, timeout=5)
    assert command[0] in str(caught.value)
