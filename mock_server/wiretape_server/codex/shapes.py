"""Threads, turns and items as they stand on the wire: the members of the newest version, less a profile's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from wiretape_server.codex.home import Home, Thread, Turn
from wiretape_server.codex.profile import Profile

IDLE: Final[Mapping[str, Any]] = {"type": "idle"}
ACTIVE: Final[Mapping[str, Any]] = {"type": "active", "activeFlags": []}
SYSTEM_ERROR: Final[Mapping[str, Any]] = {"type": "systemError"}
NOT_LOADED: Final[Mapping[str, Any]] = {"type": "notLoaded"}

_NOTHING: Final[frozenset[str]] = frozenset()


def shaped(profile: Profile, kind: str, full: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out the members that this version does not have yet."""
    without = profile.without.get(kind, _NOTHING)
    return {name: value for name, value in full.items() if name not in without}


def shaped_item(profile: Profile, wire: Mapping[str, Any]) -> dict[str, Any]:
    return shaped(profile, str(wire["type"]), wire)


def thread(
    profile: Profile,
    home: Home,
    thread: Thread,
    status: Mapping[str, Any],
    turns: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """A thread; what its process knows of it is null where no process has loaded it."""
    loaded = status is not NOT_LOADED
    environment = {"environmentId": "local", "cwd": thread.cwd, "runtimeWorkspaceRoots": [thread.cwd]}
    full = {
        "id": thread.id,
        "environments": [environment] if loaded else None,
        "extra": None,
        "sessionId": thread.id,
        "forkedFromId": thread.forked_from,
        "attachedToThreadId": None,
        "parentThreadId": None,
        "preview": thread.preview,
        "ephemeral": thread.ephemeral,
        "section": None,
        "sectionEnteredAt": None,
        "projectId": None,
        "historyMode": "paginated" if thread.paginated else "legacy",
        "modelProvider": home.provider,
        "model": thread.model,
        "reasoningEffort": None,
        "createdAt": int(thread.created_at),
        "updatedAt": int(thread.updated_at),
        "recencyAt": int(thread.recent_at),
        "status": dict(status),
        "path": thread.path,
        "cwd": thread.cwd,
        "cliVersion": profile.version,
        "originator": thread.originator,
        "source": "vscode",
        "canAcceptDirectInput": True if loaded else None,
        "threadSource": None,
        "agentNickname": None,
        "agentRole": None,
        "gitInfo": None,
        "name": None,
        "daybreakEnabled": None,
        "turns": list(turns),
    }
    return shaped(profile, "thread", full)


def session(profile: Profile, home: Home, thread: Thread, wire_thread: Mapping[str, Any]) -> dict[str, Any]:
    """The result of thread/start: a thread and how it is run."""
    full = {
        "thread": wire_thread,
        "model": thread.model,
        "modelProvider": home.provider,
        "serviceTier": None,
        "disabledPluginIds": [],
        "cwd": thread.cwd,
        "runtimeWorkspaceRoots": [thread.cwd],
        "instructionSources": [],
        "approvalPolicy": "never",
        "approvalsReviewer": "user",
        "sandbox": dict(profile.sandbox),
        "activePermissionProfile": None,
        "reasoningEffort": None,
        "multiAgentMode": "explicitRequestOnly",
    }
    return shaped(profile, "session", full)


def resumed(
    profile: Profile, thread: Thread, started: Mapping[str, Any], cursors: Mapping[str, Any]
) -> dict[str, Any]:
    """The result of thread/resume: that of thread/start and where to page back from."""
    settings = {"model": thread.model, "reasoning_effort": None, "developer_instructions": None}
    full = {
        **started,
        "collaborationMode": {"mode": "default", "settings": settings},
        "initialTurnsPage": None,
        **cursors,
    }
    return shaped(profile, "session", full)


def turn(
    profile: Profile, turn: Turn, items: Iterable[Mapping[str, Any]] = (), view: str = "notLoaded"
) -> dict[str, Any]:
    """A turn with these items, which are shaped already."""
    return shaped(
        profile,
        "turn",
        {
            "id": turn.id,
            "rootTurnId": turn.id,
            "items": list(items),
            "itemsView": view,
            "status": turn.status,
            "error": turn.error,
            "startedAt": _seconds(turn.started_at),
            "completedAt": _seconds(turn.completed_at),
            "durationMs": _duration(turn),
        },
    )


def _seconds(at: float | None) -> int | None:
    return None if at is None else int(at)


def _duration(turn: Turn) -> int | None:
    if turn.started_at is None or turn.completed_at is None:
        return None
    return milliseconds(turn.completed_at - turn.started_at)


def milliseconds(seconds: float) -> int:
    return round(seconds * 1000)


def read_state(thread: Thread) -> dict[str, Any] | None:
    """What of a thread is unread; null for one that is not kept."""
    if thread.ephemeral or not thread.turns:
        return None
    first = {"type": "turn", "turnId": thread.unread} if thread.unread else None
    return {"firstUnread": first, "revision": thread.revision or f"initial:{thread.id}"}
