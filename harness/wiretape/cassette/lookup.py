"""Finding a cassette: by its path, in a directory of the user's, or among the bundled ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from wiretape.cassette.model import Cassette, CassetteError
from wiretape.cassette.reader import loads
from wiretape.cassette.refusal import in_file, nearest, refusal, shown

_PROTOCOLS = ("flow_a", "codex")
_SUFFIX = ".yaml"
_PACKAGE = Path(__file__).parents[1]


def load_cassette(name_or_path: str | Path, *, directory: Path | None = None) -> Cassette:
    """Load a cassette: a path, else a name in ``directory``, else the name of a bundled one.

    ``flow_a/NAME`` and ``codex/NAME`` say which protocol is meant. Raises CassetteError.
    """
    name = str(name_or_path)
    roots = [bundled_directory()] if directory is None else [directory, bundled_directory()]
    path = Path(name)
    try:
        path = _find(name, roots)
        data = path.read_bytes()
    except OSError as error:
        raise in_file(str(path), _unreadable(error)) from None
    except CassetteError as error:
        raise in_file(name, error) from None
    return loads(data, name=name, source=str(path))


def bundled(protocol: str = "flow_a") -> list[str]:
    """The names of the cassettes of one protocol that come with wiretape, sorted."""
    return sorted(path.stem for path in (bundled_directory() / protocol).glob(f"*{_SUFFIX}"))


def bundled_directory() -> Path:
    """The folder of the bundled cassettes: package data when installed, the checkout's own in development."""
    packaged = _PACKAGE / "cassettes"
    return packaged if packaged.is_dir() else _PACKAGE.parents[1] / "cassettes"


def _find(name: str, roots: Sequence[Path]) -> Path:
    if name == "auto":
        raise _reserved()
    if Path(name).is_file():
        return Path(name)
    for root in roots:
        found = [path for path in _candidates(root, name) if path.is_file()]
        if len(found) > 1:
            raise _ambiguous(name, found)
        if found:
            return found[0]
    raise _missing(name, roots)


def _candidates(root: Path, name: str) -> Iterator[Path]:
    file = name.removesuffix(_SUFFIX) + _SUFFIX
    yield root / file
    if "/" not in name:
        yield from (root / protocol / file for protocol in _PROTOCOLS)


def _names(root: Path) -> Iterator[str]:
    yield from (path.stem for path in root.glob(f"*{_SUFFIX}"))
    for protocol in _PROTOCOLS:
        for path in (root / protocol).glob(f"*{_SUFFIX}"):
            yield path.stem
            yield f"{protocol}/{path.stem}"


def _reserved() -> CassetteError:
    return refusal(
        at="its name",
        want="the name or path of one cassette",
        got="'auto', which is reserved",
        hint="it stands for a session that check, serve and the fixtures make up of the client's tools; "
        "name a cassette, or write ./auto.yaml if a file is really called so",
    )


def _ambiguous(name: str, found: Sequence[Path]) -> CassetteError:
    return refusal(
        at="its name",
        want=f"one cassette of the name {name}",
        got=" and ".join(str(path) for path in found),
        hint="say which: " + " or ".join(f"{path.parent.name}/{path.stem}" for path in found),
    )


def _missing(name: str, roots: Sequence[Path]) -> CassetteError:
    names = sorted({each for root in roots for each in _names(root)})
    neighbours = [str(path) for path in Path(name).parent.glob(f"*{_SUFFIX}")]
    guess = nearest(name, [*names, *neighbours])
    known = ", ".join(each for each in names if "/" not in each)
    return refusal(
        at="its name",
        want="the path of a file, or a name found in " + " or ".join(str(root) for root in roots),
        got=f"{shown(name)}, which is neither",
        hint=f"did you mean {guess}?" if guess else f"known names: {known or 'none'}",
    )


def _unreadable(error: OSError) -> CassetteError:
    return refusal(
        at="the file",
        want="a readable file",
        got=str(error.strerror or error),
        hint="check its path and rights",
    )
