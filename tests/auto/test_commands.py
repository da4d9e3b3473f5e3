"""``auto`` on the command line, with the example clients and as its page shows it."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.auto.schemas import TEXT, function
from tests.conformance.playing import CLIENTS, needs_node
from wiretape.cassette import load_cassette
from wiretape.scenario import USER_MESSAGE
from wiretape_cli.main import main

PAGE = (Path(__file__).parents[2] / "docs" / "auto.md").read_text("utf-8")
PYTHON = [sys.executable]
EXAMPLES = [
    pytest.param("flow_a", [*PYTHON, str(CLIENTS / "flow_a_client.py")], id="flow_a-python"),
    pytest.param("flow_a", ["node", str(CLIENTS / "flow_a_client.mjs")], id="flow_a-node", marks=needs_node),
    pytest.param("codex", [*PYTHON, str(CLIENTS / "codex_client.py")], id="codex-python"),
    pytest.param("codex", ["node", str(CLIENTS / "codex_client.mjs")], id="codex-node", marks=needs_node),
]


def check(*arguments: str, client: list[str], protocol: str = "flow_a") -> int:
    asked = ["check", "--protocol", protocol, "--cassette", "auto", "--pace", "instant"]
    return main([*asked, *arguments, "--", *client])


def python(code: str) -> list[str]:
    return [*PYTHON, "-c", code]


@pytest.mark.parametrize(("protocol", "client"), EXAMPLES)
def test_an_example_client_conforms_with_its_own_tools(
    protocol: str, client: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert check("--seed", "2", client=client, protocol=protocol) == 0
    said = capfd.readouterr().err
    assert said.startswith("auto: ok (")
    assert "WARN" not in said


ASK = (
    "import json, os, urllib.request as u\n"
    "body = {'messages': [{'author': {'role': 'user'}}]}\n"
    "u.urlopen(u.Request(os.environ['WIRETAPE_BASE_URL'] + '/backend-api/f/conversation',"
    " json.dumps(body).encode(), {'content-type': 'application/json'})).read()\n"
)


def test_a_client_that_declares_no_tool_exits_3_and_is_told_why(capfd: pytest.CaptureFixture[str]) -> None:
    client = [*PYTHON, str(CLIENTS.parents[1] / "auto" / "toolless.py")]
    assert check(client=client) == 3
    said = capfd.readouterr().err
    assert "not played:\n  nothing to call: no request declared a tool" in said


def test_a_client_that_declares_no_tool_and_is_wrong_exits_1(capfd: pytest.CaptureFixture[str]) -> None:
    assert check(client=python(ASK)) == 1
    assert "nothing to call" in capfd.readouterr().err


def test_a_client_that_fails_before_it_asks_exits_2() -> None:
    assert check(client=python("raise SystemExit(5)")) == 2


def test_the_client_is_told_that_the_tools_are_its_own(tmp_path: Path) -> None:
    file = tmp_path / "environment.json"
    check(client=python(f"import json, os; json.dump(dict(os.environ), open({str(file)!r}, 'w'))"))
    told = json.loads(file.read_text())
    assert told["WIRETAPE_TOOLS"] == "[]"
    assert told["WIRETAPE_TOOL_RESULTS"] == "{}"
    assert told["WIRETAPE_USER_MESSAGE"] == USER_MESSAGE
    assert told["WIRETAPE_CASSETTE"] == "auto"


def test_what_was_made_up_is_kept_and_plays_as_a_cassette(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    client, kept = [*PYTHON, str(CLIENTS / "flow_a_client.py")], str(tmp_path / "kept.yaml")
    assert check("--save-auto", kept, client=client) == 0
    assert f"wrote {kept}" in capfd.readouterr().err
    assert main(["lint", kept]) == 0
    assert main(["check", "--cassette", kept, "--pace", "instant", "--", *client]) == 0
    assert [tool["name"] for tool in load_cassette(kept).expect.tools] == ["note", "handoff"]


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "kept.yaml"
    kept.write_text("mine")
    assert check("--save-auto", str(kept), client=python("")) == 2
    assert "is there already" in capfd.readouterr().err
    assert kept.read_text() == "mine"


def test_nothing_is_kept_of_a_client_that_did_not_ask(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept.yaml"
    assert check("--save-auto", str(kept), client=python("")) == 3
    assert "was not written: the client asked for nothing" in capfd.readouterr().err
    assert not kept.exists()


@pytest.mark.parametrize("names", [["alefita_way"], ["auto", "codex/auto"]])
def test_one_session_at_a_time_is_kept(
    names: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = [part for name in names for part in ("--cassette", name)]
    assert main(["check", *asked, "--save-auto", str(tmp_path / "kept.yaml"), "--", *python("")]) == 2
    assert "--save-auto keeps one made-up session" in capfd.readouterr().err


def test_other_verbs_say_that_the_name_is_reserved(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "auto"]) == 2
    assert "'auto', which is reserved" in capfd.readouterr().err


COMMANDS = [
    line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines() if line
]


def test_the_page_has_examples() -> None:
    assert len(COMMANDS) == 2


@pytest.mark.parametrize("line", COMMANDS)
def test_an_example_of_the_page_runs(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    program, *words = shlex.split(line)
    assert program == "wiretape"
    assert main([sys.executable if word == "python" else word for word in words]) == 0


def test_the_program_on_the_page_makes_a_cassette(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = (each for each in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "save(" in each)
    exec(compile(code, "docs/auto.md", "exec"), {})  # noqa: S102
    assert len(load_cassette(tmp_path / "note.yaml").interactions) == 2


PLUGIN_TEST = f"""
import sys
sys.path.insert(0, {os.fspath(Path(__file__).parents[2])!r})
import pytest
from tests.auto.playing import RESULTS, TOOLS
from tests.conformance.codex_reference import CodexClient, StdioWire
from tests.conformance.reference_client import ReferenceClient
from wiretape.scenario import Adaptive

def run(play, tools=TOOLS):
    asked = {{"base_url": play.base_url, "user_message": play.user_message}}
    ReferenceClient(**asked, tools=tools, results=RESULTS).run()

def test_own_tools(wiretape):
    play = wiretape.play("auto", pace="instant")
    assert isinstance(play.cassette, Adaptive) and play.tools == []
    run(play)
    assert len(play.verify().violations) == 0
    assert "Its seed is 5." in play.cassette.provenance.gaps

@pytest.mark.wiretape("auto", pace="instant", seed=1)
def test_marked(wiretape_playback):
    run(wiretape_playback)

def test_no_tools(wiretape):
    run(wiretape.play("auto", pace="instant"), tools=[])

def test_codex(wiretape):
    play = wiretape.codex("auto", seed=2)
    CodexClient(
        connect=lambda: StdioWire(play.command),
        steps=[{{"turn": play.user_message}}],
        tools=[{function("demo_echo", TEXT)!r}],
        results={{}},
    ).run()

def test_seed(wiretape):
    wiretape.play("auto", seed="many")
"""


def test_a_test_checks_a_client_with_its_own_tools(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(PLUGIN_TEST)
    pytester.makeini("[pytest]\nwiretape_seed = 5\nasyncio_default_fixture_loop_scope = function\n")
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=4, failed=1, errors=1)
    result.stdout.fnmatch_lines(["*nothing to call: no request declared a tool*"])
    result.stdout.fnmatch_lines(["*seed is 'many'; give a whole number*"])
