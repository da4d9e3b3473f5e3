from __future__ import annotations

import pytest

from wiretape_server.options import OptionError, PlayOptions
from wiretape_server.profiles import demanded


@pytest.mark.parametrize(
    ("pace", "scale"), [("recorded", 1.0), ("instant", 0.0), ("x0.5", 0.5), ("x2", 2.0), (" X10 ", 10.0)]
)
def test_a_pace_multiplies_the_recorded_delays(pace: str, scale: float) -> None:
    assert PlayOptions.parse(pace=pace).scale == scale


@pytest.mark.parametrize(
    "pace", ["", "fast", "x", "x-1", "0.5", "x1e3", "xnan", "x0", "x0.00", "x1000000", "x" + "9" * 400]
)
def test_a_pace_that_means_nothing_is_refused_with_those_that_do(pace: str) -> None:
    with pytest.raises(OptionError, match=r"pace is .*; give recorded, instant, or x and a number"):
        PlayOptions.parse(pace=pace)


@pytest.mark.parametrize("chunks", ["recorded", "event", "byte", "one", "random:7"])
def test_chunks_are_cut_in_one_of_five_ways(chunks: str) -> None:
    assert PlayOptions.parse(chunks=chunks).chunks == chunks


@pytest.mark.parametrize("chunks", ["", "bytes", "random", "random:", "random:x"])
def test_another_way_to_cut_is_refused_with_the_five(chunks: str) -> None:
    with pytest.raises(OptionError, match=r"chunks is .*; give recorded, event, byte, one, or random"):
        PlayOptions.parse(chunks=chunks)


def test_ids_are_fresh_or_recorded_and_nothing_else() -> None:
    assert PlayOptions.parse(ids="recorded").ids == "recorded"
    with pytest.raises(OptionError, match="ids is 'new'; give fresh or recorded"):
        PlayOptions.parse(ids="new")


def test_options_that_nobody_gives_are_recorded_pace_fresh_ids_and_lenient() -> None:
    assert PlayOptions.parse() == PlayOptions(
        pace="recorded", chunks="recorded", ids="fresh", strict=False, profile=""
    )


def test_a_profile_is_one_that_a_verdict_can_demand() -> None:
    assert PlayOptions.parse(profile="app").profile == "app"
    with pytest.raises(OptionError, match=r"profile is 'web'; give seed-capture, app, 0\.98"):
        PlayOptions.parse(profile="web")


@pytest.mark.parametrize("text", ["app", "flow_a=app", " flow_a=app "])
def test_the_last_profile_of_a_protocol_is_the_one_that_is_demanded(text: str) -> None:
    assert demanded(["seed-capture", text, "codex=0.98"], "flow_a") == "app"


def test_no_profile_demands_none_and_an_unknown_one_is_refused() -> None:
    assert demanded(["codex=0.98"], "flow_a") == ""
    with pytest.raises(OptionError, match="profile is 'flow_a=web'; give one of flow_a=seed-capture"):
        demanded(["flow_a=web"], "flow_a")
