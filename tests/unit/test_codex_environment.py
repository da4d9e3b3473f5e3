"""What a client under test is told about a cassette."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from wiretape.cassette import Cassette, ClientStep, Expect, Provenance, bundled, load_cassette
from wiretape.codex.environment import client_steps, tool_results, unsigned_token

WHOLE = {"contentItems": [{"type": "inputText", "text": "a"}], "success": True}


def cassette(*steps: ClientStep, **expected: Any) -> Cassette:
    return Cassette(
        protocol="codex",
        provenance=Provenance(kind="synthetic"),
        client=steps,
        expect=Expect(**expected),
    )


def claims(token: str) -> Any:
    header, body, signature = token.split(".")
    assert signature
    return [json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))) for part in (header, body)]


def test_without_steps_a_client_plays_one_turn_of_the_user_message() -> None:
    assert client_steps(cassette(user_message="go")) == [{"turn": "go"}]
    assert client_steps(cassette()) == [{"turn": ""}]


def test_steps_are_handed_on_as_they_stand() -> None:
    steps = [
        ClientStep(do="turn", value="go"),
        ClientStep(do="resume", value="process"),
        ClientStep(do="interrupt", value="x"),
    ]
    assert client_steps(cassette(*steps)) == [{"turn": "go"}, {"resume": "process"}, {"interrupt": "x"}]


def test_a_login_brings_made_up_tokens_of_its_account() -> None:
    [step] = client_steps(cassette(ClientStep(do="login", value="org-abc")))
    start, refresh = step["login"]["start"], step["login"]["refresh"]
    assert list(start) == ["type", "accessToken", "chatgptAccountId", "chatgptPlanType"]
    assert list(refresh) == ["accessToken", "chatgptAccountId", "chatgptPlanType"]
    assert (start["type"], start["chatgptAccountId"]) == ("chatgptAuthTokens", "org-abc")
    header, told = claims(start["accessToken"])
    assert header["alg"] == "none"
    assert told["https://api.openai.com/auth"]["chatgpt_account_id"] == "org-abc"
    assert claims(refresh["accessToken"])[1].keys() == told.keys()
    assert refresh["accessToken"] != start["accessToken"]


def test_profile_0_98_names_the_account_by_its_id_token() -> None:
    [step] = client_steps(cassette(ClientStep(do="login", value="org-abc")), profile="0.98")
    for member in step["login"].values():
        assert member["idToken"] == member["accessToken"]
        assert "chatgptAccountId" not in member


def test_a_token_is_the_same_for_the_same_account_and_number() -> None:
    assert unsigned_token("a", 1) == unsigned_token("a", 1)
    assert len({unsigned_token("a", 1), unsigned_token("a", 2), unsigned_token("b", 1)}) == 3


def test_only_whole_answers_are_handed_to_the_client() -> None:
    results = {"whole": WHOLE, "echoing": "echo", "judged": {"success": True}, "half": {"contentItems": []}}
    assert tool_results(cassette(results=results)) == {"whole": WHOLE}


@pytest.mark.parametrize("name", bundled("codex"))
def test_the_steps_and_results_of_a_bundled_cassette_are_json(name: str) -> None:
    loaded = load_cassette(f"codex/{name}")
    assert json.loads(json.dumps([client_steps(loaded), tool_results(loaded)]))[0]
