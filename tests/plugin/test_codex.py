"""``wiretape.codex``: the app-server for a test's client, by a program, by a websocket, judged at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugin.conftest import INI

EXAMPLES = Path(__file__).parents[1] / "examples" / "clients"

CLIENT = f"""
import os
import subprocess
import sys

EXAMPLE = {str(EXAMPLES / "codex_client.py")!r}


def ask(play, **changes):
    '''Run the example client.'''
    environment = {{**os.environ, **play.variables(), **changes}}
    subprocess.run([sys.executable, EXAMPLE], env=environment, check=True, timeout=20)


WRONG = {{"WIRETAPE_TOOL_RESULTS": '{{"demo_echo": {{"output": "hi", "success": true}}}}'}}
"""

FINDING = ["*FAIL codex.response.*must · evidence: *", "*at *", "*want *", "*got *"]


@pytest.fixture
def suite(project: pytest.Pytester) -> pytest.Pytester:
    """A user's project with a client of the app-server."""
    project.makepyfile(codex_client_under_test=CLIENT)
    return project


def run(suite: pytest.Pytester, code: str, *arguments: str) -> pytest.RunResult:
    suite.makepyfile(test_it=f"import pytest\nfrom codex_client_under_test import WRONG, ask\n\n{code}")
    return suite.runpytest_inprocess("-p", "no:cacheprovider", *arguments)


def test_a_conforming_client_passes(suite: pytest.Pytester) -> None:
    result = run(
        suite,
        """
def test_my_client(wiretape):
    play = wiretape.codex("dynamic_tool_text")
    ask(play)
    report = play.verify()
    assert report.ok and report.played and report.protocol == "codex"
""",
    )
    result.assert_outcomes(passed=1)


def test_a_wrong_client_is_told_the_rule_also_without_verify(suite: pytest.Pytester) -> None:
    result = run(
        suite,
        """
def test_verified(wiretape):
    play = wiretape.codex("dynamic_tool_text")
    ask(play, **WRONG)
    play.verify()

def test_not_verified(wiretape):
    ask(wiretape.codex("dynamic_tool_text"), **WRONG)
""",
    )
    result.assert_outcomes(passed=1, failed=1, errors=1)
    result.stdout.fnmatch_lines(FINDING)


def test_a_client_that_never_came_fails(suite: pytest.Pytester) -> None:
    result = run(suite, "def test_my_client(wiretape):\n    wiretape.codex('plain_turn')\n")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*plain_turn: not played to its end*", "*model step 1 of 1*"])


def test_the_program_the_command_and_the_address_are_there(suite: pytest.Pytester) -> None:
    result = run(
        suite,
        """
from pathlib import Path

def test_my_client(wiretape):
    play = wiretape.codex("dynamic_tool_text")
    assert play.command == [play.bin, "app-server"]
    assert Path(play.bin).is_file()
    assert play.ws_url == play.base_url.replace("http", "ws") + "/codex"
    assert [tool["name"] for tool in play.tools] == ["demo_echo"]
    own = wiretape.codex("dynamic_tool_text", own_port=True)
    assert own.ws_url == own.base_url.replace("http", "ws")
    ask(play)
    ask(own)
""",
    )
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("asked", "ini", "version"),
    [
        ("", "", "0.171.0"),
        ("profile='0.110'", "", "0.110.0"),
        ("", "wiretape_profile = flow_a=app codex=0.98", "0.98.0"),
    ],
)
def test_a_profile_is_the_version_that_is_played(
    suite: pytest.Pytester, asked: str, ini: str, version: str
) -> None:
    suite.makeini(f"{INI}{ini}\n")
    result = run(
        suite,
        f"""
import subprocess

def test_my_client(wiretape):
    play = wiretape.codex("plain_turn", {asked})
    assert subprocess.check_output([play.bin, "--version"], text=True).split()[-1] == "{version}"
    ask(play)
""",
    )
    result.assert_outcomes(passed=1)


def test_the_marker_plays_codex_cassettes_too(suite: pytest.Pytester) -> None:
    result = run(
        suite,
        """
@pytest.mark.wiretape("codex/dynamic_tool_text", profile="codex=0.110")
def test_my_client(wiretape_playback):
    ask(wiretape_playback)

def test_one_server_for_all(wiretape_server):
    with wiretape_server.play("codex/two_texts") as play:
        ask(play)
""",
    )
    result.assert_outcomes(passed=2)


def test_a_test_says_what_goes_wrong(suite: pytest.Pytester) -> None:
    result = run(
        suite,
        """
import subprocess

def test_a_right_client_goes_on(wiretape):
    play = wiretape.codex("dynamic_tool_text", faults=["late-answer@type:turn/start"])
    ask(play)
    assert play.transcript.faults == ("late-answer@type:turn/start",)

@pytest.mark.wiretape("codex/dynamic_tool_text", faults="child-exit@type:item/tool/call")
def test_a_right_client_ends_with_an_error(wiretape_playback):
    with pytest.raises(subprocess.CalledProcessError):
        ask(wiretape_playback)

def test_a_wrong_client_is_told_the_rule_as_ever(wiretape):
    ask(wiretape.codex("dynamic_tool_text", faults=["duplicate-answer@type:*"]), **WRONG)
""",
    )
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(FINDING)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("wiretape.codex('alefita_way')", "alefita_way is a flow_a cassette; play it with wiretape.play"),
        ("wiretape.codex('plain_turm')", "did you mean"),
        ("wiretape.codex('plain_turn', profile='9')", "profile is '9'; give one of"),
        ("wiretape.codex('plain_turn', faults=['eof@byte:1'])", "expected eof@event:N or eof@request:N or"),
        ("wiretape.codex('plain_turn', app_server=['--ws-auth', 'x'])", "--ws-auth is 'x'"),
    ],
)
def test_what_cannot_be_played_fails_in_one_sentence(suite: pytest.Pytester, call: str, why: str) -> None:
    result = run(suite, f"def test_my_client(wiretape):\n    {call}\n")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*{why}*"])
    assert "During handling" not in result.stdout.str()
