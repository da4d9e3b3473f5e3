"""A codex cassette: what its model and its client do, the recorded frames, and what is refused of them."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from wiretape.cassette import (
    Cassette,
    CassetteError,
    ClientStep,
    ModelCall,
    ModelError,
    ModelText,
    Provenance,
    RecordedFrame,
    Step,
    document,
    dumps,
    loads,
)

HEAD = "format: 1\nprotocol: codex\ntitle: t\nprovenance:\n  kind: synthetic\n"
MODEL = "model:\n- items:\n  - text: done\n"


def session(**parts: Any) -> Cassette:
    whole = {"model": (Step(items=(ModelText(text="done"),)),)} | parts
    return Cassette(protocol="codex", title="t", provenance=Provenance(kind="synthetic"), **whole)


def frame(data: bytes, direction: Any = "client", delay: float = 0, connection: str = "") -> RecordedFrame:
    return RecordedFrame(direction=direction, delay=delay, data=data, connection=connection)


def refused(text: str) -> tuple[str, str]:
    """The place and the whole text of the refusal."""
    with pytest.raises(CassetteError) as caught:
        loads((HEAD + text).encode())
    return str(caught.value).split("\n")[1].removeprefix("  at    "), str(caught.value)


def test_a_session_is_laid_out_for_people() -> None:
    steps = (
        Step(
            items=(
                ModelCall(id="call_1", tool="demo_echo", namespace="demo", arguments='{"text": "hi"}'),
                ModelCall(id="call_2", tool="demo_echo", arguments="not JSON"),
            )
        ),
        Step(items=(ModelText(text="done", deltas=("do", "ne"), id="msg_1"),)),
        Step(error=ModelError(status=401)),
        Step(error=ModelError(status=400, body="no")),
        Step(wait="until_interrupt"),
    )
    client = (
        ClientStep(do="login", value="org-abc"),
        ClientStep(do="turn", value="go"),
        ClientStep(do="resume", value="process"),
        ClientStep(do="interrupt", value="stop"),
    )
    frames = (
        frame(b'{"id":1}'),
        frame(b'{"id":1,"result":{}}', "server", 12.5),
        frame(b"{}", "client", 3, "c2"),
    )
    assert (
        dumps(session(model=steps, client=client, frames=frames))
        .decode()
        .endswith("""
model:
- items:
  - call:
      id: call_1
      tool: demo_echo
      namespace: demo
      arguments:
        text: hi
  - call:
      id: call_2
      tool: demo_echo
      arguments_text: not JSON
- items:
  - text: done
    deltas:
    - do
    - ne
    id: msg_1
- error:
    status: 401
- error:
    status: 400
    body: "no"
- wait: until_interrupt
client:
- login: org-abc
- turn: go
- resume: process
- interrupt: stop
frames: |+
  > 0 {"id":1}
  < 12.5 {"id":1,"result":{}}
  c2> 3 {}
""")
    )


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ('{"text": "hi"}', "arguments"),
        ("[1, 1.0, true, null]", "arguments"),
        ('"a text"', "arguments"),
        ('{"text":"hi"}', "arguments_text"),
        ('{"text": "é"}', "arguments_text"),
        ('{"a": 1, "a": 1}', "arguments_text"),
        ('"\\ud800"', "arguments_text"),
        ('"\\u00e9"', "arguments"),
        ("", "arguments_text"),
        ("{", "arguments_text"),
        ("1e5", "arguments_text"),
    ],
)
def test_arguments_are_a_value_where_that_gives_the_same_text(written: str, key: str) -> None:
    call = ModelCall(id="c", tool="t", arguments=written)
    data = dumps(session(model=(Step(items=(call,)),)))
    assert key in yaml.safe_load(data)["model"][0]["items"][0]["call"]
    assert loads(data).model[0].items == (call,)


def test_an_answer_of_no_items_is_possible() -> None:
    assert loads(f"{HEAD}model: [{{items: []}}]\n".encode()).model == (Step(),)


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"=", b"=x", b"a\nb", b"a\rb", b"\xff", b"\x00", "\u0085".encode(), "\u2028".encode()),
        "\ufeff{}".encode(),
    ],
)
def test_bytes_that_a_line_cannot_hold_are_base64(data: bytes) -> None:
    written = dumps(session(frames=(frame(data), frame(b"{}"))))
    *_, line, after = written.removesuffix(b"\n").split(b"\n")
    assert line.startswith(b"  > 0 =")
    assert after == b"  > 0 {}"
    assert loads(written).frames[0].data == data


@pytest.mark.parametrize("data", [b" ", b"{} ", b" {}", b"\t", "é \U0001f600".encode(), b"> 0 {}", b"a=b"])
def test_printable_bytes_stand_in_their_line(data: bytes) -> None:
    written = dumps(session(frames=(frame(data),)))
    assert written.endswith(b"frames: |+\n  > 0 " + data + b"\n")
    assert loads(written).frames[0].data == data


def test_frames_are_cut_out_without_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    cassette = session(frames=(frame(b"{}"),), extensions={"x-own": 1})
    data = dumps(cassette)
    read: list[bytes] = []
    monkeypatch.setattr(document, "IN_C", False)
    monkeypatch.setattr(document, "read_yaml", lambda rest: read.append(rest) or yaml.safe_load(rest))
    assert loads(data) == cassette
    assert len(read) == 1
    assert b"> 0 {}" not in read[0]


UNUSUAL = {
    "deeper indentation": ("  > 0 {}\n", "    > 0 {}\n"),
    "a clipped block": ("frames: |+", "frames: |"),
    "another key behind the block": ("  > 0 {}\n", "  > 0 {}\nprofile: seed\n"),
    "the mark as frames": ("|+\n  > 0 {}\n", "wiretape-block-0\n"),
    "a mark in another place": ("title: t", 'title: "a\n\nframes: |+\n  b\n"\nx-a: 1'),
    "a block of exchanges": ("  > 0 {}\n", "  > 0 {}\nx-b:\n    body: |+\n      a\n"),
    "a line of fewer blanks": ("  > 0 {}\n", "  > 0 {}\n > 0 {}\n"),
    "a next line character": ("> 0 {}", "> 0 \u0085"),
}


@pytest.mark.parametrize("case", UNUSUAL)
def test_unusual_frames_are_read_as_yaml_reads_them(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    good = HEAD + MODEL + "frames: |+\n  > 0 {}\n"
    old, new = UNUSUAL[case]
    assert old in good
    data = good.replace(old, new, 1).encode()
    with_c = outcome(data)
    monkeypatch.setattr(document, "IN_C", False)
    assert outcome(data) == with_c


def outcome(data: bytes) -> Cassette | str:
    try:
        return loads(data)
    except CassetteError as error:
        return str(error)


REFUSED = {
    "no model": ("", "the top level", "the key 'model'"),
    "a model that is no list": ("model: {}\n", "model", "a list"),
    "a model of no steps": ("model: []\n", "model", "at least 1 entry"),
    "a step of nothing": ("model: [{}]\n", "model[0]", "one of items, wait, error, and only one"),
    "a step of two kinds": (
        "model: [{items: [], wait: until_interrupt}]\n",
        "model[0]",
        "one of items, wait, error, and only one",
    ),
    "an unknown kind of step": ("model: [{item: []}]\n", "model[0]", "did you mean 'items'"),
    "an unknown wait": ("model: [{wait: forever}]\n", "model[0].wait", "one of until_interrupt"),
    "an error without its status": ("model: [{error: {}}]\n", "model[0].error", "the key 'status'"),
    "an error of no status": ("model: [{error: {status: 7}}]\n", "model[0].error.status", "an HTTP status"),
    "an error's body that is no text": (
        "model: [{error: {status: 500, body: {}}}]\n",
        "model[0].error.body",
        "text",
    ),
    "an item that is no mapping": ("model: [{items: [done]}]\n", "model[0].items[0]", "a mapping"),
    "an item of nothing": ("model: [{items: [{}]}]\n", "model[0].items[0]", "the key 'text'"),
    "an item of two kinds": (
        "model: [{items: [{text: a, call: {id: c, tool: t, arguments: 1}}]}]\n",
        "model[0].items[0]",
        "only these keys: call",
    ),
    "deltas of another text": (
        "model: [{items: [{text: done, deltas: [do, n]}]}]\n",
        "model[0].items[0].deltas",
        "pieces of the text 'done'",
    ),
    "a call without a tool": (
        "model: [{items: [{call: {id: c, arguments: 1}}]}]\n",
        "model[0].items[0].call",
        "the key 'tool'",
    ),
    "a call without arguments": (
        "model: [{items: [{call: {id: c, tool: t}}]}]\n",
        "model[0].items[0].call",
        "arguments or arguments_text",
    ),
    "a call with its arguments twice": (
        'model: [{items: [{call: {id: c, tool: t, arguments: {}, arguments_text: "{}"}}]}]\n',
        "model[0].items[0].call",
        "arguments or arguments_text",
    ),
    "a client of no steps": (MODEL + "client: []\n", "client", "at least 1 entry"),
    "a client's step of two kinds": (
        MODEL + "client: [{turn: a, login: b}]\n",
        "client[0]",
        "one of login, turn, interrupt, resume, and only one",
    ),
    "an unknown kind of client's step": (MODEL + "client: [{turns: a}]\n", "client[0]", "mean 'turn'"),
    "a turn of no text": (MODEL + "client: [{turn: 1}]\n", "client[0].turn", "text"),
    "a resume elsewhere": (MODEL + "client: [{resume: later}]\n", "client[0].resume", "one of process"),
    "frames that are no text": (MODEL + "frames: []\n", "frames", "a literal block"),
    "frames of nothing": (MODEL + 'frames: ""\n', "frames", "a literal block"),
    "frames of one line feed": (MODEL + 'frames: "\\n"\n', "frames, its line 1", "ARROW DELAY TEXT"),
    "an empty line": (MODEL + "frames: |+\n  > 0 {}\n\n  > 0 {}\n", "frames, its line 2", "ARROW DELAY"),
    "no arrow": (MODEL + "frames: |+\n  > 0 {}\n  0 {}\n", "frames, its line 2", "ARROW DELAY TEXT"),
    "no delay": (MODEL + "frames: |+\n  > {}\n", "frames, its line 1", "'> {}'"),
    "no text": (MODEL + "frames: |+\n  > 0\n", "frames, its line 1", "ARROW DELAY TEXT"),
    "a negative delay": (MODEL + "frames: |+\n  > -1 {}\n", "frames, its line 1", "'> -1 {}'"),
    "four decimals": (MODEL + "frames: |+\n  > 0.0001 {}\n", "frames, its line 1", "three decimals"),
    "a name with a blank": (MODEL + "frames: |+\n  c 2> 0 {}\n", "frames, its line 1", "'c 2> 0 {}'"),
    "base64 that is none": (MODEL + "frames: |+\n  > 0 =a\n", "frames, its line 1", "base64"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_spoilt_session_is_refused_with_its_place(case: str) -> None:
    text, place, want = REFUSED[case]
    at, whole = refused(text)
    assert at == place
    assert want in whole


@pytest.mark.parametrize(
    "odd", [{"delay": 0.0001}, {"delay": -1.0}, {"delay": float("nan")}, {"connection": "c 2"}]
)
def test_a_frame_that_its_line_cannot_hold_is_not_written(odd: dict[str, Any]) -> None:
    with pytest.raises(CassetteError, match="round delays to three decimals"):
        dumps(session(frames=(frame(b"{}", **odd),)))
