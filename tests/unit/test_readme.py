"""What README shows is what a reader sees: every block of output is compared with what its command prints."""

from __future__ import annotations

import json
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reader import environment, printed_by, run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
CLIENTS = ROOT / "tests" / "examples" / "clients"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CHANGES = re.compile(
    r"""[0-9a-f]{8}-[0-9a-f-]*…?|…|<\w+>|127\.0\.0\.1:\d+|(?<="pid":)\d+|(?<= in )\d+\.\d+(?=s)"""
)
"""What stands for any text: ids, an ellipsis, tokens, ports, process ids and times."""

OUTPUTS = (
    "alefita_way: ok (53",
    "auth_refresh: ok",
    "$ .venv/bin/pytest",
    ">       play.verify()",
    "FAIL codex.response.success-boolean",
    '{"base_url"',
    "event: delta_encoding",
    "handoff: ok",
    "auto: ok",
    "alefita_way: ok (54",
    "kind  ",
)
"""How the blocks of output begin; each is compared below."""
SHOWN_BY = {
    "wiretape check --cassette auto": "auto: ok",
    "wiretape check --cassette alefita_way --fault": "alefita_way: ok (54",
    "wiretape fuzz client": "kind  ",
    "wiretape check --cassette handoff --report": "",
}
"""Blocks of commands that are run as they stand, and the block of output that each prints."""
COMMANDS = (
    "wiretape check --protocol codex",
    "wiretape serve alefita_way --port 8765",
    "curl -N",
    "wiretape check --cassette handoff --cassette",
    "wiretape import sse",
    *SHOWN_BY,
)
"""How the blocks of commands begin that are run below."""
ELSEWHERE = (
    *(
        "make demo",
        ". .venv/bin/activate",
        "python3 -m venv",
    ),  # set-up: here from the Makefile, else in packaging
    *("wiretape record", "wiretape serve alefita_way --port 8200", "export WIRETAPE"),  # in tests/recording
    "wiretape check --cassette my.yaml",
)
"""How the blocks of commands begin that are run elsewhere."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the page is written for a POSIX shell")


def blocks(language: str) -> list[str]:
    return [text for found, text in BLOCK.findall(README) if found == language]


def shown(beginning: str) -> str:
    """The block of output that begins so."""
    assert beginning in OUTPUTS
    (block,) = (text for text in blocks("") if text.startswith(beginning))
    return block


def command(beginning: str) -> str:
    """The block of commands that begins so."""
    assert beginning in COMMANDS
    (block,) = (text for text in blocks("sh") if text.startswith(beginning))
    return block


def looks_like(block: str, printed: str) -> bool:
    """Whether ``block`` shows a part of what was printed."""
    lines = "\n".join(line.rstrip() for line in printed.splitlines())
    parts = [re.escape(part) for part in CHANGES.sub("\0", block.strip("\n")).split("\0")]
    return re.search(".*?".join(parts), lines, re.DOTALL) is not None


def test_an_ellipsis_stands_for_anything_and_nothing_else_does() -> None:
    assert looks_like("a … d\n", "a b\nc d")
    assert looks_like("two\nlines", "first\ntwo  \nlines\nlast")
    assert looks_like("took 1 in 1.02s", "took 1 in 9.87s")
    assert looks_like('"id": "964d9581-…"', '"id": "01234567-89ab"')
    assert not looks_like("a … d", "a b c")
    assert not looks_like("1 passed", "2 passed")


@pytest.mark.parametrize("verb", ["wiretape check --all", "wiretape check --all --protocol codex"])
def test_make_demo_ends_as_shown(verb: str) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    (line,) = re.findall(rf"^\t.*?({verb} -- .*)$", makefile, re.MULTILINE)
    assert looks_like(
        shown("auth_refresh: ok" if "codex" in verb else "alefita_way: ok (53"), run(line, ROOT).printed
    )


@pytest.fixture
def readers_folder(tmp_path: Path) -> Path:
    """The folder of the pytest tutorial, with the test that README shows."""
    for client in CLIENTS.glob("flow_a_*.py"):
        shutil.copy(client, tmp_path)
    (test,) = (text for text in blocks("python") if text.startswith("# test_my_client.py"))
    (tmp_path / "test_my_client.py").write_text(test, encoding="utf-8")
    return tmp_path


def pytest_there(folder: Path) -> str:
    """README's call of pytest; it runs in this environment, without other plugins' lines."""
    return run(f"{sys.executable} -m pytest -p no:cacheprovider -p no:asyncio -p no:xdist", folder).printed


def test_the_test_of_the_tutorial_passes_as_shown(readers_folder: Path) -> None:
    block = shown("$ .venv/bin/pytest")
    assert looks_like(block.partition("\n")[2], pytest_there(readers_folder))


def test_a_return_to_the_tool_fails_as_shown(readers_folder: Path) -> None:
    client = readers_folder / "flow_a_client.py"
    text = client.read_text("utf-8")
    client.write_text(text.replace('"recipient": "all"', '"recipient": name or "all"'), encoding="utf-8")
    assert looks_like(shown(">       play.verify()"), pytest_there(readers_folder))


def test_an_answer_of_the_wrong_type_is_named_as_shown(tmp_path: Path) -> None:
    text = (CLIENTS / "codex_client.py").read_text("utf-8")
    wrong = text.replace('"success": True', '"success": "yes"')
    assert wrong != text
    (tmp_path / "codex_client.py").write_text(wrong, encoding="utf-8")
    check = command("wiretape check --protocol codex").strip()
    one = check.replace("--protocol codex", "--cassette dynamic_tool_text")
    printed = run(one.replace("tests/examples/clients/", ""), tmp_path).printed
    assert looks_like(shown("FAIL codex.response.success-boolean"), printed)


@pytest.fixture
def served() -> Iterator[dict[str, str]]:
    """README's server on a free port, and the line that it printed."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    block = command("wiretape serve alefita_way --port 8765").replace("8765", str(port))
    with subprocess.Popen(["sh", "-c", f"exec {block}"], cwd=ROOT, env=environment(), stdout=-1) as server:
        try:
            assert server.stdout is not None
            line = server.stdout.readline().decode()
            yield {"line": line, **json.loads(line)}
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)


def test_the_server_says_where_it_is_as_shown(served: dict[str, str]) -> None:
    assert looks_like(shown('{"base_url"'), served["line"])


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_curl_prints_the_stream_as_shown(served: dict[str, str]) -> None:
    block = command("curl -N").replace("http://127.0.0.1:8765", served["base_url"])
    assert looks_like(shown("event: delta_encoding"), run(block.replace("curl -N", "curl -sN"), ROOT).printed)


def test_both_example_clients_print_as_shown() -> None:
    block = command("wiretape check --cassette handoff --cassette")
    python, node = block.strip().splitlines()
    assert looks_like(shown("handoff: ok"), run(python, ROOT).printed)
    if shutil.which("node"):
        assert looks_like(shown("handoff: ok"), run(node, ROOT).printed)


@pytest.mark.parametrize("beginning", SHOWN_BY)
def test_a_command_prints_what_is_shown_below_it(beginning: str, tmp_path: Path) -> None:
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    printed = run(command(beginning), tmp_path).printed
    below = SHOWN_BY[beginning]
    assert looks_like(shown(below), printed) if below else (tmp_path / "handoff.html").exists()


def test_looking_at_files_works_as_written(tmp_path: Path) -> None:
    for name in ("tests", "cassettes"):
        (tmp_path / name).symlink_to(ROOT / name)
    printed_by(f"set -e\n{command('wiretape import sse')}", tmp_path)
    assert (tmp_path / "answer.yaml").exists()


def test_no_block_is_left_out() -> None:
    assert not [block for block in blocks("sh") if not block.startswith((*COMMANDS, *ELSEWHERE))]
    assert not [block for block in blocks("") if not block.startswith(OUTPUTS)]
