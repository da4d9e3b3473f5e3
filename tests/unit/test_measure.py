"""The bench measures by ratios, notices noise, and compares only what does the same work."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.__main__ import as_json, benches, goals_of
from tests.benchmarks.measure import Child, Line, Ratios, at_most, compare, run_child

SPEED_PAGE = Path(__file__).parents[2] / "docs" / "speed.md"
posix_only = pytest.mark.skipif(
    sys.platform == "win32", reason="os.wait4 gives a child's CPU time on POSIX only"
)


def steady(cpu: float, content: object = "same") -> Child:
    return Child(cpu=cpu, content=content)


def one_and_two() -> Ratios:
    return compare({"one": lambda: steady(1.0), "two": lambda: steady(2.0)})


def test_a_ratio_is_the_time_of_one_variant_in_times_of_the_other() -> None:
    ratios = one_and_two()
    assert ratios.ratio("one", "two") == 0.5
    assert ratios.ratio("two", "one") == 2.0
    assert ratios.cpu("two") == 2.0


def test_a_quiet_pair_makes_a_comparison_conclusive() -> None:
    line = one_and_two().at_most("P1", "halves", 0.6, of="one", to="two")
    assert (line.figure, line.ok) == (0.5, True)
    assert "A/A 1.000, 7 rounds" in line.note


def test_a_figure_over_its_target_is_missed() -> None:
    assert one_and_two().at_most("P1", "halves", 0.4, of="one", to="two").ok is False
    assert at_most("P7", "memory", 17, 16, unit="KB").ok is False
    assert at_most("P7", "memory", 16, 16, unit="KB").ok is True


def test_a_noisy_pair_leaves_the_verdict_open_after_three_times_the_rounds() -> None:
    ratios = Ratios(seconds={"one": [1.0] * 7, "two": [2.0] * 7}, pair=("one", [1.04] * 7))
    line = ratios.at_most("P1", "halves", 0.6, of="one", to="two")
    assert line.ok is None
    assert "inconclusive" in line.note
    growing = itertools.count(1)
    noisy = compare({"one": lambda: steady(2.0 ** next(growing))})
    assert len(noisy.pair[1]) == 21
    assert not noisy.conclusive


def test_a_report_has_no_target_and_no_verdict() -> None:
    line = one_and_two().report("P1", "halves", of="one", to="two")
    assert (line.target, line.ok) == (None, None)


def test_variants_of_different_content_are_not_compared() -> None:
    with pytest.raises(AssertionError, match="'two' does not do the work of 'one'"):
        compare({"one": lambda: 1, "two": lambda: 2})
    assert compare(
        {"one": lambda: steady(1.0, 1), "two": lambda: steady(1.0, -1)}, equal=lambda a, b: a == -b
    )


def test_fewer_than_seven_rounds_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 7 rounds"):
        compare({"one": lambda: 1}, rounds=6)


def test_work_in_this_process_is_timed_by_its_cpu_time() -> None:
    ratios = compare({"short": lambda: sum(range(1000)), "long": lambda: sum(range(1000))})
    assert 0 < ratios.cpu("short") < 1


@posix_only
def test_a_childs_output_is_its_content_and_its_cpu_time_the_sample() -> None:
    child = run_child([sys.executable, "-c", "print('work')"])
    assert child.content == b"work\n"
    assert child.cpu > 0
    with pytest.raises(subprocess.CalledProcessError):
        run_child([sys.executable, "-c", "raise SystemExit(3)"])


def test_every_bench_names_goals_of_the_page_and_is_found_by_them() -> None:
    known = set(re.findall(r"^\| (P[0-9]+) \|", SPEED_PAGE.read_text("utf-8"), re.MULTILINE))
    for file in benches([]):
        assert goals_of(file)
        assert set(goals_of(file)) <= known
        assert all(file in benches([goal]) for goal in goals_of(file))
    assert not benches(["P99"])


def test_a_bench_without_goals_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bench_it.py").write_text("def run():\n    yield\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"bench_it\.py"):
        goals_of(tmp_path / "bench_it.py")


def test_the_figures_are_written_as_json() -> None:
    written = json.loads(as_json([Line(goal="P1", what="halves", figure=0.5, target=0.6, ok=True)]))
    assert written["lines"] == [
        {"goal": "P1", "what": "halves", "figure": 0.5, "target": 0.6, "unit": "×", "ok": True, "note": ""}
    ]
