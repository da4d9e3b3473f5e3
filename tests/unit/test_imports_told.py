from __future__ import annotations

from dataclasses import replace

from tests.unit.planted import session
from wiretape.cassette import Chunks, Expect, dumps, loads
from wiretape.imports.told import told


def test_a_title_is_what_the_user_said_first() -> None:
    asked = replace(session(), expect=Expect(user_message=f"  Say it\nnow {'x' * 99}"))
    assert told(asked, "Recorded").title == "Recorded: Say it"
    assert told(session(), "Recorded").title == "A recording"
    assert told(session(), "Imported").title == "An imported recording"


def test_halves_of_characters_are_mended_where_no_file_can_hold_them() -> None:
    half = Expect(user_message="a\ud83d", tools=({"na\udc00me": ["x", "\ud800"]},))
    whole = session(response=b"\xed\xa0\x80")
    (interaction,) = whole.interactions
    response = replace(interaction.response, chunks=Chunks(delays=(1.5,), lengths=(3,)))
    cassette = replace(whole, expect=half, interactions=(replace(interaction, response=response),))
    mended = told(told(cassette, "Imported"), "Imported")
    assert mended.expect.tools == ({"na\ufffdme": ["x", "\ufffd"]},)
    assert mended.interactions == cassette.interactions
    assert [gap for gap in mended.provenance.gaps if "U+FFFD" in gap] == list(mended.provenance.gaps)
    assert len(mended.provenance.gaps) == 1
    assert loads(dumps(mended)).title == "Imported: a\ufffd"
