"""The inspector over HTTP: who may look, what each address gives, and that looking leaves no trace."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.conformance.broken import BROKEN
from tests.conformance.playing import reference
from tests.inspector import sessions
from tests.server.wire import Answer, Wire, ask
from wiretape import load_cassette, transcript_file, verify
from wiretape.cassette import loads
from wiretape_server.inspector.app import inspector_url
from wiretape_server.inspector.guard import is_here, names_this_machine
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread


@pytest.fixture(scope="module")
def base(server: ServerThread) -> str:
    return server.base_url


def get(base: str, path: str, **headers: str) -> Answer:
    return ask(base, "GET", f"/inspector{path}", **headers)


def sent(base: str, host: str, method: str = "GET") -> Answer:
    """The answer to a request that names this host."""
    with Wire(base) as wire:
        wire.socket.sendall(
            f"{method} /inspector/ HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
        )
        return wire.answer()


RIGHT = f"/play/{sessions.RIGHT}"
PAGES = ["/", f"{RIGHT}/", f"{RIGHT}/returns", f"{RIGHT}/rules", f"{RIGHT}/bytes?line=0"]
PARTS = [
    f"{RIGHT}/rows?block=0",
    f"{RIGHT}/moment?line=0",
    f"{RIGHT}/returns?part=1",
    f"{RIGHT}/rules?part=1",
]
FILES = [
    f"{RIGHT}/cassette.yaml",
    f"{RIGHT}/transcript.jsonl",
    "/static/inspector.css",
    "/static/timeline.js",
]


@pytest.mark.parametrize("path", [*PAGES, *PARTS, *FILES])
def test_every_answer_forbids_scripts_that_are_not_files_of_ours(base: str, path: str) -> None:
    answer = get(base, path)
    assert answer.status == 200
    policy = dict(each.split(" ", 1) for each in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert {policy[name] for name in ("base-uri", "form-action", "frame-ancestors")} == {"'none'"}
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("path", [*PAGES, *PARTS])
def test_no_page_has_a_script_or_a_style_in_itself(base: str, path: str) -> None:
    text = get(base, path).body().decode()
    assert re.findall(r"<script(?![^>]* src=\"/inspector/static/)", text) == []
    assert "<style" not in text
    assert re.findall(r"<[^>]* (?:on[a-z]+|style)=", text) == []


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost", "LOCALHOST:99", "[::1]:8080", "127.8.8.8"])
def test_names_of_this_machine_are_answered(base: str, host: str) -> None:
    assert sent(base, host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "127.0.0.1%.evil.example",
        "127.0.0.1@evil",
        "",
        "[::2]",
        "10.0.0.1",
    ],
)
def test_a_strangers_name_is_refused(base: str, host: str) -> None:
    answer = sent(base, host)
    assert answer.status == 403
    assert b"<html" not in answer.body()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_sent_to_it(base: str, method: str) -> None:
    answer = sent(base, "localhost", method)
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize(
    ("address", "here"),
    [("127.0.0.1", True), ("::1", True), ("192.168.0.2", False), ("", False), ("::1%lo", True)],
)
def test_only_peers_of_this_machine_are_here(address: str, here: bool) -> None:
    assert is_here(address) is here
    assert not names_this_machine("example.org")


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://127.0.0.1:80", "http://127.0.0.1:80/inspector/"),
        ("http://[::1]:80", "http://[::1]:80/inspector/"),
        ("http://0.0.0.0:80", "http://127.0.0.1:80/inspector/"),
        ("http://[::]:80", "http://127.0.0.1:80/inspector/"),
        ("http://192.168.0.2:80", None),
    ],
)
def test_the_address_is_one_that_is_answered(base: str, url: str | None) -> None:
    assert inspector_url(base) == url


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/play/nobody/",
        f"{RIGHT}/nothing",
        "/static/",
        "/static/../app.py",
        "/static/x.css",
        f"{RIGHT}/moment?line=9999",
    ],
)
def test_what_is_not_there_is_said_in_a_sentence(base: str, path: str) -> None:
    answer = get(base, path)
    assert answer.status == 404
    assert answer.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize(
    "query", ["line=x", "line=-1", "block=99999999999999999999", "show=nothing", "find=%00%ff"]
)
def test_a_question_that_makes_no_sense_is_answered_all_the_same(base: str, query: str) -> None:
    assert get(base, f"{RIGHT}/rows?{query}").status == 200


def test_the_address_without_a_slash_leads_to_the_page(base: str) -> None:
    assert (get(base, "").status, get(base, "").headers["location"]) == (308, "/inspector/")


def test_a_head_request_has_no_body_and_no_end_of_news_to_wait_for(base: str) -> None:
    assert sent(base, "localhost", "HEAD").status == 200


# --- plays do not notice


def test_looking_leaves_no_trace_in_a_play() -> None:
    with ServerThread() as server:
        play = server.play(load_cassette("alefita_way"), PlayOptions(pace="instant"), key="looked/at")
        reference(play).run()
        before = play.transcript()
        for path in ("/", "/play/looked/at/", "/play/looked/at/rows", "/play/looked/at/rules", "/nowhere"):
            get(server.base_url, path)
        after = play.transcript()
    assert (after.entries, after.errors, after.unplayed) == (before.entries, before.errors, before.unplayed)
    assert verify(after).ok


def test_a_client_whose_backend_has_the_inspectors_name_is_played(base: str, server: ServerThread) -> None:
    play = server.play(load_cassette("alefita_way"), PlayOptions(pace="instant"), key="inspector")
    assert ask(play.base_url, "GET", "/backend-api/ios/attestation_challenge").status == 200
    assert len(play.transcript().entries) == 4
    play.close()
    assert get(base, "/play/inspector/").status == 404


def test_a_play_with_a_port_of_its_own_shows_nothing_there(server: ServerThread) -> None:
    play = server.play(load_cassette("alefita_way"), own_port=True)
    assert get(play.base_url, "/").status == 404
    play.close()


def test_the_server_stops_while_a_browser_looks_on() -> None:
    with ServerThread() as server:
        server.play(load_cassette("alefita_way"), key="a")
        wires = [Wire(server.base_url) for _ in range(3)]
        for wire in wires:
            wire.send("GET", "/inspector/play/a/live")
            next(wire.answer().chunks())
    for wire in wires:
        with wire, suppress(ConnectionError):
            wire.to_the_end()


# --- news


@pytest.fixture
def news(server: ServerThread) -> Iterator[Iterator[dict[str, object]]]:
    """The news of a fresh play of the wrong client's, as they come."""
    server.play(load_cassette("alefita_way"), PlayOptions(pace="instant"), key="news")
    with Wire(server.base_url) as wire:
        wire.send("GET", "/inspector/play/news/live")
        chunks = wire.answer().chunks()
        yield (json.loads(json.loads(chunk.removeprefix(b"data: "))) for chunk in chunks)


def test_news_come_when_something_happens_and_say_how_a_play_stands(
    server: ServerThread, news: Iterator[dict[str, object]]
) -> None:
    first = next(news)
    assert first["lines"] == 0
    assert "no client yet" in str(first["head"])
    wire = Wire(server.base_url + "/play/news")
    wire.ask("GET", "/backend-api/ios/attestation_challenge").body()
    assert next(news)["lines"] == 5  # request, answer, chunk, body, end
    wire.socket.close()


def test_news_of_the_list_are_the_list(base: str) -> None:
    with Wire(base) as wire:
        wire.send("GET", "/inspector/live")
        table = json.loads(next(wire.answer().chunks()).removeprefix(b"data: "))
    assert f'href="/inspector/play/{sessions.WRONG}/"' in table
    assert "1 violation" in table


# --- files


def test_a_session_is_a_cassette_that_draws_the_same_verdict(base: str) -> None:
    answer = get(base, f"/play/{sessions.WRONG}/cassette.yaml")
    assert answer.headers["content-disposition"] == 'attachment; filename="broken.yaml"'
    cassette = loads(answer.body())
    assert [each.rule for each in verify(cassette).violations] == [f"flow_a.{sessions.BREAKS}"]
    assert cassette.provenance.basis == ("a play of alefita_way",)


def test_an_app_servers_session_is_a_cassette_that_plays(base: str, server: ServerThread) -> None:
    cassette = loads(get(base, f"/play/{sessions.CODEX}/cassette.yaml").body())
    assert not verify(cassette).violations
    server.play(cassette, key="again").close()


def test_a_session_without_a_request_is_no_cassette_yet(base: str) -> None:
    answer = get(base, f"/play/{sessions.UNUSED}/cassette.yaml")
    assert answer.status == 409
    assert b"got none yet" in answer.body()


def test_a_session_is_a_transcript(base: str) -> None:
    transcript = transcript_file.load(get(base, f"/play/{sessions.WRONG}/transcript.jsonl").body())
    assert [each.rule for each in verify(transcript).violations] == [f"flow_a.{sessions.BREAKS}"]


SECRETS = {
    "authorization": "Bearer sk-proj-abcdefghijklmnop1234567890",
    "cookie": "session=very-secret-cookie-value-1234",
}


def test_no_address_tells_a_secret(server: ServerThread) -> None:
    play = server.play(load_cassette("alefita_way"), PlayOptions(pace="instant"), key="secret")
    hooks = BROKEN[sessions.BREAKS].hooks
    client = reference(play, type(hooks)(headers=lambda headers, _: headers.update(SECRETS)))
    client.run()
    lines = range(len([*get_lines(server.base_url, "secret")]))
    paths = ["rows?show=all", "returns", "rules", "cassette.yaml", "transcript.jsonl"]
    paths += [f"{view}?line={line}" for line in lines for view in ("moment", "bytes")]
    pages = b"".join(get(server.base_url, f"/play/secret/{path}").body() for path in paths)
    play.close()
    text = pages.decode()
    assert "authorization" in text.lower()
    assert not [secret for secret in SECRETS.values() if secret in text or secret.split()[-1] in text]
    hexes = [secret.encode()[8:16].hex(" ") for secret in SECRETS.values()]
    assert not [each for each in hexes if each in text]


def get_lines(base: str, key: str) -> list[str]:
    text = get(base, f"/play/{key}/rows?show=all&block=0").body().decode()
    matched = re.search(r'data-matched="([0-9]+)"', text)
    assert matched
    return [str(number) for number in range(int(matched[1]))]
