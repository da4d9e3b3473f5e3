"""``wiretape fuzz decoder``: any decoder, its finds on disk, runs that go on."""

from __future__ import annotations

import base64
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fuzzing.test_decoder_campaign import FAULTY
from wiretape.cassette import bundled_directory, load_cassette
from wiretape_cli.corpus import Corpus
from wiretape_cli.exits import Exit
from wiretape_cli.main import main

SCRIPT = Path(__file__).with_name("decoder_process.py")
MODULE = "tests.fuzzing.python_decoders"


def command(form: str, fault: str = "") -> list[str]:
    words = [sys.executable, str(SCRIPT), form, *([fault] if fault else [])]
    return ["--command", shlex.join(words), *(["--one-shot"] if form == "one-shot" else [])]


@pytest.fixture
def fuzz(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the verb; gives its exit code, its report, and what it said."""

    def run(*arguments: str, examples: int = 3) -> tuple[int, Any, str]:
        more = ["--max-examples", str(examples), "--corpus", str(tmp_path / "corpus"), "--json"]
        code = main(["fuzz", "decoder", *more, *arguments])
        said = capsys.readouterr()
        return code, json.loads(said.out) if said.out else None, said.err

    return run


def failed(report: Any) -> set[str]:
    return {kind["kind"] for kind in report["kinds"] if not kind["ok"]}


def test_a_right_function_draws_no_find(fuzz: Any) -> None:
    code, report, said = fuzz("--python", f"{MODULE}:right", examples=5)
    assert code == Exit.FINE
    assert report["ok"]
    assert {kind["examples"] for kind in report["kinds"]} == {5}
    assert "text" in said
    assert "FAIL" not in said


def test_a_right_process_draws_no_find(fuzz: Any) -> None:
    code, report, _ = fuzz(*command("serve"))
    assert (code, failed(report)) == (Exit.FINE, set())


def test_a_wrong_process_is_found_and_its_finds_are_kept(fuzz: Any, tmp_path: Path) -> None:
    code, report, said = fuzz(*command("serve", "no truncate"), "--kind", "truncate-text", examples=100)
    assert code == Exit.VIOLATIONS
    assert failed(report) == {"truncate-text"}
    assert "FAIL  a text is cut, counted in UTF-16 units" in said
    finds = tmp_path / "corpus" / "finds"
    kept = load_cassette(finds / "truncate-text.yaml")
    vector = json.loads((finds / "truncate-text.json").read_bytes())
    assert b'"truncate"' in kept.interactions[0].response.body
    assert vector["kind"] == "truncate-text"
    assert vector["got"] != vector["expected"]


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
def test_a_saved_find_is_tried_again_in_one_command(fuzz: Any, tmp_path: Path, suffix: str) -> None:
    fuzz("--python", f"{MODULE}:without_truncate", "--kind", "truncate-text", examples=100)
    file = str((tmp_path / "corpus" / "finds" / "truncate-text").with_suffix(suffix))
    assert fuzz("--python", f"{MODULE}:without_truncate", "--replay", file)[0] == Exit.VIOLATIONS
    assert fuzz("--python", f"{MODULE}:right", "--replay", file)[0] == Exit.FINE


@pytest.mark.parametrize(("contract", "code"), [([], 1), (["exact"], 1), (["lenient"], 0)])
def test_a_contract_says_what_is_asked_of_a_stream_with_a_fault(
    fuzz: Any, tmp_path: Path, contract: list[str], code: int
) -> None:
    file = tmp_path / "faulty.json"
    file.write_text(json.dumps({"sse_base64": base64.b64encode(FAULTY).decode()}), encoding="utf-8")
    options = [word for each in contract for word in ("--contract", each)]
    assert fuzz("--python", f"{MODULE}:inventing", "--replay", str(file), *options)[0] == code


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("crashes", "the process ended with exit code 1"),
        ("crashes", "decoder: the end of its stderr\n  | The \\x1b[1mdecoder fell over\n"),
        ("babbles", "the answer is no JSON"),
        ("refuses", "no thanks"),
    ],
)
def test_a_process_that_does_not_answer_is_a_find_and_the_attack_goes_on(
    fuzz: Any, fault: str, said: str
) -> None:
    code, report, text = fuzz(*command("serve", fault), "--kind", "text", "--kind", "framing", examples=1)
    assert code == Exit.VIOLATIONS
    assert failed(report) == {"text", "framing"}
    assert said in text


def test_a_process_that_hangs_is_ended(fuzz: Any) -> None:
    code, report, said = fuzz(
        *command("serve", "hangs"), "--kind", "text", "--timeout", "4", "--time", "1", examples=1
    )
    assert code == Exit.VIOLATIONS
    assert failed(report)
    assert "no answer within 4 s" in said
    assert "decoder: the end of its stderr\n  | thinking\n" in said


def test_a_command_can_be_run_once_a_stream(fuzz: Any) -> None:
    code, report, said = fuzz(*command("one-shot", "refuses"), "--time", "1", examples=1)
    assert code == Exit.VIOLATIONS
    assert failed(report)
    assert "exit code 1" in said


UNFIT = {
    "decoder_that_fails": "raise RuntimeError('no model')",
    "decoder_that_ends": "raise SystemExit('usage')",
    "decoder_with_a_slip": "def f(:",
}
"""Modules that can't be imported."""


def began(tmp_path: Path) -> None:
    """Note that a run with the seed 0 was stopped."""
    attack = {"decoder": f"{MODULE}:right", "contract": "exact", "seed": 0}
    Corpus(folder=tmp_path / "corpus").keep_progress(attack, {"text": 2})


def test_a_run_that_ran_out_of_time_goes_on_where_it_was(fuzz: Any, tmp_path: Path) -> None:
    arguments = ("--python", f"{MODULE}:right")
    began(tmp_path)
    code, report, said = fuzz(*arguments, "--time", "0")
    assert code == Exit.FINE
    assert {kind["kind"]: kind["examples"] for kind in report["kinds"]}["text"] == 2
    assert "goes on from here" in said
    code, report, _ = fuzz(*arguments)
    assert {kind["examples"] for kind in report["kinds"]} == {3}
    assert list((tmp_path / "corpus" / "progress").iterdir()) == []


def test_another_seed_begins_anew_and_leaves_the_first_as_it_is(fuzz: Any, tmp_path: Path) -> None:
    began(tmp_path)
    _, report, _ = fuzz("--python", f"{MODULE}:right", "--seed", "1", "--time", "0")
    assert {kind["examples"] for kind in report["kinds"]} == {0}
    _, report, _ = fuzz("--python", f"{MODULE}:right", "--time", "0")
    assert {kind["kind"]: kind["examples"] for kind in report["kinds"]}["text"] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give either --command or --python"),
        (["--python", "x:y", "--command", "z"], "give either --command or --python"),
        (["--python", "no.such.module:f"], "expected MODULE:FUNCTION that can be imported"),
        (["--python", "json"], "expected MODULE:FUNCTION that can be imported"),
        (["--python", "json:__name__"], "json:__name__: expected a function, got 'json'"),
        (["--python", "decoder_that_fails:f"], "can be imported: RuntimeError: no model"),
        (["--python", "decoder_that_ends:f"], "can be imported: SystemExit: usage"),
        (["--python", "decoder_with_a_slip:f"], "can be imported: SyntaxError: "),
        (["--command", "no-such-program-at-all"], "can't be started"),
        (["--command", "no-such-program-at-all", "--one-shot"], "can't be started"),
        (["--command", "'"], "--command"),
        (["--command", ""], "expected a program"),
        (["--python", f"{MODULE}:right", "--kind", "no-such-kind"], "expected one of text, text-values"),
        (["--command", shlex.join([sys.executable, "-c", "pass"])], "without an answer"),
        (["--command", shlex.join([sys.executable, "-c", "1 / 0"])], "  | ZeroDivisionError: division"),
        (
            ["--command", shlex.join([sys.executable, "-c", "input(); print(1); input()"])],
            "expected an object with the id 1",
        ),
    ],
)
def test_what_can_not_be_attacked_is_refused_in_words(
    fuzz: Any, arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, source in UNFIT.items():
        (tmp_path / f"{module}.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    code, _, text = fuzz(*arguments)
    assert code == Exit.SETUP
    assert said in text
    assert "please report" not in text


def test_a_file_that_holds_no_find_is_refused(fuzz: Any, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text("{}")
    code, _, said = fuzz("--python", f"{MODULE}:right", "--replay", str(file))
    assert code == Exit.SETUP
    assert "expected a vector" in said


def test_a_cassette_without_a_stream_is_refused(fuzz: Any) -> None:
    file = bundled_directory() / "codex" / "plain_turn.yaml"
    code, _, said = fuzz("--python", f"{MODULE}:right", "--replay", str(file))
    assert code == Exit.SETUP
    assert f"{file}: expected a cassette with a stream" in said
