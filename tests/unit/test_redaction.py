from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.unit.planted import JWT, body, frames, session
from wiretape.cassette import (
    ClientStep,
    Expect,
    ModelCall,
    ModelText,
    Step,
    bundled,
    dumps,
    load_cassette,
)
from wiretape.redaction import Redactor, scan
from wiretape.redaction.notation import EVERY, JSON, undone
from wiretape.redaction.pseudonyms import Pseudonyms, is_pseudonym


def headers(*pairs: tuple[str, str]) -> list[str]:
    return [value for _, value in Redactor().headers(pairs)]


def redacted(text: str) -> str:
    return Redactor().body(text.encode()).decode()


def test_the_case_of_the_document_leaves_no_secret() -> None:
    event = b'data: {"type":"resume_conversation_token","token":"%s"}\n\n' % JWT.encode()
    sent = {
        "AUTHORIZATION": "Bearer SECRET3",
        "Cookie": "__Secure-next-auth.session-token=SECRET4",
        "OpenAI-Sentinel-Proof-Token": "SECRET5",
    }
    got = {"set-cookie": "a=SECRET1", "X-Conduit-Token": "SECRET2"}
    request = body(app_attest_challenge="SECRET7")
    raw = session(path="/x?verify=SECRET8", sent=sent, got=got, request=request, response=event)
    redactor = Redactor()
    written = dumps(redactor.cassette(raw))
    assert b"SECRET" not in written
    assert b"eyJ" not in written
    assert scan(written, redactor.secrets) == []


@pytest.mark.parametrize("kind", ["github_pat", "ghp", "ghs", "npm"])
def test_a_token_is_known_by_how_it_begins(kind: str) -> None:
    assert "AbC123dEf456" not in redacted(f"it is {kind}_AbC123dEf456 right now")


def test_a_secret_has_one_pseudonym_wherever_it_stands_and_another_has_another() -> None:
    redactor = Redactor()
    token = "SECRET-token-1"
    (_, header), (_, cookie) = redactor.headers([("X-Conduit-Token", token), ("Cookie", f"a={token}")])
    answer = json.loads(
        redactor.body(json.dumps({"conduit_token": token, "idToken": "SECRET-token-2"}).encode())
    )
    text = redactor.body(b'{"note":"SECRET\\u002dtoken%2D1"}')
    assert json.loads(text)["note"].replace("%2D", "-") == header
    assert cookie == f"a={header}"
    assert answer["conduit_token"] == header != answer["idToken"]


def test_what_is_no_secret_comes_back_byte_for_byte() -> None:
    texts = (
        '{"conversation_id":"6a0da0b4-0000-4000-8000-00000000abcd","token":null,"max_tokens":5}',
        '{"client_info":{"name":"my client"},"text":"a \\"quoted\\" 100% of it: \\ud83d, C:\\\\new \\u00e9"}',
        "not JSON at all, with a bearer of good news and a path /home",
        '{"url":"https://example.com/home/page?x=1&y=%20","git":"git@github.com:a/b","v":"a@b"}',
        '{"data":"aGVsbG8gd29ybGQsIGhlbGxvIHdvcmxk","word":"internationalization-of-everything"}',
    )
    for text in texts:
        assert redacted(text) == text
    raw = bytes(range(256)) + b'\xff{"a":"\xff"}'
    assert Redactor().body(raw) == raw


@pytest.mark.parametrize(
    "name", [f"{p}/{n}" if "/" not in n else n for p in ("flow_a", "codex") for n in bundled(p)]
)
def test_bundled_cassettes_hold_no_secret(name: str) -> None:
    cassette = load_cassette(name)
    assert Redactor().cassette(cassette) == cassette
    assert scan(dumps(cassette)) == []


def test_headers_are_kept_by_a_list_and_all_others_hidden_at_their_length() -> None:
    assert headers(("Content-Type", "text/event-stream; charset=utf-8")) == [
        "text/event-stream; charset=utf-8"
    ]
    (hidden,) = headers(("X-Internal-Route", "cluster-7 of bar"))
    assert (len(hidden), hidden.count(" ")) == (16, 2)
    assert "cluster" not in hidden
    assert headers(("x-conduit-token", "no-token")) == ["no-token"]
    assert headers(("Referer", "https://x.example/a?token=SECRET1"))[0].startswith(
        "https://x.example/a?token=~"
    )


def test_a_scheme_stays_before_its_credentials() -> None:
    assert headers(("Authorization", "Bearer SECRET3")) == ["Bearer ~1~~~~~"]
    assert redacted('{"authorization":"Basic SECRET3"}') == '{"authorization":"Basic ~1~~~~~"}'


def test_names_and_attributes_of_cookies_stay() -> None:
    expires = "Expires=Wed, 21 Oct 2015 07:28:00 GMT"
    assert headers(("Set-Cookie", f"a=SECRET1; {expires}; Path=/; HttpOnly, b=SECRET2; Secure")) == [
        f"a=~1~~~~~; {expires}; Path=/; HttpOnly, b=~2~~~~~; Secure"
    ]
    assert headers(("Cookie", "SECRET1; b=SECRET2,x")) == ["~1~~~~~; b=hidden-2-"]


def test_queries_keep_plain_arguments_and_ids_only() -> None:
    target = "/backend-api/x?num_turns=10&live=true&id=6a0da0b4-0000-4000-8000-00000000abcd&flag&f=open"
    assert Redactor().target(target) == target
    assert Redactor().target("/x?verify=plain&Q=Zz9") == "/x?verify=~1~~~&Q=~2~"


def test_every_argument_of_a_websocket_url_is_a_secret() -> None:
    text = redacted('{"websocket_url":"wss:\\/\\/ws.example\\/p?region=plain-text&SECRET9#x"}')
    assert json.loads(text)["websocket_url"] == "wss://ws.example/p?region=hidden-1--&~2~~~~~#x"


def test_home_folders_lose_their_owner_only() -> None:
    text = redacted(
        '{"cwd":"/home/jdoe/p","b":"C:\\\\Users\\\\J. Doe\\\\p","c":"-I/Users/jdoe","d":"/home/user"}'
    )
    value = json.loads(text)
    assert value == {
        "cwd": "/home/~1~~/p",
        "b": "C:\\Users\\~. 2~~\\p",
        "c": "-I/Users/~1~~",
        "d": "/home/user",
    }


def test_a_sentinel_proof_is_a_secret_and_the_path_of_a_delta_is_none() -> None:
    redactor = Redactor()
    assert redactor.body(b'{"p":"SECRETp1"}', target="/backend-api/sentinel/x") == b'{"p":"hidden-1"}'
    assert redactor.body(b'{"p":"/message"}') == b'{"p":"/message"}'


def test_what_a_later_text_betrays_is_hidden_in_earlier_ones() -> None:
    first = session(request=body(text="it is SECRET-x1 here"))
    both = replace(
        first, interactions=(*first.interactions, *session(got={"X-Conduit-Token": "SECRET-x1"}).interactions)
    )
    assert "SECRET" not in repr(Redactor().cassette(both))
    assert "SECRET" in repr(Redactor().cassette(first))


def test_a_value_that_is_like_any_word_is_hidden_in_its_place_only() -> None:
    text = '{"password":"message","author":"message","token":"1234567","n":1234567}'
    assert redacted(text) == '{"password":"~1~~~~~","author":"message","token":"~2~~~~~","n":1234567}'
    redactor = Redactor()
    redactor.body(text.encode())
    assert redactor.secrets == frozenset()


def test_a_secret_that_looks_like_an_escape_does_not_spoil_the_json() -> None:
    redactor = Redactor()
    redactor.know([b"nSECRET1", b"0041SECRET2"])
    text = redactor.body(b'{"a":"x\\nSECRET1","b":"\\u0041SECRET2","c":"\\\\nSECRET1"}')
    assert json.loads(text) == {"a": "x\nSECRET1", "b": "ASECRET2", "c": "\\hidden-1"}


def test_all_texts_of_a_codex_cassette_are_redacted() -> None:
    cassette = replace(
        frames({"id": 1, "result": {"chatgptAccountId": "org-77x"}}),
        model=(
            Step(
                items=(
                    ModelText(text="me@corp.io", deltas=("me@co", "rp.io")),
                    ModelCall(id="c", tool="t", arguments='{"password":"SECRET1"}'),
                )
            ),
        ),
        client=(ClientStep(do="login", value="org-77x"),),
        expect=Expect(
            results={"t": {"token": "SECRET2", "n": 1}, "u": "echo"}, tools=({"cookie": "a=SECRET3"},)
        ),
    )
    hidden = Redactor().cassette(cassette)
    for secret in ("org-77x", "SECRET", "corp", "rp.io"):
        assert secret not in repr(hidden)
    text = hidden.model[0].items[0]
    assert isinstance(text, ModelText)
    assert "".join(text.deltas) == text.text


def test_pseudonyms_of_an_earlier_redaction_are_not_given_again() -> None:
    old = Redactor().cassette(session(request=body(idToken="SECRET-id-token-1")))
    new = session(request=body(idToken="SECRET-id-token-2"))
    both = Redactor().cassette(replace(old, interactions=(*old.interactions, *new.interactions)))
    first, second = (json.loads(each.request.body)["idToken"] for each in both.interactions)
    assert first == json.loads(old.interactions[0].request.body)["idToken"] != second


def test_a_pseudonym_is_as_long_in_every_spelling() -> None:
    names = Pseudonyms()
    for value in (
        "a",
        "ab",
        "abc",
        "a.b@c d",
        "x" * 40,
        "é王🔑\ud83dA",
        "\udc80ab",
        '\n"\\/\x7f',
        "...",
        "0" * 8,
    ):
        name = names.of(value)
        assert len(name) == len(value)
        for coding in ("utf-8", "utf-16-le"):
            assert len(name.encode(coding, "surrogatepass")) == len(value.encode(coding, "surrogatepass"))
        assert names.of(name) == name
        assert is_pseudonym(name)
    uuid = names.of("6A0da0b4-1111-4000-8000-00000000abcd")
    assert uuid.startswith("00000000-0000-4000-8000-0000000000")
    assert is_pseudonym(uuid)


def test_many_short_secrets_still_get_pseudonyms() -> None:
    names = Pseudonyms()
    assert len({names.of(f"{number:04}") for number in range(1500)}) == 1500
    assert [len(names.of(value)) for value in ("ab", "a")] == [2, 1]


def test_spellings_are_undone_and_put_back() -> None:
    text = "\\u0041\\n\\/%41%C3%A9%e7%8e%8b%F0%9F%94%91\\ud83d\\udd11\\ud83d%ED%A0%80b"
    plain = EVERY.plain(text)
    assert plain == "A\n/Aé王🔑🔑\ud83d\ufffdb"
    assert EVERY.respelled(text, plain) == text
    changed = EVERY.respelled(text, "B//B·…🔒🔒\udd12-c")
    assert changed == "\\u0042\\/\\/%42%C2%B7%E2%80%A6%F0%9F%94%92\\ud83d\\udd12\\udd12%ED%A0%80c"
    assert EVERY.respelled("\\n", "x") == "\\n"
    assert JSON.plain("%41") == "%41"
    assert undone("%5Cu0041") == "A"


def test_a_secret_with_a_quote_is_hidden_in_its_place_and_not_taken_for_the_json_around() -> None:
    value = {
        "authorization": '"false"',
        "cookie": '{"cookie": null}',
        "password": 'SECRET"quoted\\and\nbroken',
    }
    hidden = redacted(json.dumps(value))
    assert json.loads(hidden) == {
        "authorization": "/~1~~~/",
        "cookie": "~/2~~~~~/~ ~3~~~",
        "password": "~4~~~~/~~~~~~/~~~/~~~~~~",
    }
    assert redacted(hidden) == hidden


def test_a_known_secret_with_a_backslash_keeps_what_may_be_an_escape() -> None:
    redactor = Redactor()
    redactor.know([rb"pass\word"])
    assert redactor.body(rb'{"a":"pass\\word"}') == rb'{"a":"~1~~\\w~~~"}'


def test_a_header_that_was_harmless_is_so_no_more_when_its_value_is_a_secret_elsewhere() -> None:
    redactor = Redactor()
    pairs = [("User-Agent", "falcon-77/1.0")]
    assert redactor.headers(pairs) == redactor.headers(pairs) == tuple(pairs)
    redactor.know([b"falcon-77"])
    assert b"falcon" not in repr(redactor.headers(pairs)).encode()
