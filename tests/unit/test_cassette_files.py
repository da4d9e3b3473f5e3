"""Cassettes are found by path or name, and saved whole or not at all."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from wiretape.cassette import (
    Cassette,
    CassetteError,
    Chunks,
    bundled,
    bundled_directory,
    dumps,
    load_cassette,
    loads,
    save,
    saving,
)


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A user's own directory with one cassette of a protocol's name and one beside it."""
    (tmp_path / "flow_a").mkdir()
    for name in ("mine.yaml", "flow_a/deep.yaml"):
        shutil.copy(bundled_directory() / "flow_a" / "plain_answer.yaml", tmp_path / name)
    return tmp_path


@pytest.fixture
def cassette() -> Cassette:
    return load_cassette("plain_answer")


def refused(name: str | Path, directory: Path | None = None) -> str:
    with pytest.raises(CassetteError) as caught:
        load_cassette(name, directory=directory)
    return str(caught.value)


def unsaved(cassette: Cassette, path: Path, **options: bool) -> str:
    before = sorted(path.parent.glob("*"))
    with pytest.raises(CassetteError) as caught:
        save(cassette, path, **options)
    assert sorted(path.parent.glob("*")) == before
    return str(caught.value)


@pytest.mark.parametrize("name", ["alefita_way", "alefita_way.yaml", "flow_a/alefita_way"])
def test_a_bundled_cassette_is_found_by_its_name(name: str) -> None:
    cassette = load_cassette(name)
    assert cassette.name == name
    assert cassette.source == str(bundled_directory() / "flow_a" / "alefita_way.yaml")


def test_a_path_comes_first(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shelf)
    shutil.copy("mine.yaml", "alefita_way")
    assert load_cassette("alefita_way").source == "alefita_way"
    assert load_cassette(shelf / "mine.yaml").name == str(shelf / "mine.yaml")


def test_the_directory_comes_before_the_bundled_ones(shelf: Path) -> None:
    shutil.copy(shelf / "mine.yaml", shelf / "alefita_way.yaml")
    assert load_cassette("alefita_way", directory=shelf).source == str(shelf / "alefita_way.yaml")
    assert load_cassette("two_calls", directory=shelf).source.startswith(str(bundled_directory()))


@pytest.mark.parametrize(
    ("name", "file"), [("mine", "mine"), ("deep", "flow_a/deep"), ("flow_a/deep", "flow_a/deep")]
)
def test_a_name_is_found_in_the_directory(shelf: Path, name: str, file: str) -> None:
    assert load_cassette(name, directory=shelf).source == str(shelf / f"{file}.yaml")


def test_a_name_of_both_protocols_has_to_say_which(shelf: Path) -> None:
    (shelf / "codex").mkdir()
    shutil.copy(shelf / "mine.yaml", shelf / "codex" / "deep.yaml")
    text = refused("deep", shelf)
    assert "want  one cassette of the name deep" in text
    assert "hint  say which: flow_a/deep or codex/deep" in text
    assert load_cassette("codex/deep", directory=shelf).source == str(shelf / "codex" / "deep.yaml")


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("alefita_wey", "alefita_way"),
        ("Handoff", "handoff"),
        ("two-calls.yaml", "two_calls"),
        ("flow_b/handoff", "flow_a/handoff"),
        ("mien", "mine"),
    ],
)
def test_an_unknown_name_suggests_the_nearest(shelf: Path, name: str, nearest: str) -> None:
    text = refused(name, shelf)
    assert text.startswith(f"cassette {name} can't be used\n")
    assert str(shelf) in text
    assert f"hint  did you mean {nearest}?" in text


def test_a_path_that_is_not_there_suggests_its_neighbour(shelf: Path) -> None:
    assert f"did you mean {shelf / 'mine.yaml'}?" in refused(shelf / "mime.yaml")


def test_a_name_like_no_other_gets_the_list() -> None:
    assert "known names: alefita_way, alefita_way_functions_recipient" in refused("qqq")


def test_auto_is_reserved(shelf: Path) -> None:
    shutil.copy(shelf / "mine.yaml", shelf / "auto.yaml")
    assert "'auto', which is reserved" in refused("auto", shelf)
    assert load_cassette(shelf / "auto.yaml").title


@pytest.mark.parametrize("name", ["", ".", "x" * 5000, "a\0b"])
def test_a_name_that_no_file_can_have_is_refused(name: str) -> None:
    assert "can't be used" in refused(name)


def test_the_error_of_a_file_names_the_file(shelf: Path) -> None:
    (shelf / "mine.yaml").write_text("format: 3\n")
    assert refused("mine", shelf).startswith(
        f"cassette {shelf / 'mine.yaml'} can't be used\n  at    format\n"
    )


def test_the_bundled_names_are_sorted() -> None:
    assert bundled() == sorted(bundled())
    assert "alefita_way" in bundled("flow_a")


def test_what_was_saved_is_what_is_loaded(tmp_path: Path, cassette: Cassette) -> None:
    save(cassette, tmp_path / "new.yaml")
    assert load_cassette(tmp_path / "new.yaml") == cassette
    assert (tmp_path / "new.yaml").read_bytes() == dumps(cassette)
    assert [path.name for path in tmp_path.iterdir()] == ["new.yaml"]


def test_a_file_is_overwritten_only_when_told_to(tmp_path: Path, cassette: Cassette) -> None:
    path = tmp_path / "there.yaml"
    path.write_text("precious")
    assert "a file that exists" in unsaved(cassette, path)
    assert path.read_text() == "precious"
    save(cassette, path, overwrite=True)
    assert load_cassette(path) == cassette


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path, cassette: Cassette) -> None:
    assert "a place that can be written" in unsaved(cassette, tmp_path / "nowhere" / "new.yaml")


def test_an_empty_recording_is_not_saved(tmp_path: Path, cassette: Cassette) -> None:
    assert "at least 1 entry" in unsaved(replace(cassette, interactions=()), tmp_path / "new.yaml")


def test_chunks_that_do_not_add_up_are_not_saved(tmp_path: Path, cassette: Cassette) -> None:
    first = cassette.interactions[0]
    short = replace(first, response=replace(first.response, chunks=Chunks(delays=(0.0,), lengths=(1,))))
    assert "too few" in unsaved(replace(cassette, interactions=(short,)), tmp_path / "new.yaml")


def test_a_chunk_table_has_a_delay_for_each_length() -> None:
    with pytest.raises(ValueError, match="a delay for each length, got 1, 2"):
        Chunks(delays=(0.0,), lengths=(1, 2))


@pytest.mark.parametrize("delay", [0.0001, -1.0, 1e10, float("nan"), float("inf")])
def test_a_delay_that_the_table_cannot_hold_is_not_rounded(
    tmp_path: Path, cassette: Cassette, delay: float
) -> None:
    first = cassette.interactions[0]
    chunks = Chunks(delays=(delay,), lengths=(len(first.response.body),))
    odd = replace(first, response=replace(first.response, chunks=chunks))
    text = unsaved(replace(cassette, interactions=(odd,)), tmp_path / "new.yaml")
    assert "round delays to three decimals" in text


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), b"bytes", {1: 2}, {1, 2}, "\ud800", "a\n\udfff"]
)
def test_what_the_format_cannot_hold_is_not_saved(tmp_path: Path, cassette: Cassette, value: object) -> None:
    text = unsaved(replace(cassette, extensions={"x-odd": [value]}), tmp_path / "new.yaml")
    assert "can't be used\n  at" in text


def test_what_comes_back_changed_is_not_saved(tmp_path: Path, cassette: Cassette) -> None:
    assert "the very cassette" in unsaved(
        replace(cassette, extensions={"x-odd": (1, 2)}), tmp_path / "new.yaml"
    )


def test_a_disk_that_writes_something_else_is_noticed(
    tmp_path: Path, cassette: Cassette, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = dumps(replace(cassette, title="Another title"))
    monkeypatch.setattr(Path, "read_bytes", lambda _: other)
    assert "the very cassette" in unsaved(cassette, tmp_path / "new.yaml")


def test_an_old_file_survives_a_save_that_fails(
    tmp_path: Path, cassette: Cassette, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(cassette, tmp_path / "old.yaml")
    monkeypatch.setattr(saving, "loads", lambda _: loads(dumps(replace(cassette, title="Another"))))
    unsaved(replace(cassette, title="New"), tmp_path / "old.yaml", overwrite=True)
    assert (tmp_path / "old.yaml").read_bytes() == dumps(cassette)
