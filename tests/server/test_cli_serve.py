"""``wiretape serve``: one line when it is ready, plays under their names, a clean end, transcripts."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from wiretape_cli.main import main
from wiretape_cli.serving import is_loopback

CLIENTS = Path(__file__).parents[1] / "conformance"
RUN_REFERENCE = (
    "import os; from reference_client import *; ReferenceClient.from_environment(os.environ).run()"
)
WITHIN = 20
ENDS = (
    [signal.SIGINT, signal.SIGHUP, signal.SIGTERM] if sys.platform != "win32" else [signal.CTRL_BREAK_EVENT]
)


@dataclass(slots=True)
class Served:
    """A running ``wiretape serve``."""

    process: subprocess.Popen[str]
    ready: dict[str, Any]

    def url(self, path: str) -> str:
        return str(self.ready["base_url"]) + path

    def get(self, path: str) -> bytes:
        with urllib.request.urlopen(self.url(path), timeout=WITHIN) as answer:
            data: bytes = answer.read()
            return data

    def end(self, number: int = ENDS[-1]) -> tuple[int, str, str]:
        """Send a signal; exit code, the rest of stdout, stderr."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=WITHIN)
        return self.process.returncode, out, err


@contextmanager
def serve(*arguments: str) -> Iterator[Served]:
    flags = subprocess.CREATE_NEW_PROCESS_GROUP if sys.platform == "win32" else 0
    process = subprocess.Popen(
        [sys.executable, "-m", "wiretape_cli", "serve", "--pace", "instant", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        creationflags=flags,
    )
    with process:
        try:
            assert process.stdout is not None
            yield Served(process, json.loads(process.stdout.readline()))
        finally:
            process.kill()


def play(base_url: str, message: str, tools: list[Any]) -> None:
    """Play a session with the reference client."""
    client = {
        "PYTHONPATH": str(CLIENTS),
        "WIRETAPE_BASE_URL": base_url,
        "WIRETAPE_USER_MESSAGE": message,
        "WIRETAPE_TOOLS": json.dumps(tools),
        "WIRETAPE_TOOL_RESULTS": "{}",
    }
    subprocess.run([sys.executable, "-c", RUN_REFERENCE], env=client, check=True, timeout=WITHIN)


def test_one_json_line_says_where_everything_is() -> None:
    with serve("alefita_way") as served:
        assert served.ready.keys() == {
            *("base_url", "codex_ws_url", "codex_bin", "codex_bridge", "inspector_url", "pid")
        }
        assert served.ready["base_url"].startswith("http://127.0.0.1:")
        assert served.ready["codex_ws_url"] is None
        assert served.ready["inspector_url"] == served.url("/inspector/")
        assert served.ready["pid"] == served.process.pid


@pytest.mark.parametrize("number", ENDS)
def test_a_signal_ends_it_cleanly(number: int) -> None:
    with serve("alefita_way") as served:
        assert served.end(number) == (0, "", "")


def test_a_signal_ends_it_while_a_stream_is_open() -> None:
    with (
        serve("plain_answer", "--pace", "x1000") as served,
        socket.create_connection(
            ("127.0.0.1", int(served.ready["base_url"].rpartition(":")[2])), timeout=WITHIN
        ) as client,
    ):
        body = b'{"action":"next","messages":[]}'
        client.sendall(
            b"POST /play/plain_answer/backend-api/f/conversation HTTP/1.1\r\nHost: x\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
        )
        assert client.recv(12) == b"HTTP/1.1 200"
        assert served.end()[::2] == (0, "")


def test_each_cassette_plays_under_its_name_and_the_first_one_without() -> None:
    with serve("alefita_way", "flow_a/handoff") as served:
        for prefix in ("/play/alefita_way", "/play/flow_a/handoff", ""):
            assert b"attestation_challenge" in served.get(prefix + "/backend-api/ios/attestation_challenge")
        with pytest.raises(urllib.error.HTTPError) as caught:
            served.get("/play/two_calls/backend-api/ios/attestation_challenge")
        with caught.value as answer:
            assert answer.code == 404
            assert served.url("/play/alefita_way") in answer.read().decode()


def test_without_names_every_bundled_cassette_plays() -> None:
    with serve() as served:
        for name in ("alefita_way", "plain_answer", "two_calls"):
            assert served.get(f"/play/{name}/backend-api/ios/attestation_challenge")


def test_a_file_plays_under_its_name_without_ending(tmp_path: Path) -> None:
    from wiretape.cassette import bundled_directory

    file = tmp_path / "my tape.yaml"
    file.write_bytes((bundled_directory() / "flow_a" / "plain_answer.yaml").read_bytes())
    with serve(str(file)) as served:
        assert served.get("/play/my%20tape/backend-api/ios/attestation_challenge")


def test_transcripts_are_written_at_the_end_and_draw_the_same_verdict(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new" / "transcripts"
    with serve("plain_answer", "flow_a/handoff", "--transcript-dir", str(folder)) as served:
        play(served.url("/play/plain_answer"), "Hello", [])
        code, _, err = served.end()
    assert code == 0
    assert sorted(file.name for file in folder.iterdir()) == ["flow_a.handoff.jsonl", "plain_answer.jsonl"]
    assert f"wrote {folder / 'plain_answer.jsonl'}" in err
    assert main(["verify", str(folder / "plain_answer.jsonl")]) == 0
    assert "plain_answer: ok" in capfd.readouterr().err
    assert main(["verify", str(folder / "flow_a.handoff.jsonl")]) == 0, "never 3 on a transcript"


def test_a_port_that_is_taken_is_a_set_up_error(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "alefita_way", "--port", str(port)]) == 2
    err = capfd.readouterr().err
    assert f"can't listen on 127.0.0.1 port {port}" in err
    assert "another port" in err.lower()


def test_a_host_that_others_may_reach_prints_a_warning(capfd: pytest.CaptureFixture[str]) -> None:
    """Shown with one that can't be listened on, so that no test opens a port to the world."""
    assert main(["serve", "alefita_way", "--host", "no such host"]) == 2
    assert "warning: no such host can be reached from other machines" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        *((each, True) for each in ("127.0.0.1", "127.1.2.3", "::1", "localhost")),
        *((each, False) for each in ("0.0.0.0", "::", "192.168.0.1", "example.org")),
    ],
)
def test_only_loopback_is_this_machine_alone(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_alone_is_no_reason_for_a_warning(host: str) -> None:
    with serve("alefita_way", "--host", host) as served:
        assert served.end() == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("no_such_tape",), "no_such_tape"),
        (("alefita_way", "alefita_way"), "two cassettes would play as /play/alefita_way"),
        (("--port", "70000"), "--port"),
        (("--pace", "fast"), "pace is 'fast'"),
        (("--profile", "codex=1"), "profile is 'codex=1'"),
    ],
)
def test_what_cannot_be_served_is_a_usage_error(
    capfd: pytest.CaptureFixture[str], arguments: tuple[str, ...], why: str
) -> None:
    assert main(["serve", *arguments]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert why in err
    assert "Traceback" not in err


def test_serving_loads_neither_pytest_nor_hypothesis_nor_jsonschema() -> None:
    code = (
        "import sys; import wiretape_cli.main, wiretape_cli.serving, wiretape_server.thread\n"
        "print(*sorted({'pytest', 'hypothesis', 'jsonschema', 'rich'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "\n"
