"""Files that hold something else than a cassette read the same, whether blocks are cut out or not."""

from __future__ import annotations

import pytest

from wiretape.cassette import Chunks, document
from wiretape.cassette.document import read_document
from wiretape.cassette.plain_yaml import read_yaml

FILES = {
    "no map": b"- a\n- b\n",
    "no interactions": b"format: 1\ninteractions: none\n",
    "an interaction that is text": b"interactions:\n- text\n",
    "a side that is text": b"interactions:\n- request: text\n  response: text\n",
    "a block where none belongs": b"interactions:\n- other:\n    body: |+\n      data: 1\n\n",
    "frames that are text": b"frames: none\n",
}


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_what_is_no_cassette_reads_as_yaml_reads_it(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(document, "IN_C", False)
    assert read_document(data) == read_yaml(data)


def test_a_table_of_cuts_has_a_delay_for_each_length() -> None:
    with pytest.raises(ValueError, match="expected a delay for each length, got 1, 2"):
        Chunks(delays=(0.0,), lengths=(1, 2))
