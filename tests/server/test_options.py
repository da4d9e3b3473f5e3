from __future__ import annotations

import pytest

from wiretape_server.options import OptionError, PlayOptions


@pytest.mark.parametrize(
    ("pace", "scale"), [("recorded", 1.0), ("instant", 0.0), ("x0.5", 0.5), ("x2", 2.0), (" X10 ", 10.0)]
)
def test_a_pace_multiplies_the_recorded_delays(pace: str, scale: float) -> None:
    assert PlayOptions.parse(pace=pace).scale == scale


@pytest.mark.parametrize("pace", ["", "fast", "x", "x-1", "0.5", "x1e3", "xnan"])
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
