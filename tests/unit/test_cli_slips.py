"""The slips that everyone makes once: each is answered with what to do, exit code 2, and no traceback."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from wiretape_cli.main import main

SLIPS = {
    "a cassette's name misspelt": (
        ["check", "--cassette", "alefita_wey", "--", "true"],
        "did you mean alefita_way?",
    ),
    "the same with serve": (["serve", "two_cals"], "did you mean two_calls?"),
    "the same with show": (["show", "handof"], "did you mean handoff?"),
    "an option misspelt": (["check", "--casette", "handoff", "--", "true"], "--cassette"),
    "a verb misspelt": (["chek", "--all"], "Did you mean 'check'?"),
    "a rule misspelt": (
        ["rules", "flow_a.return.recipient-is-al"],
        "Did you mean flow_a.return.recipient-is-all?",
    ),
    "no command": (["check", "--cassette", "handoff"], "name the client's command behind --"),
    "a program that is not there": (
        ["check", "--cassette", "handoff", "--", "nodejs-of-nowhere", "client.mjs"],
        "nodejs-of-nowhere",
    ),
    "a pace that is none": (
        ["check", "--pace", "fast", "--", "true"],
        "give recorded, instant, or x and a number",
    ),
    "a report of no kind": (["check", "--report", "pdf:report.pdf", "--", "true"], "json:FILE"),
    "a report in no folder": (["check", "--report", "html:no/such/a.html", "--", "true"], "make it first"),
    "two recordings wanted": (["diff", "handoff"], "Missing argument 'NEW'"),
    "an address without http": (
        ["record", "flow-a", "--upstream", "localhost:8200", "--out", "new.yaml"],
        "http://",
    ),
    "a host without a name": (["serve", "handoff", "--host", ""], "--host: expected an address"),
    "a host's name that is none": (
        ["serve", "handoff", "--host", "a..b"],
        "can't listen on a..b port 0: no name. Choose an address of this machine",
    ),
    "an address to record at that is none": (
        ["record", "codex", "--out", "my.yaml", "--listen", "ws://a..b:1", "--upstream", "ws://127.0.0.1:1"],
        "Choose an address of this machine",
    ),
    "a file that is not there": (["verify", "no-such.jsonl"], "no-such.jsonl"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_answered_with_what_to_do(
    slip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, advice = SLIPS[slip]
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert advice in said
    assert "Traceback" not in said
    assert "please report" not in said
    assert not list(tmp_path.iterdir())


def test_a_port_that_is_taken_is_named_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["serve", "handoff", "--port", str(port)]) == 2
    assert f"port {port}" in (said := capsys.readouterr().err)
    assert "Choose another port, or 0 for any that is free" in said


def test_a_client_that_asks_elsewhere_is_told_where_the_backend_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client = tmp_path / "client.py"
    client.write_text("import sys\nsys.exit('nobody listens at http://127.0.0.1:9')\n", encoding="utf-8")
    assert main(["check", "--cassette", "plain_answer", "--", sys.executable, str(client)]) == 2
    said = capsys.readouterr().err
    assert "without having sent a request" in said
    assert "WIRETAPE_BASE_URL" in said
    assert "nobody listens at http://127.0.0.1:9" in said
