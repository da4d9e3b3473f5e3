"""How a connection begins, and what is declared on it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.codex_wire import CLIENT_INFO, ECHO, OMIT, Wire, answered
from wiretape.strictjson import ABSENT


def test_a_request_before_initialize_is_named() -> None:
    wire = Wire()
    wire.refuse(wire.request("thread/start", {}))
    wire.initialize()
    finding = wire.failed()["initialize.first"]
    assert (finding.want, finding.got, finding.at) == (
        "initialize",
        "thread/start",
        "thread/start (frame 1, c1)",
    )


def test_a_second_initialize_is_named_where_the_first_was_accepted() -> None:
    wire = Wire()
    wire.initialize()
    wire.refuse(wire.request("initialize", {"clientInfo": CLIENT_INFO}), "Already initialized")
    assert set(wire.failed()) == {"initialize.first"}
    assert wire.failed()["initialize.first"].at == "initialize (frame 4, c1)"


def test_a_refused_initialize_may_be_sent_again() -> None:
    wire = Wire()
    wire.refuse(wire.request("initialize", {}))
    wire.initialize()
    assert set(wire.failed()) == {"initialize.client-info"}


def test_every_connection_shakes_hands_for_itself() -> None:
    wire = answered()
    wire.opened("c2")
    wire.request("thread/list", {})
    assert wire.failed()["initialize.first"].at.endswith("c2)")


def test_without_a_name_a_place_needs_none() -> None:
    wire = Wire()
    wire.connection = ""
    wire.request("thread/list", {})
    assert wire.failed()["initialize.first"].at == "thread/list (frame 1)"


@pytest.mark.parametrize(
    ("info", "path"),
    [
        (OMIT, "params.clientInfo"),
        (None, "params.clientInfo"),
        ("demo", "params.clientInfo"),
        ({"version": "1"}, "params.clientInfo.name"),
        ({"name": 5, "version": "1"}, "params.clientInfo.name"),
        ({"name": "bad name\n", "version": "1"}, "params.clientInfo.name"),
        ({"name": "x\x7f", "version": "1"}, "params.clientInfo.name"),
        ({"name": "x"}, "params.clientInfo.version"),
        ({"name": "x", "version": None}, "params.clientInfo.version"),
        ({"name": "x", "version": "1", "title": 5}, "params.clientInfo.title"),
    ],
)
def test_what_is_wrong_with_the_client_info_is_named(info: object, path: str) -> None:
    wire = Wire()
    wire.request("initialize", {} if info is OMIT else {"clientInfo": info})
    assert wire.failed()["initialize.client-info"].path == path


@pytest.mark.parametrize("params", [OMIT, None, [], "x"])
def test_params_that_are_no_object_hold_no_client_info(params: object) -> None:
    wire = Wire()
    wire.request("initialize", params)
    assert wire.failed()["initialize.client-info"].got is ABSENT


@pytest.mark.parametrize(
    "info", [{"name": "é", "version": ""}, {"name": "a\tb", "version": "1", "title": None, "more": 1}]
)
def test_a_client_may_call_itself_what_fits_a_header(info: dict[str, Any]) -> None:
    wire = Wire()
    wire.request("initialize", {"clientInfo": info})
    assert wire.failed() == {}


@pytest.mark.parametrize(
    "capabilities", [OMIT, {}, {"experimentalApi": False}, {"experimentalApi": "true"}, []]
)
def test_tools_without_the_experimental_api_are_named(capabilities: object) -> None:
    wire = Wire()
    wire.initialize(capabilities=capabilities)
    wire.refuse(wire.request("thread/start", {"dynamicTools": [ECHO]}))
    assert set(wire.failed()) == {"initialize.experimental-api"}


@pytest.mark.parametrize(
    ("version", "failed"), [("0.171.0", 1), ("0.163.0", 1), ("0.110.0", 0), ("0.98.0", 0)]
)
def test_an_empty_list_needs_the_experimental_api_since_0_163(version: str, failed: int) -> None:
    wire = Wire(version=version)
    wire.initialize(capabilities=OMIT)
    wire.thread([])
    assert len(wire.failed()) == failed


def test_null_declares_nothing() -> None:
    wire = Wire()
    wire.initialize(capabilities=OMIT)
    wire.thread(None)
    assert wire.failed() == {}
    assert wire.outcome("initialize.experimental-api").outcome == "not_observed"
    assert wire.outcome("thread-start.tool-spec-valid").outcome == "not_observed"


def test_without_any_initialize_only_that_is_blamed() -> None:
    wire = Wire()
    wire.thread()
    assert set(wire.failed()) == {"initialize.first"}
    assert wire.outcome("initialize.experimental-api").because == "codex.initialize.first"


def test_initialized_that_never_comes_is_a_warning() -> None:
    wire = Wire()
    wire.initialize(initialized=False)
    wire.thread()
    assert wire.report().ok
    assert [finding.rule for finding in wire.report().warnings] == ["codex.initialize.initialized-sent"]


def test_a_client_that_stops_at_initialize_owes_no_notification() -> None:
    wire = Wire()
    wire.initialize(initialized=False)
    assert wire.outcome("initialize.initialized-sent").outcome == "not_observed"


@pytest.mark.parametrize(
    ("version", "profile", "noted"),
    [("0.171.0", "", True), ("0.110.0", "", False), ("0.98.0", "", True), ("0.171.0", "0.110", False)],
)
def test_a_removed_member_is_a_note_where_it_is_unknown(version: str, profile: str, noted: bool) -> None:
    wire = Wire(version=version, profile=profile)
    wire.initialize()
    wire.thread(persistExtendedHistory=False)
    assert [f.path for f in wire.report().notes] == ["params.persistExtendedHistory"] * noted
    assert wire.report().ok


def test_tools_under_the_wrong_name_are_a_note() -> None:
    wire = Wire()
    wire.initialize()
    wire.request("thread/start", {"dynamic_tools": [ECHO]})
    assert wire.failed()["thread-start.no-removed-fields"].path == "params.dynamic_tools"


def test_a_bad_declaration_is_found_by_its_path() -> None:
    wire = Wire()
    wire.initialize()
    wire.thread([ECHO, ECHO])
    assert wire.failed()["thread-start.tool-spec-valid"].path == "params.dynamicTools[1].name"


def test_a_connection_on_which_nothing_was_asked_says_nothing() -> None:
    wire = Wire()
    wire.opened()
    wire.closed()
    assert wire.failed() == {}
    assert wire.outcome("initialize.first").because == "the client asked for nothing"
