"""Which time zones the judge takes, whatever the machine knows."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.unit.flow_a_wire import Wire, answer_stream, user_turn


@pytest.mark.parametrize("zone", ["UTC-3", "../etc/passwd", "America", "", "america/sao_paulo", 3, None])
def test_what_is_no_iana_zone_is_refused(zone: object) -> None:
    wire = Wire()
    wire.turn(user_turn(timezone=zone), answer_stream())
    assert wire.failed().keys() == {"request.timezone-iana"}


@pytest.mark.parametrize("zone", ["posix/America/Sao_Paulo", "right/UTC", "posixrules", "localtime"])
def test_what_only_some_machines_keep_beside_the_zones_is_refused(zone: str) -> None:
    wire = Wire()
    wire.turn(user_turn(timezone=zone), answer_stream())
    assert wire.failed().keys() == {"request.timezone-iana"}


def test_zones_are_known_where_the_machine_has_no_list_of_them() -> None:
    code = (
        "from zoneinfo import TZPATH; from wiretape.flow_a.rules.requests import _is_timezone\n"
        "print(TZPATH, _is_timezone('America/Sao_Paulo'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONTZPATH": ""},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.split() == ["()", "True"]


@pytest.mark.parametrize("zone", ["UTC", "Etc/UTC", "America/Sao_Paulo", "Asia/Kolkata"])
def test_iana_zones_pass(zone: str) -> None:
    wire = Wire()
    wire.turn(user_turn(timezone=zone), answer_stream())
    assert not wire.failed()
