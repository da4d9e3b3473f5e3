"""What the plugin costs where it is installed and not used: two small modules of its own."""

from __future__ import annotations

import sys

import pytest

DUMP = """
import sys

def pytest_unconfigure(config):
    print("modules:", *sorted(sys.modules))
"""
HEAVY = ("aiohttp", "hypothesis", "jsonschema", "yaml", "wiretape", "wiretape_server")


def modules(pytester: pytest.Pytester, *arguments: str) -> set[str]:
    pytester.makeconftest(DUMP)
    pytester.makepyfile(test_it="def test_it(): pass")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)
    result.assert_outcomes(passed=1)
    line = next(line for line in result.outlines if line.startswith("modules:"))
    return set(line.split()[1:])


@pytest.fixture(autouse=True)
def no_other_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def test_an_unused_plugin_adds_no_foreign_module(pytester: pytest.Pytester) -> None:
    added = modules(pytester, "-p", "pytest_wiretape.plugin") - modules(pytester)
    foreign = {name for name in added if name.partition(".")[0] not in sys.stdlib_module_names}
    assert foreign == {"pytest_wiretape", "pytest_wiretape.plugin"}


def test_a_session_that_loads_the_plugin_loads_nothing_heavy(pytester: pytest.Pytester) -> None:
    loaded = modules(pytester, "-p", "pytest_wiretape.plugin")
    assert "pytest_wiretape.plugin" in loaded
    assert not loaded & set(HEAVY)


def test_the_measure_sees_what_a_used_fixture_loads(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(DUMP)
    pytester.makepyfile(test_it="def test_it(wiretape): pass")
    result = pytester.runpytest_subprocess("-p", "pytest_wiretape.plugin")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["modules: *aiohttp*wiretape_server*"])


def test_the_entry_point_is_the_plugin(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    assert "pytest_wiretape.plugin" in modules(pytester)
