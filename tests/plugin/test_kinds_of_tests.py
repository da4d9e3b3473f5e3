"""Every kind of test and of pytest run works with the same plain fixtures (PLUG-1, PLUG-2)."""

from __future__ import annotations

import sys

import pytest

SYNC = """
    from client import ask

    def test_plain(wiretape):
        ask(wiretape.play("alefita_way"))
"""
INSIDE_ASYNCIO_RUN = """
    import asyncio
    from client import ask_natively

    def test_with_a_loop_of_its_own(wiretape):
        assert "[DONE]" in asyncio.run(ask_natively(wiretape.play("plain_answer")))
"""
ASYNCIO_STRICT = """
    import asyncio
    import pytest
    from client import ask, ask_natively

    @pytest.mark.asyncio
    async def test_native(wiretape):
        play = wiretape.play("plain_answer")
        assert "[DONE]" in await ask_natively(play)
        assert play.verify().played

    @pytest.mark.asyncio
    @pytest.mark.wiretape("alefita_way")
    async def test_in_a_thread(wiretape_playback):
        await asyncio.to_thread(ask, wiretape_playback)
"""
ASYNCIO_AUTO = """
    import pytest
    import pytest_asyncio
    from client import ask_natively

    pytestmark = pytest.mark.asyncio(loop_scope="session")

    @pytest_asyncio.fixture(loop_scope="session", scope="session")
    async def of_the_session():
        yield 1

    async def test_one(of_the_session, wiretape):
        assert "[DONE]" in await ask_natively(wiretape.play("plain_answer"))

    async def test_two(wiretape):
        assert "[DONE]" in await ask_natively(wiretape.play("plain_answer"))
"""
ANYIO = """
    import anyio
    import pytest
    from client import ask, ask_natively

    pytestmark = pytest.mark.anyio

    @pytest.fixture(params=["asyncio", "trio"])
    def anyio_backend(request):
        return request.param

    async def test_native(wiretape):
        assert "[DONE]" in await ask_natively(wiretape.play("plain_answer"))

    async def test_in_a_thread(wiretape):
        play = wiretape.play("alefita_way")
        await anyio.to_thread.run_sync(ask, play)
        assert play.verify().ok
"""
TRIO = """
    import pytest
    import trio
    from client import ask_natively

    @pytest.mark.trio
    async def test_native(wiretape):
        assert "[DONE]" in await ask_natively(wiretape.play("plain_answer"))
"""
SUBPROCESS = """
    import json
    import os
    import subprocess
    import sys

    CLIENT = (
        "import os; from reference_client import *\\n"
        "ReferenceClient.from_environment(os.environ).run()\\n"
    )

    def test_a_client_of_any_language(wiretape):
        play = wiretape.play("alefita_way")
        environment = os.environ | {
            "WIRETAPE_BASE_URL": play.base_url,
            "WIRETAPE_USER_MESSAGE": play.user_message,
            "WIRETAPE_TOOLS": json.dumps(list(play.tools)),
            "WIRETAPE_TOOL_RESULTS": json.dumps(dict(play.results)),
        }
        subprocess.run([sys.executable, "-c", CLIENT], env=environment, check=True, timeout=30)
"""
KINDS = {
    "plain": (SYNC, (), 1),
    "asyncio.run": (INSIDE_ASYNCIO_RUN, (), 1),
    "asyncio strict": (ASYNCIO_STRICT, ("-o", "asyncio_mode=strict"), 2),
    "asyncio auto": (ASYNCIO_AUTO, ("-o", "asyncio_mode=auto"), 2),
    "anyio": (ANYIO, (), 4),
    "trio": (TRIO, (), 1),
    "subprocess": (SUBPROCESS, (), 1),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_test_passes_in_the_strictest_run(project: pytest.Pytester, kind: str) -> None:
    code, arguments, passed = KINDS[kind]
    project.makepyfile(test_it=code)
    result = project.runpytest_subprocess(
        "-W", "error", "--strict-markers", "--strict-config", "-p", "no:cacheprovider", *arguments
    )
    result.assert_outcomes(passed=passed)
    assert result.stderr.str() == ""


@pytest.mark.parametrize("kind", ["plain", "asyncio.run", "subprocess"])
def test_none_of_the_other_plugins_is_needed(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    project.makeini("[pytest]\nwiretape_pace = instant\n")
    project.makepyfile(test_it=KINDS[kind][0])
    project.runpytest_subprocess("-p", "pytest_wiretape.plugin", "-W", "error").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("python", "arguments"),
    [((), ()), ((), ("--assert=plain",)), (("-O",), ()), (("-OO",), ("--assert=plain",))],
    ids=["plainly", "--assert=plain", "python -O", "python -OO --assert=plain"],
)
def test_a_failure_says_what_is_wrong_whatever_becomes_of_assert(
    failing: pytest.Pytester, python: tuple[str, ...], arguments: tuple[str, ...]
) -> None:
    result = failing.run(sys.executable, *python, "-m", "pytest", "-p", "no:cacheprovider", *arguments)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "*FAIL flow_a.return.recipient-is-all*",
            "*messages[[]0].recipient*",
            '*want *"all"*',
            '*got *"alefita_way"*',
        ]
    )


def test_a_conforming_client_passes_under_python_o_too(project: pytest.Pytester) -> None:
    project.makepyfile(test_it=SYNC)
    result = project.run(sys.executable, "-O", "-m", "pytest", "-p", "no:cacheprovider")
    assert result.ret == pytest.ExitCode.OK


def test_workers_have_a_server_each(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_it="""
        import pytest
        from client import ask

        @pytest.mark.parametrize("number", range(6))
        def test_it(wiretape, number):
            ask(wiretape.play("alefita_way"))
        """
    )
    project.runpytest_subprocess("-n", "2", "-W", "error").assert_outcomes(passed=6)
