"""The example clients' own decoders, against the delta vectors: documentation has to be right."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.playing import CLIENTS, needs_node

DELTA_VECTORS = Path(__file__).parents[1] / "vectors" / "flow_a" / "delta.json"

NODE_PROGRAM = """
import { Deltas } from './flow_a_stream.mjs'
let input = ''
for await (const chunk of process.stdin) input += chunk
const values = (decoder, deltas) => deltas.map((delta) => structuredClone(decoder.push(delta)))
const decode = (deltas) => values(new Deltas(), deltas)
console.log(JSON.stringify(JSON.parse(input).map(decode)))
"""


def is_plain(delta: dict[str, Any]) -> bool:
    """Whether the delta is of the kind that backends send: short keys, and a value where one is needed."""
    return delta.keys() <= {"c", "p", "o", "v"} and ("v" in delta or delta.get("o") == "remove")


def plain_vectors() -> list[dict[str, Any]]:
    """The vectors without errors, whose deltas are all plain."""
    vectors = json.loads(DELTA_VECTORS.read_text(encoding="utf-8"))["vectors"]
    return [
        vector
        for vector in vectors
        if all("value" in step for step in vector["steps"]) and all(map(is_plain, vector.get("deltas", [{}])))
    ]


def shown(value: Any) -> Any:
    """A value as JSON shows it: holes are null, and surrogate halves that belong together are joined."""
    if isinstance(value, dict):
        return None if value == {"$undefined": True} else {key: shown(each) for key, each in value.items()}
    if isinstance(value, list):
        return [shown(each) for each in value]
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return value


def python_values(runs: list[list[Any]]) -> list[list[Any]]:
    spec = importlib.util.spec_from_file_location("flow_a_stream", CLIENTS / "flow_a_stream.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def decode(deltas: list[Any]) -> list[Any]:
        decoder = module.Deltas()
        return [json.loads(json.dumps(decoder.push(delta))) for delta in deltas]

    return [decode(deltas) for deltas in runs]


def node_values(runs: list[list[Any]]) -> list[list[Any]]:
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", NODE_PROGRAM],
        input=json.dumps(runs),
        cwd=CLIENTS,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    values: list[list[Any]] = json.loads(done.stdout)
    return values


DECODERS = [
    pytest.param(python_values, id="python"),
    pytest.param(node_values, id="node", marks=needs_node),
]


@pytest.mark.parametrize("decode", DECODERS)
def test_an_example_decoder_gives_the_values_of_the_vectors(decode: Any) -> None:
    vectors = plain_vectors()
    assert len(vectors) >= 20
    decoded = decode([vector["deltas"] for vector in vectors])
    for vector, values in zip(vectors, decoded, strict=True):
        assert shown(values) == shown([step["value"] for step in vector["steps"]]), vector["name"]
