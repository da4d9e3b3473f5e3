"""The document that deltas build in one channel: the six operations, all or nothing.

Nodes are private dicts and lists, so nothing that was handed in or out shares them. A string that grows is a
``Text``, a leaf that holds its pieces until somebody reads it: ``+=`` would be quadratic. A hole in a list is
ABSENT. What an operation changes goes into an undo log, so that a failing patch costs no copy.
"""

from __future__ import annotations

from collections.abc import Callable
from reprlib import repr as shown
from typing import Any, Final, NamedTuple, TypeAlias

from wiretape.javascript import first_units, joined, text
from wiretape.pointer import Segment
from wiretape.strictjson import ABSENT, MAX_DEPTH

MAX_GAP: Final = 10_000
"""How many holes one operation may leave: an index of ten digits is a memory bomb."""

Node: TypeAlias = Any
Container: TypeAlias = dict[str, Any] | list[Any]


class DeltaError(ValueError):
    """A delta is not valid or can't be applied; ``kind`` says why, ``path`` is the path it was about."""

    def __init__(self, kind: str, message: str, path: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.path = path

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message} (path {shown(self.path)})" if self.path else message


class Text:
    """A string that grows by pieces, through ``append``."""

    __slots__ = ("append", "pieces")

    def __init__(self, *pieces: str) -> None:
        self.pieces = [*pieces]
        self.append = self.pieces.append

    def read(self) -> str:
        """Give the whole string; what was joined once is not joined again.

        Not while a step runs: to undo an append is to take its piece away again.
        """
        if len(self.pieces) > 1:
            self.pieces[:] = [joined(self.pieces)]
        return self.pieces[0]


class Step(NamedTuple):
    """A validated operation. The value of a patch is a list of steps."""

    path: str
    segments: tuple[Segment, ...]
    op: str
    value: Any


class Document:
    """One channel's value, absent at first."""

    __slots__ = ("_box", "_undo")

    def __init__(self) -> None:
        # The root is a member, too, of a box around it: then it needs no special case.
        self._box: dict[str, Any] = {}
        self._undo: list[tuple[Callable[..., object], tuple[Any, ...]]] = []

    @property
    def root(self) -> Node:
        return self._box.get("", ABSENT)

    def node(self, segments: tuple[Segment, ...]) -> Node:
        """Give the live node at a path, ABSENT where there is none. It is not for handing out."""
        node = self.root
        for key, position in segments:
            if isinstance(node, dict):
                node = node.get(key, ABSENT)
            elif isinstance(node, list) and position is not None and position < len(node):
                node = node[position]
            else:
                return ABSENT
        return node

    def run(self, step: Step) -> Text | None:
        """Apply a step; an append to a text gives it. Raises DeltaError, and then nothing has changed."""
        try:
            return self._run(self._box, step, MAX_DEPTH)
        except BaseException:
            for undo, arguments in reversed(self._undo):
                undo(*arguments)
            raise
        finally:
            self._undo.clear()

    def _run(self, box: dict[str, Any], step: Step, room: int) -> Text | None:
        try:
            room -= len(step.segments)
            if room < 0:
                raise DeltaError("limit", f"expected a path of at most {MAX_DEPTH} segments in all")
            container, key = self._walk(box, step.segments)
            return _APPLY[step.op](self, container, key, step.value, room)
        except DeltaError as error:
            error.path = error.path or step.path
            raise

    def _walk(self, box: dict[str, Any], segments: tuple[Segment, ...]) -> tuple[Container, Any]:
        """Find the container that the last segment is about, and its key there."""
        container: Container = box
        key: Any = ""
        for name, position in segments:
            member = _get(container, key)
            if type(member) is not dict and type(member) is not list:
                member = self._created(container, key, member, position)
            container = member
            key = name if type(member) is dict else position
            if key is None:
                raise DeltaError("index", f"expected the index of a list element, got the key {shown(name)}")
        return container, key

    def _created(self, container: Container, key: Any, member: Node, position: int | None) -> Container:
        """Put a container where none is on the way, whatever the operation: a list when an index follows."""
        if member is not ABSENT:
            got = shown(joined(member.pieces) if isinstance(member, Text) else member)
            raise DeltaError("container", f"expected an object or a list at {shown(key)}, got {got}")
        created: Container = {} if position is None else []
        self._set(container, key, created)
        return created

    def _add(self, container: Container, key: Any, value: Any, room: int) -> None:
        node = planted(value, room)
        if isinstance(container, dict):
            return self._set(container, key, node)
        index = min(key, len(container))
        self._undo.append((list.__delitem__, (container, index)))
        return container.insert(index, node)

    def _replace(self, container: Container, key: Any, value: Any, room: int) -> None:
        self._set(container, key, planted(value, room))

    def _remove(self, container: Container, key: Any, _value: Any, _room: int) -> None:
        if isinstance(container, dict):
            self._set(container, key, ABSENT)
        elif key < len(container):
            self._undo.append((list.insert, (container, key, container[key])))
            del container[key]

    def _append(self, container: Container, key: Any, value: Any, room: int) -> Text | None:
        target = _get(container, key)
        if isinstance(target, Text):
            self._undo.append((list.pop, (target.pieces,)))
            target.append(text(value))
            return target
        if isinstance(target, str):
            grown = Text(target, text(value))
            self._set(container, key, grown)
            return grown
        if isinstance(target, list):
            added = planted(value if isinstance(value, list) else [value], room)
            self._undo.append((list.__delitem__, (target, slice(len(target), None))))
            target += added
        elif isinstance(target, dict) and isinstance(value, dict):
            for name, member in planted(value, room).items():
                self._set(target, name, member)
        else:
            self._set(container, key, planted(value, room))
        return None

    def _truncate(self, container: Container, key: Any, value: float, _room: int) -> None:
        target, count = _get(container, key), int(value)
        if isinstance(target, (str, Text)):
            whole = target if isinstance(target, str) else joined(target.pieces)
            self._set(container, key, first_units(whole, max(count, 0)))
        elif isinstance(target, list):
            self._undo.append((list.extend, (target, target[count:])))
            del target[count:]

    def _patch(self, container: Container, key: Any, steps: list[Step], room: int) -> None:
        """Run the steps with the value as their root."""
        target = _get(container, key)
        box = {} if target is ABSENT else {"": target}
        for step in steps:
            self._run(box, step, room)
        result = box.get("", ABSENT)
        if result is not target:
            self._set(container, key, result)

    def _set(self, container: Container, key: Any, node: Node) -> None:
        """Set a member: ABSENT takes it out of an object; a list grows, with holes before the element."""
        if isinstance(container, list):
            return self._set_element(container, key, node)
        old = container.get(key, ABSENT)
        if old is ABSENT:
            self._undo.append((dict.pop, (container, key, None)))
        else:
            self._undo.append((dict.__setitem__, (container, key, old)))
        if node is ABSENT:
            container.pop(key, None)
        else:
            container[key] = node
        return None

    def _set_element(self, container: list[Any], index: int, node: Node) -> None:
        gap = index - len(container)
        if gap > MAX_GAP:
            raise DeltaError(
                "limit", f"expected an index at most {MAX_GAP} beyond the end, got one {gap} beyond"
            )
        if gap < 0:
            self._undo.append((list.__setitem__, (container, index, container[index])))
            container[index] = node
        else:
            self._undo.append((list.__delitem__, (container, slice(len(container), None))))
            container += [ABSENT] * gap
            container.append(node)


_APPLY: Final[dict[str, Callable[[Document, Container, Any, Any, int], Text | None]]] = {
    "add": Document._add,
    "append": Document._append,
    "replace": Document._replace,
    "patch": Document._patch,
    "remove": Document._remove,
    "truncate": Document._truncate,
}
OPERATIONS: Final = tuple(_APPLY)


def _get(container: Container, key: Any) -> Node:
    if type(container) is dict:
        return container.get(key, ABSENT)
    return container[key] if key < len(container) else ABSENT


def planted(value: Any, room: int) -> Node:
    """Copy a JSON value into nodes. Raises DeltaError when it nests deeper than ``room`` levels."""
    if not isinstance(value, (dict, list)):
        return value
    if room == 0:
        raise DeltaError("limit", f"expected at most {MAX_DEPTH} levels of lists and objects")
    if isinstance(value, list):
        elements = []
        for element in value:
            elements.append(planted(element, room - 1))  # noqa: PERF401  a comprehension would double the frames
        return elements
    members = {}
    for key, member in value.items():
        members[key] = planted(member, room - 1)
    return members


def plain(node: Node) -> Any:
    """Copy a node into a fresh JSON value, a hole as None."""
    if isinstance(node, dict):
        members = {}
        for key, member in node.items():
            members[key] = plain(member)
        return members
    if isinstance(node, list):
        elements = []
        for element in node:
            elements.append(None if element is ABSENT else plain(element))  # noqa: PERF401
        return elements
    return node.read() if isinstance(node, Text) else node
