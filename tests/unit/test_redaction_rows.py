"""Rows of usual events, which are redacted in few steps: nothing may slip through these."""

from __future__ import annotations

import base64

import pytest

from tests.unit.planted import JWT, growing, stream
from tests.unit.test_redaction_streams import fed, text_of
from wiretape.redaction import Redactor


def test_a_row_at_other_paths_or_cut_in_an_event_is_redacted_like_any_other() -> None:
    said = ["Write ", "to bob", "@corp", ".com", " or say ", "nothing. ", "Bye", " n", "ow ", "and ", "on "]
    path = "/message/content/parts/0"
    events = [{"p": path, "o": "append", "v": each} for each in said * 3]
    events[20:20] = [{"p": "/message/t", "o": "append", "v": "x "}, {"v": "y "}]
    data = stream(*events)
    whole = Redactor().body(data)
    assert b"corp" not in whole
    for size in (10, 100, 1000, len(data) - 3):
        assert fed(data, size) == whole


LONG = "alpha.beta.gamma.delta.epsilon.zeta.eta.theta.iota.kappa.lambda.mu"


@pytest.mark.parametrize("size", [1, 200, 100_000])
@pytest.mark.parametrize("step", [1, 3, 7])
def test_a_secret_far_into_a_calm_text_is_found_however_it_is_cut(step: int, size: int) -> None:
    calm = "all is well and nothing is to be seen here, so far and for long; " * 4
    wrapped = base64.b64encode(b"write to bob@corp.com or to nobody").decode()
    secrets = ["Bearer tok98765", JWT, wrapped, "bob@corp.com", "falcon-77", LONG, "Project Falcon"]
    told = calm + "".join(f"{secret} {calm}" for secret in secrets)
    redactor = Redactor()
    redactor.know([b"falcon-77", LONG.encode(), b"Project Falcon"])
    by_events = redactor.stream()
    events = [event + b"\n\n" for event in growing(told, step).split(b"\n\n")[:-1]]
    assert "falcon" not in "".join([*map(by_events.feed, events), by_events.close()])
    hidden = text_of(fed(growing(told, step), size, redactor))
    assert len(hidden) == len(told)
    assert not [
        each
        for each in ("tok98765", JWT[:12], wrapped[:12], "bob", "alcon", "gamma", "Project")
        if each in hidden
    ]
    assert hidden.count(calm) == 8
