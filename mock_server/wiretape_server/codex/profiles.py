"""The profiles: what differs between versions of the app-server, as tables. Nothing else asks for a version.

Version 0.171 is the base; every other profile says what is different in it. 0.110 and 0.171 are measured.
Of 0.98 are measured: the answer shape, the missing call items, history, turn ids, the refresh texts and the
checks of tool names; its other members and texts are taken from 0.110 (inferred).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

from wiretape_server.codex.errors import INVALID_REQUEST, METHOD_NOT_FOUND

TurnStatus: TypeAlias = Literal["inProgress", "completed", "interrupted", "failed"]

CANCELLED: Final = "dynamic tool call was cancelled before receiving a response"


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaDialect:
    """What a version demands of a tool's ``inputSchema``, and in which words."""

    struct: str = "struct JsonSchema"
    bare_numbers: bool = True
    """A number is called ``number``; else ``integer `5```."""
    empty_list: str = "invalid length 0, expected struct JsonSchema with 15 elements"
    first_member: str = "a string"
    """What the first entry of a list should be that stands for a schema."""
    nullable: bool = True
    """``properties``, ``items`` and texts may be null."""
    texts: tuple[str, ...] = ("$ref",)
    """Keywords that must be texts."""
    reads_all: bool = True
    """Combined schemas and enumerations are looked at too."""
    types: tuple[str, ...] = ()
    """The only type names that are known; empty lets any pass."""
    refuses_null: bool = True
    """The lone type ``null`` (or ``["null"]``) is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshTexts:
    """How a turn that failed for want of a new token says why; None where that is no failure."""

    error: str = "auth refresh request failed: code={code}"
    """The client's JSON-RPC error, with ``code`` and ``message``."""
    timed_out: str = "auth refresh request timed out after 10s"
    no_jwt: str = "auth refresh returned invalid credentials"
    unreadable: str = "invalid auth refresh response"
    """``{complaint}`` stands for what could not be read."""
    other_account: str | None = "Fatal error: application network policy is unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One version's behaviour."""

    name: str
    version: str

    # what messages look like
    without: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Kind of object to its members that this version does not have yet."""
    sandbox: Mapping[str, Any] = field(default_factory=lambda: {"type": "readOnly", "networkAccess": False})
    absent_methods: frozenset[str] = frozenset()
    emitted_at: bool = True
    """Notifications carry ``emittedAtMs``."""
    uuid_turn_ids: bool = True
    """Else turn ids are ``0``, ``2``, … counted per thread and process."""
    time_ordered_item_ids: bool = True
    """Ids of user messages are UUIDs of version 7, else 4."""
    turn_summary: bool = True
    """A completed turn's ``turn/completed`` holds the agent's message."""
    unknown_params: frozenset[str] = frozenset()
    """Params that this version does not know yet, and so ignores."""
    fork_without_turns: bool = True
    """The thread/started of a fork leaves out its turns."""
    joins_turns: bool = True
    """A turn/start that joins a running turn tells the id of that; else an id that nothing else bears."""
    read_state: bool = True
    """There is a read state, and ``thread/goal/cleared`` after a resume."""

    # declaring tools
    canonical_tools: bool = True
    """Entries may have a ``type``, and there are namespaces and deferred tools."""
    name_rules: bool = True
    """Tool names are held to a pattern and a length."""
    experimental_for_empty: bool = True
    """``dynamicTools: []`` needs the experimentalApi capability too."""
    schema: SchemaDialect = SchemaDialect()

    # calls
    call_items: bool = True
    """Calls have item/started and item/completed."""
    parallel: bool = True
    """All calls of a model's answer are open at once."""
    content_members: Mapping[str, str] = field(
        default_factory=lambda: {"inputText": "text", "inputImage": "imageUrl", "inputAudio": "audioUrl"}
    )
    """The content items that a client may answer with, and the string member of each."""
    judges_images: bool = True
    """Remote images fail the call, and what is no image is kept from the model."""
    output_limit: int | None = 12_000
    """How many bytes of texts the model gets, one text as a string. None: all of them, always as a list."""
    checks_interrupt: bool = True
    """turn/interrupt looks at the turn id, and says so when no turn is active."""
    interrupted_output: str = CANCELLED
    """What the model hears of a call that an interrupt ended; ``{seconds}`` since the turn began."""
    lost_output: str = CANCELLED
    """The same, of a call that was open when the process ended."""
    keeps_lost_calls: bool = True
    """Such a call stays in history, as failed."""
    lost_turn: TurnStatus = "interrupted"
    """The status of its turn, from then on."""
    logs_router: bool = True
    """Calls that fail before or without the client's answer are noted on stderr."""
    transport_log: str = "codex_app_server_transport::transport"
    """Where on stderr messages are noted that can't be read."""

    # history
    paginated: bool = True
    """Threads are paginated unless they ask for ``historyMode: "legacy"``."""
    extended_history: bool = False
    """``persistExtendedHistory`` keeps calls in history."""
    keeps_failures: bool = True
    """History tells failed turns from completed ones."""
    history_turn_id: str = "{id}"
    """A turn's id in history, from its ``id`` and its ``number``, counted from 1."""
    no_turns_yet: tuple[str, int] = ("list_turns is not supported yet", METHOD_NOT_FOUND)
    """How thread/read refuses, text and code, to show turns of a thread that has none."""
    resume_id: str = "session"
    """What thread/resume calls an id that is no UUID."""

    # login, and the model's provider
    login_members: tuple[str, ...] = ("accessToken", "chatgptAccountId")
    refresh: RefreshTexts = RefreshTexts()
    busy: str = "We’re currently experiencing high demand, which may cause temporary errors."
    """Why a turn failed when the provider answered with status 500."""
    http_error_info: bool = True
    """``codexErrorInfo`` tells the HTTP status of a failed connection, else it is ``other``."""
    provider_ids: bool = True
    """What the model gets has ids."""
    parallel_tool_calls: bool = True
    """What the model's request says, which is not what the server does."""


_0_171: Final = Profile(name="0.171", version="0.171.0")

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
    logs_router=False,
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
