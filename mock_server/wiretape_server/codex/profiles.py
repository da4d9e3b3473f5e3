"""The profiles: what differs between versions of the app-server, as tables. Nothing else asks for a version.

Version 0.171 is the base; every other profile says what is different in it. All three are measured on the
real programs, as far as the recorded sessions in ``tests/vectors/codex`` go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from wiretape_server.codex.errors import INVALID_REQUEST
from wiretape_server.codex.profile import Profile, RefreshTexts, SchemaDialect

_0_171: Final = Profile(
    name="0.171",
    version="0.171.0",
    elements={
        "initialize": 2,
        "thread/start": 27,
        "thread/resume": 18,
        "thread/fork": 23,
        "thread/read": 2,
        "thread/loaded/list": 2,
        "thread/turns/list": 5,
        "thread/items/list": 6,
        "turn/start": 28,
        "turn/steer": 7,
        "turn/interrupt": 2,
        "model/list": 4,
    },
)

_OLD_TYPES: Final = ("boolean", "string", "integer", "number", "array", "object")

_0_110: Final = replace(
    _0_171,
    name="0.110",
    version="0.110.0",
    without={
        "initialize": frozenset({"codexHome", "platformFamily", "platformOs"}),
        "thread": frozenset(
            [
                "environments",
                "extra",
                "sessionId",
                "forkedFromId",
                "attachedToThreadId",
                "parentThreadId",
                "section",
                "sectionEnteredAt",
                "projectId",
                "historyMode",
                "model",
                "reasoningEffort",
                "recencyAt",
                "originator",
                "canAcceptDirectInput",
                "threadSource",
                "daybreakEnabled",
            ]
        ),
        "session": frozenset(
            [
                "disabledPluginIds",
                "runtimeWorkspaceRoots",
                "instructionSources",
                "approvalsReviewer",
                "activePermissionProfile",
                "collaborationMode",
                "multiAgentMode",
                "initialTurnsPage",
                "turnsBackwardsCursor",
                "itemsBackwardsCursor",
            ]
        ),
        "read": frozenset({"readState"}),
        "list": frozenset({"readStates", "backwardsCursor"}),
        "account": frozenset({"userId", "workspaceRouting"}),
        "turn": frozenset({"rootTurnId", "itemsView", "startedAt", "completedAt", "durationMs"}),
        "userMessage": frozenset({"clientId", "startedAtMs", "completedAtMs"}),
        "agentMessage": frozenset(
            ["moderation", "memoryCitation", "delivery", "questions", "startedAtMs", "completedAtMs"]
        ),
        "dynamicToolCall": frozenset({"namespace", "startedAtMs", "completedAtMs"}),
        "call": frozenset({"namespace"}),
        "item": frozenset({"startedAtMs", "completedAtMs", "contentTokenCount"}),
        "error": frozenset({"misalignment"}),
        "login": frozenset({"onboardingEntrypoint"}),
    },
    sandbox={"type": "readOnly", "access": {"type": "fullAccess"}, "networkAccess": False},
    absent_methods=frozenset({"thread/turns/list", "thread/items/list"}),
    elements={
        "initialize": 2,
        "thread/start": 16,
        "thread/resume": 14,
        "thread/fork": 12,
        "thread/read": 2,
        "thread/list": 8,
        "thread/loaded/list": 2,
        "turn/start": 12,
        "turn/steer": 3,
        "turn/interrupt": 2,
        "model/list": 3,
    },
    unknown_params=frozenset({"historyMode", "excludeTurns"}),
    fork_without_turns=False,
    joins_turns=False,
    emitted_at=False,
    time_ordered_item_ids=False,
    turn_summary=False,
    read_state=False,
    canonical_tools=False,
    name_rules=False,
    experimental_for_empty=False,
    schema=SchemaDialect(
        struct="internally tagged enum JsonSchema",
        bare_numbers=False,
        empty_list="missing field `type`",
        first_member="variant identifier",
        nullable=False,
        texts=("description",),
        typed_texts=(),
        reads_all=False,
        types=_OLD_TYPES,
        refuses_null=False,
    ),
    parallel=False,
    content_members={"inputText": "text", "inputImage": "imageUrl"},
    judges_images=False,
    output_limit=None,
    checks_interrupt=False,
    lost_output="aborted",
    keeps_lost_calls=False,
    lost_turn="inProgress",
    abort_note=(
        "The user interrupted the previous turn on purpose. Any running unified exec processes were "
        "terminated. If any tools/commands were aborted, they may have partially executed; "
        "verify current state before retrying."
    ),
    notes_lost_turns=False,
    logs_router=False,
    locks=False,
    tells_health=False,
    transport_log="codex_app_server::transport",
    paginated=False,
    extended_history=True,
    keeps_failures=False,
    no_turns_yet=(
        "thread {id} is not materialized yet; includeTurns is unavailable before first user message",
        INVALID_REQUEST,
    ),
    resume_id="thread",
    refresh=RefreshTexts(
        error="auth refresh request failed: code={code} message={message}",
        no_jwt="invalid ID token format",
        unreadable="{complaint}",
        other_account=None,
    ),
    busy="We're currently experiencing high demand, which may cause temporary errors.",
    http_error_info=False,
    provider_ids=False,
    parallel_tool_calls=False,
)

_0_98: Final = replace(
    _0_110,
    name="0.98",
    version="0.98.0",
    without={
        **_0_110.without,
        "thread": _0_110.without["thread"] | {"agentNickname", "agentRole", "ephemeral", "name", "status"},
        "session": _0_110.without["session"] | {"serviceTier"},
        "agentMessage": _0_110.without["agentMessage"] | {"phase"},
    },
    sandbox={"type": "readOnly"},
    absent_methods=_0_110.absent_methods | {"turn/steer"},
    opt_out=False,
    status_changes=False,
    lost_turn="completed",
    abort_note=(
        "The user interrupted the previous turn on purpose. If any tools/commands were aborted, "
        "they may have partially executed; verify current state before retrying."
    ),
    client_error_log="request failed: RecvError(())",
    transport_log="codex_app_server",
    kept_from_start=True,
    uuid_turn_ids=False,
    call_items=False,
    interrupted_output="aborted by user after {seconds:.1f}s",
    extended_history=False,
    history_turn_id="turn-{number}",
    login_members=("accessToken", "idToken"),
    refresh=replace(_0_110.refresh, error="auth refresh request canceled: channel closed"),
)

PROFILES: Final[Mapping[str, Profile]] = {each.name: each for each in (_0_98, _0_110, _0_171)}
DEFAULT: Final = _0_171.name
