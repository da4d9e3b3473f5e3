"""``wiretape record codex`` in the place of a program: its bytes, its ends, its exit code, its file."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recording import speaking
from tests.recording.codex_stage import RECORD, playing
from tests.server.codex_wires import Program
from tests.server.wire import TIMEOUT
from wiretape import load_cassette, verify
from wiretape.cassette import Cassette
from wiretape_cli.main import main
from wiretape_server.thread import ServerThread

posix = pytest.mark.skipif(sys.platform == "win32", reason="signals to another process")
SPEAKING = [sys.executable, speaking.__file__, "app-server"]
TURN = {"method": "turn/started", "params": {"threadId": "t", "turn": {"id": "1"}}}
LINES = [b'{"id": 1, "method": "initialize"}', b"no json", b"", b"\xff\xfe\x00", b"=x\r", b" {}"]


def record(out: Path, stdin: bytes = b"", *, code: int = 0, append: bool = False) -> tuple[int, bytes, str]:
    """Record the speaking program: exit code, stdout and stderr."""
    options = ["--append"] if append else []
    done = subprocess.run(
        [*RECORD, "--out", str(out), *options, "--", *SPEAKING, str(code)],
        input=stdin,
        capture_output=True,
        timeout=TIMEOUT * 4,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr.decode()


def spoken(cassette: Cassette, direction: str) -> list[bytes]:
    return [frame.data for frame in cassette.frames if frame.direction == direction]


def test_every_byte_goes_through_and_every_line_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "my.yaml"
    said = b"\n".join(LINES) + b"\nno newline at the end"
    code, heard, _ = record(out, said)
    assert (code, heard) == (0, said)
    cassette = load_cassette(out)
    want = [*LINES, b"no newline at the end"]
    assert spoken(cassette, "client") == want
    assert spoken(cassette, "server") == want


def test_the_exit_code_and_the_last_words_are_the_programs_and_are_kept(tmp_path: Path) -> None:
    out = tmp_path / "my.yaml"
    code, _, stderr = record(out, b"{}\n", code=7)
    assert code == 7
    assert stderr.startswith(speaking.LAST_WORDS + speaking.SECRET)
    (program,) = load_cassette(out).extensions["x-programs"]
    assert (program["connection"], program["exit_code"]) == ("", 7)
    assert program["stderr"][:2] == ["one", "two"]
    assert len(program["stderr"][2]) == len(speaking.SECRET)


def test_no_secret_is_in_the_file_while_the_client_hears_it(tmp_path: Path) -> None:
    secret = speaking.SECRET
    pieces = [f"key {secret[:9]}", secret[9:15], f"{secret[15:]} end"]
    deltas = [
        {"method": "item/agentMessage/delta", "params": {"threadId": "t", "itemId": "m", "delta": piece}}
        for piece in pieces
    ]
    said = b"".join(json.dumps(each).encode() + b"\n" for each in [*deltas, {"token": "ey1234567"}])
    _, heard, _ = record(tmp_path / "my.yaml", said)
    assert heard == said
    written = (tmp_path / "my.yaml").read_bytes()
    assert b"ey1234567" not in written
    for piece in (secret, secret[:9], secret[9:15], secret[15:]):
        assert piece.encode() not in written
    assert b"key " in written
    assert b" end" in written


def test_no_argument_of_the_program_is_in_the_file(tmp_path: Path) -> None:
    out = tmp_path / "my.yaml"
    command = [
        *RECORD,
        "--out",
        str(out),
        "--",
        *SPEAKING,
        "0",
        "--token",
        "opaque4711",
        "-c",
        'key="opaque4711"',
    ]
    subprocess.run(command, input=b"{}\n", capture_output=True, timeout=TIMEOUT * 4, check=True)
    basis = f"a tee on the stdio of {Path(sys.executable).name} app-server"
    assert load_cassette(out).provenance.basis == (basis,)
    assert "opaque4711" not in out.read_text()


def test_a_cassette_is_not_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "my.yaml"
    out.write_bytes(b"mine")
    code, heard, said = record(out, b"{}\n")
    assert (code, heard) == (2, b"")
    assert f"{out} exists" in said
    assert out.read_bytes() == b"mine"


def test_the_rest_of_another_recording_is_not_overwritten(tmp_path: Path) -> None:
    partial = tmp_path / "my.yaml.partial"
    partial.write_bytes(b"")
    code, _, said = record(tmp_path / "my.yaml", b"{}\n", append=True)
    assert code == 2
    assert f"wiretape record --recover {partial}" in said


def test_an_empty_session_is_not_saved(tmp_path: Path) -> None:
    code, _, said = record(tmp_path / "my.yaml")
    assert code == 2
    assert "nothing was recorded" in said
    assert list(tmp_path.iterdir()) == []


def test_a_program_started_again_is_put_behind_when_asked(tmp_path: Path) -> None:
    out = tmp_path / "my.yaml"
    for line in (b"1", b"2", b"3"):
        assert record(out, line + b"\n", append=True)[0] == 0
    cassette = load_cassette(out)
    assert [(frame.connection, frame.data) for frame in cassette.frames[::2]] == [
        ("", b"1"),
        ("c2", b"2"),
        ("c3", b"3"),
    ]
    assert [each["connection"] for each in cassette.extensions["x-programs"]] == ["", "c2", "c3"]
    assert list(cassette.provenance.gaps) == []


def test_a_cassette_of_another_protocol_is_not_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "my.yaml"
    out.write_bytes(Path(load_cassette("flow_a/plain_answer").source).read_bytes())
    assert main(["record", "codex", "--out", str(out), "--append", "--", *SPEAKING, "0"]) == 2
    assert "holds flow_a, not codex" in capsys.readouterr().err


def test_another_command_of_the_program_is_run_and_not_recorded(tmp_path: Path) -> None:
    out = tmp_path / "my.yaml"
    program = [sys.executable, "-c", "print('codex-cli 1.0'); raise SystemExit(3)"]
    done = subprocess.run(
        [*RECORD, "--out", str(out), "--", *program], capture_output=True, timeout=TIMEOUT * 4, check=False
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (3, [b"codex-cli", b"1.0"], b"")
    assert not out.exists()


@posix
def test_another_command_that_a_signal_ends_has_the_exit_code_that_shells_give(tmp_path: Path) -> None:
    program = [sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"]
    assert main(["record", "codex", "--out", str(tmp_path / "my.yaml"), "--", *program]) == 128 + 9


def test_a_program_that_cannot_be_started_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "my.yaml"
    assert main(["record", "codex", "--out", str(out), "--", str(tmp_path / "none"), "app-server"]) == 2
    assert f"{tmp_path / 'none'} can't be started" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments", [[], ["--listen", "ws://127.0.0.1:1"], ["--listen", "x", "--", "codex"]]
)
def test_half_a_command_line_is_refused(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["record", "codex", "--out", str(tmp_path / "my.yaml"), *arguments]) == 2
    assert "either a command behind --, or --listen and --upstream" in capsys.readouterr().err


@posix
def test_a_signal_goes_on_to_the_program_and_the_session_is_saved(tmp_path: Path) -> None:
    out = tmp_path / "my.yaml"
    with Program([*RECORD, "--out", str(out), "--", *SPEAKING, "0"]) as client:
        client.write(b"{}")
        assert client.read() == b"{}\n"
        client.process.send_signal(signal.SIGTERM)
        assert client.process.wait(TIMEOUT) == 128 + signal.SIGTERM
    assert spoken(load_cassette(out), "server") == [b"{}"]


@posix
def test_a_recording_that_is_killed_is_recovered_up_to_what_was_heard_last(
    server: ServerThread, tmp_path: Path
) -> None:
    out, partial = tmp_path / "my.yaml", tmp_path / "my.yaml.partial"
    with playing(server, load_cassette("codex/dynamic_tool_text")) as playback:
        command = [*RECORD, "--out", str(out), "--", str(playback.bin), "app-server"]
        with Program(command) as client:
            thread, call = client.call(playback)
            client.ask(
                "thread/read", {"threadId": thread}
            )  # what comes behind the call: that is written then
            client.process.kill()
            client.process.wait(TIMEOUT)
    assert not out.exists()
    assert main(["record", "--recover", str(partial), "--out", str(out)]) == 0
    assert not partial.exists()
    cassette = load_cassette(out)
    assert call in [json.loads(data) for data in spoken(cassette, "server")]
    assert cassette.expect.user_message == "go"
    assert [len(step.items) for step in cassette.model] == [1]
    assert "The recording ended before the session did." in cassette.provenance.gaps
    assert {finding.rule for finding in verify(cassette).violations} == {"codex.call.answered"}


def test_a_recorder_over_stdio_starts_without_anything_heavy() -> None:
    look = "import sys, wiretape_cli.codex_recording; sys.exit(bool({'aiohttp', 'asyncio'} & {*sys.modules}))"
    assert subprocess.run([sys.executable, "-c", look], timeout=TIMEOUT * 4, check=False).returncode == 0


@posix
def test_a_client_that_reads_no_more_ends_the_program(tmp_path: Path) -> None:
    program = [sys.executable, "-c", "while True: print('{}', flush=True)", "app-server"]
    command = [*RECORD, "--out", str(tmp_path / "my.yaml"), "--", *program]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"{}\n"
        process.stdout.close()
        assert process.wait(TIMEOUT * 2) != 0


def run_program(code: str, out: Path) -> subprocess.Popen[bytes]:
    """Record a program that is this Python code."""
    program = [sys.executable, "-c", f"import os, sys, time\n{code}", "app-server"]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*RECORD, "--out", str(out), "--", *program], stdin=pipe, stdout=pipe, stderr=pipe
    )


@posix
def test_a_client_that_is_slow_to_read_gets_all_of_a_program_that_has_ended(tmp_path: Path) -> None:
    out = tmp_path / "my.yaml"
    many = 1500  # more than the client's pipe holds, and less than with the program's
    with run_program(f'sys.stdout.write(\'{{"a": "{"x" * 53}"}}\\n\' * {many})', out) as client:
        with pytest.raises(
            subprocess.TimeoutExpired
        ):  # it waits for its client, longer than for a silent pipe
            client.wait(2.5)
        heard, _ = client.communicate(timeout=TIMEOUT)
    assert heard.count(b"\n") == many
    assert len(load_cassette(out).frames) == many


@posix
@pytest.mark.parametrize("descriptor", [0, 1])
def test_what_a_program_closes_while_it_lives_is_closed_for_its_client(
    descriptor: int, tmp_path: Path
) -> None:
    code = f"print('{{}}', flush=True); os.close({descriptor}); time.sleep(8)"
    with run_program(code, tmp_path / "my.yaml") as client:
        assert client.stdout is not None
        assert client.stdin is not None
        assert client.stdout.readline() == b"{}\n"
        if descriptor == 1:
            assert client.stdout.readline() == b""
        else:
            with pytest.raises(BrokenPipeError):
                client.stdin.write(b"x" * (1 << 20))
        client.terminate()
        assert client.wait(TIMEOUT) == 128 + signal.SIGTERM  # it had not ended before


@posix
def test_the_exit_code_is_the_programs_also_when_nothing_can_be_saved(tmp_path: Path) -> None:
    out = tmp_path / "my.yaml"
    code, _, said = record(out, code=7)
    assert (code, out.exists()) == (7, False)
    assert "Error: nothing was recorded" in said
