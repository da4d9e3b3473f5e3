"""Redacts one text: every secret in it gets its pseudonym, and the text stays as long as it was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Final

from wiretape.redaction import notation
from wiretape.redaction.looks import WRAPPED, Marks, Secrets, ascii_of, holds_wrapped, unwrapped
from wiretape.redaction.pseudonyms import Pseudonyms, is_pseudonym
from wiretape.redaction.rules import Hit, RedactionRules

_LEVELS: Final = 4
"""How many levels of escapes are looked through: JSON in a JSON string in an event, percent-encoded."""
_MOST_NAMES: Final = 4096
"""Names of members that are remembered."""
_GAP: Final = r"\s*+(?:data:\s*+)*"
_NAME: Final = re.compile(r'"([\w.-]{1,64})"\s*+:')
_MEMBER: Final = rf'"({{}})"\s*+:{_GAP}(?:"((?:[^"\\]|\\.)*+)"|\[([^\[\]{{{{}}}}]*+)\])'
_BLANKS: Final = r"(?:\s|\\[nrt]|%20|%0[9aAdD])*+"
_NO_VALUE_YET: Final = re.compile(rf'((?:\\"|%22){_BLANKS}(?::|%3[aA]){_BLANKS})"')
"""The end of a string that ends behind a member's name: without escapes it looks like the value's begin."""
_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*+)"')
_PARAMETER: Final = re.compile(r"([?&;]|^)([\w.%~-]{1,64})=([^&#\s\"'<>\\]+)", re.ASCII)
_SOCKET: Final = re.compile(r"wss?:(?:\\*/){2}[^\s\"'<>?]{0,400}\?([^\s\"'<>#]+)")
_ARGUMENT: Final = re.compile(r"(?>(?:[^&=]*=)?)([^&\\]+)")
_SCHEME: Final = re.compile(r"(?:Bearer|Basic|Digest|DPoP|Negotiate|Token)\s+", re.IGNORECASE)
_ESCAPE: Final = re.compile(r"\\.?", re.DOTALL)
_SEEN: Final = "a value that is a secret elsewhere"
_COOKIE: Final = re.compile(r"(?i:expires)=[^;]*|(?:([^=;,\s]+)=)?([^;\s,]+(?:,(?!\s*[^=;,\s]+=)[^;,\s]*)*)")
_COOKIE_WORDS: Final = frozenset(
    ("domain", "expires", "httponly", "max-age", "partitioned", "path", "priority", "samesite", "secure")
)
_SIGNS: Final = '"=\\%'
"""One of these stands in every text with a member, a parameter or an escape."""
_WORD_OR_NUMBER: Final = re.compile(r"[A-Z]?[a-z]+|[\d.eE+-]+")
_ON_THE_WEB: Final = re.compile(r"(?:https?|wss?):(?:\\*/){2}[^\s/\"]+$")


class TextRedactor:
    """Redacts texts one by one; what one text betrays is hidden in those after it."""

    def __init__(self, rules: RedactionRules, pseudonyms: Pseudonyms) -> None:
        self.rules = rules
        self.secrets = Secrets()
        """Every secret seen that can be told from other words, without escapes, in order."""
        self.hits: dict[Hit, None] = {}
        """What was hidden, in order."""
        self.place = ""
        """Where the texts stand that come next: for people."""
        self.known_only = False
        """Whether to look no more for new secrets, only for those that are known."""
        self._pseudonyms = pseudonyms
        self.is_secret_name = lru_cache(_MOST_NAMES)(rules.is_secret_name)
        self._harmless: set[str] = set()
        """Names of members that are no secrets'."""
        marks = [mark for shape in rules.shapes for mark in shape.marks or ("",)]
        self._marks = Marks(marks)
        self._signs = Marks([*_SIGNS, *marks])
        for value in rules.values:
            self.know(value)

    def know(self, secret: str) -> None:
        """From now on hide this value, which is a secret, wherever it stands."""
        self.secrets.add(secret)

    def redact(self, text: str, *, also: frozenset[str] = frozenset()) -> str:
        """Hide the secrets in a text, whatever escapes they are written in.

        ``also``: further names of secret members.
        """
        return text if self.is_plain(text) else self._redact(text, also, _LEVELS)

    def is_plain(self, text: str) -> bool:
        """Whether nothing in a text can be a secret: a quick look, which most words of an answer pass."""
        return self.shows_nothing_new(text) and not self.secrets.found_in(text)

    def shows_nothing_new(self, text: str) -> bool:
        """Whether nothing in a text can be a secret, unless it is one that is known."""
        if self.rules.hook is not None:
            return False
        if self._signs.absent_at_a_glance(text):
            return True
        raw = ascii_of(text)
        return not (self._signs.are_in(text, raw) or holds_wrapped(text, raw))

    def _redact(self, text: str, also: frozenset[str], levels: int) -> str:
        # By name from the outside in: an inner level may show a quote too early. By shape from the inside
        # out: an outer level may show only a part.
        if not self.known_only:
            for value in self.rules.hook(text) if self.rules.hook else ():
                self.know(value)
            text = self._parameters(self._members(text, also))
        apart = _NO_VALUE_YET.sub(r"\1 ", text)
        inner = notation.EVERY.plain(apart) if levels else text
        if inner != text:
            hidden = notation.EVERY.respelled(apart, self._redact(inner, also, levels - 1))
            text = hidden if apart == text else _with_ends(hidden, text)
        text = self.known(text)
        return self._wrapped(text if self.known_only else self._shapes(text), levels)

    @contextmanager
    def knowing_all(self) -> Iterator[None]:
        """Look for no new secrets meanwhile."""
        self.known_only = True
        try:
            yield
        finally:
            self.known_only = False

    def grown(self, text: str, name: str) -> str:
        """Hide the secrets in a text that came in pieces; ``name`` is its member's, if that is a secret's."""
        return self.secret(text, name) if name else self.redact(text)

    def secret(self, value: str, name: str) -> str:
        """Hide a secret; a scheme before it, as in ``Bearer …``, stays. ``name``: what kind of secret."""
        scheme = _SCHEME.match(value)
        head, value = (scheme[0], value[scheme.end() :]) if scheme else ("", value)
        canonical = notation.undone(value)
        if self.rules.is_placeholder(canonical):
            return head + value
        if _is_distinctive(canonical) and not is_pseudonym(canonical):
            self.secrets.add(canonical)
        return head + self.masked(value, name)

    def masked(self, value: str, name: str) -> str:
        """Put a pseudonym in the place of a value that need not be a secret elsewhere."""
        hidden = notation.deepest(value, self._pseudonyms.of)
        if hidden != value:
            self.hits[Hit(name=name, place=self.place)] = None
        return hidden

    def cookies(self, value: str) -> str:
        """Hide the values of ``Cookie`` and ``Set-Cookie``; names and attributes stay."""

        def hidden(match: re.Match[str]) -> str:
            word = match[1] or match[2] or "expires"
            if word.lower() in _COOKIE_WORDS:
                return match[0]
            return _with_group(match, 2, self.secret(match[2], f"cookie {match[1] or ''}".strip()))

        return _COOKIE.sub(hidden, value)

    def query(self, query: str) -> str:
        """Hide what a query string holds, but for flags, numbers, plain words and ids that are no secret."""
        pairs = (pair.partition("=") for pair in query.split("&"))
        return "&".join(name + equals + self._argument(name, value) for name, equals, value in pairs)

    def _argument(self, name: str, value: str) -> str:
        if self.rules.is_secret_name(notation.undone(name)):
            return self.secret(value, f"parameter {name}")
        return value if _PLAIN_ARGUMENT.fullmatch(value) else self.masked(value, f"parameter {name}")

    def known(self, text: str) -> str:
        """Hide the secrets that were seen before, the longest first."""
        found = self.secrets.found_in(text)
        if not found:
            return text
        found.sort(key=len, reverse=True)
        pattern = re.compile("|".join(map(re.escape, found)))
        return pattern.sub(self._unless_in_escape, text)

    def _unless_in_escape(self, match: re.Match[str]) -> str:
        value = match[0]
        if notation.inside_escape(match.string, match.start()):
            return value
        hidden = [*self.secret(value, _SEEN)]
        for structure in _ESCAPE.finditer(value):  # it may be an escape of the JSON around
            hidden[structure.start() : structure.end()] = structure[0]
        return "".join(hidden)

    def named(self, name: str, value: str) -> str:
        """Hide the value of a header or member whose name says that it is a secret."""
        return self.cookies(value) if "cookie" in name.lower() else self.secret(value, name)

    def _members(self, text: str, also: frozenset[str]) -> str:
        found = set(_NAME.findall(text))
        names = (found & also) | {name for name in found - self._harmless if self._is_secret_name(name)}
        return _member_pattern(frozenset(names)).sub(self._member, text) if names else text

    def _is_secret_name(self, name: str) -> bool:
        if self.is_secret_name(name):
            return True
        if len(self._harmless) > _MOST_NAMES:
            self._harmless.clear()
        self._harmless.add(name)
        return False

    def _member(self, match: re.Match[str]) -> str:
        name, value, values = match.groups()
        if values is not None:
            hidden = _STRING.sub(lambda each: f'"{self.secret(each[1], name)}"', values)
            return _with_group(match, 3, hidden)
        return _with_group(match, 2, self.named(name, value))

    def _parameters(self, text: str) -> str:
        if "=" not in text:
            return text
        if "ws" in text:
            text = _SOCKET.sub(self._socket, text)
        return _PARAMETER.sub(self._parameter, text)

    def _socket(self, match: re.Match[str]) -> str:
        """Hide every argument of a websocket URL."""
        return _with_group(match, 1, _ARGUMENT.sub(self._argument_of_socket, match[1]))

    def _argument_of_socket(self, match: re.Match[str]) -> str:
        return _with_group(match, 1, self.secret(match[1], "websocket URL"))

    def _parameter(self, match: re.Match[str]) -> str:
        if not self.is_secret_name(match[2]):
            return match[0]
        return _with_group(match, 3, self.secret(match[3], f"parameter {match[2]}"))

    def _shapes(self, text: str) -> str:
        if not self._marks.are_in(text, ascii_of(text)):
            return text
        hidden = text
        for shape in self.rules.shapes:
            if shape.may_be_in(hidden):
                hidden = shape.pattern.sub(partial(self._shaped, shape.name), hidden)
        return text if hidden == text else self._shapes(hidden)  # one may have stood right behind another

    def _shaped(self, name: str, match: re.Match[str]) -> str:
        text, start = match.string, match.start()
        if notation.inside_escape(text, start) or _is_web_path(match):
            return match[0]
        group = match.lastindex or 0
        return _with_group(match, group, self.secret(match[group], name))

    def _wrapped(self, text: str, levels: int) -> str:
        if not levels or not holds_wrapped(text, ascii_of(text)):
            return text
        return WRAPPED.sub(lambda match: self._unwrapped(match[0], levels), text)

    def _unwrapped(self, token: str, levels: int) -> str:
        """Hide a base64 text whole when it holds a secret."""
        inner = unwrapped(token)
        if inner is None or self._redact(inner, frozenset(), levels - 1) == inner:
            return token
        return self.secret(token, "base64 of a secret")


_PLAIN_ARGUMENT: Final = re.compile(
    r"|-?\d{1,6}|true|false|[a-z_]{1,16}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
)


def _is_distinctive(value: str) -> bool:
    """Whether a secret can be told from other text.

    ``true`` and ``20`` stand in many places, and what has a quote in it may be a piece of the JSON around.
    """
    return len(value) >= 6 and '"' not in value and not _WORD_OR_NUMBER.fullmatch(value)


def _is_web_path(match: re.Match[str]) -> bool:
    """Whether what looks like a home folder is the path of a page."""
    text, start = match.string, match.start()
    return text[start] == "/" and _ON_THE_WEB.search(text, max(0, start - 100), start) is not None


@lru_cache(maxsize=256)
def _member_pattern(names: frozenset[str]) -> re.Pattern[str]:
    return re.compile(_MEMBER.format("|".join(map(re.escape, sorted(names)))), re.DOTALL)


def _with_ends(hidden: str, text: str) -> str:
    """Put the ends of strings back that were taken out of a text before it was redacted."""
    parts, at = [], 0
    for match in _NO_VALUE_YET.finditer(text):
        parts += [hidden[at : match.end() - 1], '"']
        at = match.end()
    return "".join([*parts, hidden[at:]])


def _with_group(match: re.Match[str], group: int, new: str) -> str:
    start, stop = match.start(group) - match.start(), match.end(group) - match.start()
    return match[0][:start] + new + match[0][stop:]
