"""An upstream over TLS, whose certificate is trusted or not."""

from __future__ import annotations

import gc
import shutil
import socket
import ssl
import subprocess
import threading
from pathlib import Path

import pytest

from tests.recording.codex_stage import websocket_tee
from tests.recording.stage import TIMEOUT, answer, recorder, sends, upstream
from tests.recording.test_passing_on import BODY, HEADERS, STREAM, converse
from tests.server.codex_wires import Websocket
from tests.server.making import PATH
from tests.server.wire import Wire
from wiretape_server.options import OptionError
from wiretape_server.recording.upstream import parse, trust

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for 127.0.0.1, in one file with its key."""
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext"
    made = subprocess.run(
        [*command.split(), "subjectAltName=IP:127.0.0.1", "-keyout", file, "-out", file.with_name("c.pem")],
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert made.returncode == 0
    file.write_text(file.read_text() + file.with_name("c.pem").read_text())
    return file


@needs_openssl
def test_an_upstream_with_a_certificate_of_the_given_authority_is_recorded(
    certificate: Path, tmp_path: Path
) -> None:
    def play(connection: socket.socket) -> None:
        sends(answer(STREAM))(connection)

    with upstream(play, tls=_server_side(certificate)) as backend:
        url = backend.base_url.replace("http:", "https:")
        with recorder(url, tmp_path, ca=certificate) as stage:
            assert converse(stage).endswith(STREAM)
            assert stage.finish().interactions[0].response.body == STREAM


@needs_openssl
def test_a_websocket_upstream_over_tls_is_recorded_when_its_authority_is_given(
    certificate: Path, tmp_path: Path
) -> None:
    def play(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\n\r\n\x81\x02{}")
        if connection.recv(1):
            heard.set()

    heard = threading.Event()
    with upstream(play, tls=_server_side(certificate)) as backend:
        url = backend.base_url.replace("http:", "wss:")
        with websocket_tee(url, tmp_path) as stage, Websocket(stage.url) as client:
            assert client.upgrade.status == 502
            assert b"--ca FILE" in client.upgrade.body()
        (tmp_path / "recorded.yaml.partial").unlink()
        with websocket_tee(url, tmp_path, ca=certificate) as stage, Websocket(stage.url) as client:
            assert client.read() == b"{}"
            client.write(b"[]")
            assert heard.wait(TIMEOUT)
            assert [frame.data for frame in stage.finish().frames] == [b"{}", b"[]"]


@needs_openssl
def test_a_tee_that_stops_leaves_no_connection_behind_whose_other_side_is_silent(
    certificate: Path, tmp_path: Path
) -> None:
    def play(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\n\r\n\x81\x02{}")
        if not connection.recv(1):  # the client has left, and the tee waits for the other side to say so too
            left.set()
        assert stopped.wait(TIMEOUT)

    left, stopped = threading.Event(), threading.Event()
    with upstream(play, tls=_server_side(certificate)) as backend:
        url = backend.base_url.replace("http:", "wss:")
        with websocket_tee(url, tmp_path, ca=certificate) as stage:
            with Websocket(stage.url) as client:
                assert client.read() == b"{}"
            assert left.wait(TIMEOUT)
        gc.collect()  # pytest tells of what was not closed, as an error
        stopped.set()


@needs_openssl
def test_a_certificate_that_nobody_vouches_for_gives_a_502_that_names_the_option(
    certificate: Path, tmp_path: Path
) -> None:
    with upstream(sends(answer(STREAM)), tls=_server_side(certificate)) as backend:
        url = backend.base_url.replace("http:", "https:")
        with recorder(url, tmp_path) as stage, Wire(stage.base_url) as wire:
            refused = wire.ask("POST", PATH, BODY, **HEADERS)
            assert refused.status == 502
            assert "--ca FILE" in refused.json()["detail"]["message"]
    assert backend.requests == []


def test_an_upstream_that_speaks_no_tls_gives_a_502_that_says_so(tmp_path: Path) -> None:
    with upstream(sends(b"HTTP/1.1 400 Bad Request\r\n\r\n"), whole=False) as backend:
        url = backend.base_url.replace("http:", "https:")
        with recorder(url, tmp_path) as stage, Wire(stage.base_url) as wire:
            refused = wire.ask("POST", PATH, BODY, **HEADERS)
            assert refused.status == 502
            assert "did not agree on TLS" in refused.json()["detail"]["message"]


@pytest.mark.parametrize("text", ["", "no certificate"])
def test_a_file_that_is_no_certificate_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text(text)
    with pytest.raises(OptionError, match="expected a file of certificates in PEM form"):
        trust(file)
    with pytest.raises(OptionError, match=r"none\.pem: expected a file"):
        trust(tmp_path / "none.pem")


@pytest.mark.parametrize(
    "url",
    ["backend.example", "ftp://x", "http://", "http://x:notaport", "http://x/?a=1", "https://me:pw@x/"],
)
def test_an_upstream_that_is_no_http_url_is_refused(url: str) -> None:
    with pytest.raises(OptionError):
        parse(url)


def test_an_upstream_has_the_port_of_its_scheme_and_may_have_a_path() -> None:
    secure = parse("https://Backend.example/base/")
    assert (secure.host, secure.port, secure.tls, secure.prefix) == ("backend.example", 443, True, "/base")
    plain = parse("http://[::1]:81")
    assert (plain.host, plain.port, plain.tls, plain.authority) == ("::1", 81, False, "[::1]:81")


def _server_side(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context
