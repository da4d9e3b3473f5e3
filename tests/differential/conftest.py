"""The comparison with the real program runs only when it is asked for: `pytest tests/differential`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.differential import program
from tests.differential.playing import Theatre, theatre

_HERE = Path(__file__).parent
_COMPARISON = _HERE / "test_scenarios.py"


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the comparison out of a run over all tests."""
    named = (Path(config.invocation_params.dir, each.split("::")[0]).resolve() for each in config.args)
    asked_for = any(each.is_relative_to(_HERE) for each in named)
    return True if collection_path == _COMPARISON and not asked_for else None


@pytest.fixture(scope="session")
def stages() -> Iterator[Theatre]:
    binary = program.binary()
    if binary is None:
        pytest.skip(program.missing())
    with theatre(binary) as opened:
        yield opened
