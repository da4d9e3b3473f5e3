"""Hypothesis profiles: ``dev`` (default), ``ci``, ``nightly``. HYPOTHESIS_PROFILE names the one to use.

Every setting is given, so that an upgrade of Hypothesis changes nothing here. No health check is suppressed.
There is no deadline: nothing in this suite depends on how fast a machine is.
"""

from __future__ import annotations

import os

from hypothesis import Phase, Verbosity, settings
from hypothesis.database import DirectoryBasedExampleDatabase


def register() -> None:
    settings.register_profile(
        "dev",
        max_examples=60,
        derandomize=False,
        database=DirectoryBasedExampleDatabase(".hypothesis/examples"),
        verbosity=Verbosity.normal,
        phases=tuple(Phase),
        stateful_step_count=20,
        report_multiple_bugs=True,
        suppress_health_check=(),
        deadline=None,
        print_blob=True,
        backend="hypothesis",
    )
    settings.register_profile(
        "ci",
        max_examples=100,
        derandomize=True,
        database=None,
        verbosity=Verbosity.normal,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        stateful_step_count=30,
        report_multiple_bugs=True,
        suppress_health_check=(),
        deadline=None,
        print_blob=True,
        backend="hypothesis",
    )
    settings.register_profile(
        "nightly",
        max_examples=3000,
        derandomize=False,
        database=DirectoryBasedExampleDatabase(".hypothesis/examples"),
        verbosity=Verbosity.normal,
        phases=tuple(Phase),
        stateful_step_count=80,
        report_multiple_bugs=True,
        suppress_health_check=(),
        deadline=None,
        print_blob=True,
        backend="hypothesis",
    )
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))
