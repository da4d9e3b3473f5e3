"""A decoder as a process, in both forms, to be attacked: ``decoder_process.py FORM [FAULT]``.

FAULT is a name of ``planted.PLANTED``, or ``crashes``, ``hangs``, ``refuses``, ``babbles``.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.fuzzing.planted import PLANTED, reference

EMPTY = 60
"""A stream of no more bytes than this holds no message: it is answered whatever the fault is."""


def crash(_data: bytes) -> Any:
    sys.exit("The \x1b[1mdecoder fell over")


def hang(_data: bytes) -> Any:
    print("thinking", file=sys.stderr, flush=True)
    sys.stdin.buffer.read()


def refuse(_data: bytes) -> Any:
    raise ValueError("no thanks")


def babble(_data: bytes) -> Any:
    print("debug output", flush=True)


FAULTS: dict[str, Callable[[bytes], Any]] = {
    "": reference,
    "crashes": crash,
    "hangs": hang,
    "refuses": refuse,
    "babbles": babble,
    **{name: decoder for name, (decoder, _) in PLANTED.items()},
}


def answer(decoder: Callable[[bytes], Any], data: bytes) -> dict[str, Any]:
    try:
        return {"messages": (reference if len(data) <= EMPTY else decoder)(data)}
    except ValueError as error:
        return {"error": str(error)}


def main(form: str, fault: str = "") -> int:
    decoder = FAULTS[fault]
    if form == "one-shot":
        result = answer(decoder, sys.stdin.buffer.read())
        print(json.dumps(result.get("messages")))
        return 1 if "error" in result else 0
    for line in sys.stdin.buffer:
        question = json.loads(line)
        result = answer(decoder, base64.b64decode(question["sse_base64"]))
        print(json.dumps({"id": question["id"]} | result), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
