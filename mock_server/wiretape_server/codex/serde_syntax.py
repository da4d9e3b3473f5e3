"""How the app-server words a syntax error in a JSON text, and where it sees it."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final, NoReturn

from wiretape import strictjson
from wiretape_server.codex.serde import UnreadableError

_BLANKS: Final = re.compile(rb"[ \t\r\n]*")
_DEEPEST: Final = 127
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_SPECIAL: Final = re.compile(rb'["\\\x00-\x1f]|\Z')
_WHOLE: Final = re.compile(rb"0|[1-9][0-9]*")
_DIGITS: Final = re.compile(rb"[0-9]+")
_HEX: Final = re.compile(rb"[0-9a-fA-F]{4}")
_WORDS: Final = {b"t": b"true", b"f": b"false", b"n": b"null"}
_CONTROL: Final = "control character (\\u0000-\\u001F) found while parsing a string"


def parse_arguments(text: str) -> Any:
    """Parse the arguments that a model wrote. Raises UnreadableError with the server's words.

    A number beyond a double is refused here; the real server hands it on as it is written.
    """
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except (ValueError, RecursionError):
        raise UnreadableError(syntax_complaint(_bytes(text)) or "number out of range") from None
    if _SURROGATE.search(text) or strictjson.depth(value) > _DEEPEST:
        _Scanner(_bytes(text)).text()
    return value


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _no_constant(name: str) -> float:
    raise ValueError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


def syntax_complaint(data: bytes) -> str:
    """What the server has against a text that is no JSON; empty when it is some."""
    try:
        _Scanner(data).text()
    except UnreadableError as complaint:
        return str(complaint)
    return ""


class _Scanner:
    """Reads a JSON text as far as it goes."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def text(self) -> None:
        self.value(0)
        if self.peek():
            self.fail_here("trailing characters")

    def peek(self) -> bytes:
        """The next byte behind blanks; empty at the end."""
        blanks = _BLANKS.match(self.data, self.at)
        self.at = blanks.end() if blanks else self.at
        return self.next()

    def next(self) -> bytes:
        """The next byte; empty at the end."""
        return self.data[self.at : self.at + 1]

    def fail(self, words: str) -> NoReturn:
        """Complain of what was read last."""
        begin = self.data.rfind(b"\n", 0, self.at) + 1
        line = self.data.count(b"\n", 0, self.at) + 1
        raise UnreadableError(f"{words} at line {line} column {self.at - begin}")

    def fail_here(self, words: str) -> NoReturn:
        """Complain of the next byte."""
        self.at = min(self.at + 1, len(self.data))
        self.fail(words)

    def value(self, depth: int) -> None:
        first = self.peek()
        if not first:
            self.fail("EOF while parsing a value")
        if first in (b"{", b"["):
            self.container(first, depth)
        elif first == b'"':
            self.at += 1
            self.string()
        elif first in _WORDS:
            self.word(_WORDS[first])
        elif first == b"-" or first.isdigit():
            self.number()
        else:
            self.fail_here("expected value")

    def container(self, opening: bytes, depth: int) -> None:
        """An object or a list, member by member."""
        if depth == _DEEPEST:
            self.fail_here("recursion limit exceeded")
        self.at += 1
        is_object = opening == b"{"
        closing, name = (b"}", "an object") if is_object else (b"]", "a list")
        found = self.peek()
        while found != closing:
            if not found:
                self.fail(f"EOF while parsing {name}")
            self.member(is_object, depth)
            found = self.separator(closing)
        self.at += 1

    def member(self, is_object: bool, depth: int) -> None:
        if is_object:
            self.key()
        self.value(depth + 1)

    def key(self) -> None:
        if self.peek() != b'"':
            self.fail_here("key must be a string")
        self.at += 1
        self.string()
        found = self.peek()
        if found != b":":
            self.fail_here("expected `:`" if found else "EOF while parsing an object")
        self.at += 1

    def separator(self, closing: bytes) -> bytes:
        """What comes behind a member: the closing bracket, or a comma and something else."""
        found = self.peek()
        if found == b",":
            self.at += 1
            found = self.peek()
            if found == closing:
                self.fail_here("trailing comma")
            return found
        if found not in (b"", closing):
            self.fail_here(f"expected `,` or `{closing.decode()}`")
        return found

    def string(self) -> None:
        """The rest of a string behind its first quote."""
        while True:
            special = _SPECIAL.search(self.data, self.at)
            self.at = special.start() if special else len(self.data)
            found = self.next()
            if not found:
                self.fail("EOF while parsing a string")
            self.at += 1
            if found == b'"':
                return
            if found != b"\\":
                self.fail(_CONTROL)
            self.escape()

    def escape(self) -> None:
        """What stands behind a backslash."""
        found = self.next()
        if not found:
            self.fail("EOF while parsing a string")
        self.at += 1
        if found == b"u":
            self.character()
        elif found not in b'"\\/bfnrt':
            self.fail("invalid escape")

    def character(self) -> None:
        """The digits of a character, and its second half where it has one."""
        code = self.hex_digits()
        if 0xDC00 <= code <= 0xDFFF:
            self.fail("lone leading surrogate in hex escape")
        if not 0xD800 <= code <= 0xDBFF:
            return
        for each in (b"\\", b"u"):
            found = self.next()
            self.at += len(found)
            if found != each:
                self.fail("unexpected end of hex escape")
        if not 0xDC00 <= self.hex_digits() <= 0xDFFF:
            self.fail("lone leading surrogate in hex escape")

    def hex_digits(self) -> int:
        digits = self.data[self.at : self.at + 4]
        self.at += len(digits)
        if len(digits) < 4:
            self.fail("EOF while parsing a string")
        if not _HEX.fullmatch(digits):
            self.fail("invalid escape")
        return int(digits, 16)

    def word(self, wanted: bytes) -> None:
        for each in wanted:
            if self.at == len(self.data):
                self.fail("EOF while parsing a value")
            self.at += 1
            if self.data[self.at - 1] != each:
                self.fail("expected ident")

    def number(self) -> None:
        if self.next() == b"-":
            self.at += 1
        self.digits(_WHOLE)
        if self.next().isdigit():
            self.fail_here("invalid number")
        if self.next() == b".":
            self.at += 1
            self.digits(_DIGITS)
        if self.next() in (b"e", b"E"):
            self.at += 2 if self.data[self.at + 1 : self.at + 2] in (b"+", b"-") else 1
            self.digits(_DIGITS)

    def digits(self, wanted: re.Pattern[bytes]) -> None:
        found = wanted.match(self.data, self.at)
        if found:
            self.at = found.end()
        elif self.next():
            self.fail_here("invalid number")
        else:
            self.fail("EOF while parsing a value")
