"""Stands in for ``codex``: hands a client's bytes to the app-server that a wiretape server plays.

The program that clients start is a copy of this file with two more lines, which call ``main``. So it imports
nothing but the standard library, and little of that: it has to start about as fast as Python itself.

To the server goes a HEAD record, its data the play, the working folder and the arguments, parted by NULs;
then the client's stdin as it comes. Back come records for STDOUT and STDERR; SHUT closes stdout and ends
nothing else; the last one, EXIT, has the exit code in ASCII. A record is a letter, the length of its data in
four bytes, the data.
"""

from __future__ import annotations

import _thread
import io
import os
import socket

HEAD = b"h"
STDOUT = b"o"
STDERR = b"e"
SHUT = b"c"
EXIT = b"x"
HEADER_SIZE = 5

_PIECE = 1 << 16
_DESCRIPTORS = {STDOUT: 1, STDERR: 2}


def record(kind: bytes, data: bytes) -> bytes:
    """Frame a piece of data."""
    return kind + len(data).to_bytes(4, "big") + data


def main(host: str, port: int, play: str, arguments: list[str]) -> int:
    """Be ``codex`` with these arguments, and give its exit code; 1, with a text, when no server is there."""
    try:
        server = socket.create_connection((host, port))
    except OSError as error:
        return _complain(f"no wiretape server is at {host}:{port} ({error}). Start this while one plays.")
    server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    head = [play, os.getcwd(), *arguments]
    server.sendall(record(HEAD, b"\0".join(map(os.fsencode, head))))
    if not _listens(arguments):  # one that listens does not end with its stdin
        _thread.start_new_thread(_send_stdin, (server,))
    try:
        with server, server.makefile("rb") as records:
            return _play_back(records)
    except BrokenPipeError:
        return _complain("nobody reads what the app-server says")
    except ConnectionError:
        return _complain("the wiretape server broke the connection")
    except KeyboardInterrupt:
        return 130


def _listens(arguments: list[str]) -> bool:
    """Whether the last ``--listen`` asks for a websocket; other options may well hold such an address."""
    address = ""
    for before, argument in zip(["", *arguments], arguments, strict=False):
        if before == "--listen":
            address = argument
        elif argument.startswith("--listen="):
            address = argument.removeprefix("--listen=")
    return address.startswith("ws://")


def _send_stdin(server: socket.socket) -> None:
    """Pass stdin on, and its end: then the app-server ends too."""
    try:
        while piece := os.read(0, _PIECE):
            server.sendall(piece)
        server.shutdown(socket.SHUT_WR)
    except OSError:
        return  # the server has left, which the other direction tells of


def _play_back(records: io.BufferedReader) -> int:
    """Write what the app-server writes, until it ends."""
    while header := records.read(HEADER_SIZE):
        kind, data = header[:1], records.read(int.from_bytes(header[1:], "big"))
        if kind == EXIT:
            return int(data)
        if kind == SHUT:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        else:
            _write(_DESCRIPTORS[kind], data)
    return _complain("the wiretape server has ended, and the app-server with it")


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _complain(text: str) -> int:
    try:
        _write(2, f"wiretape: {text}\n".encode())
    except OSError:
        return 1  # nobody reads stderr either
    return 1
