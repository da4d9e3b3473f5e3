"""What a profile says: one version's behaviour, field by field. The defaults are version 0.171."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from wiretape_server.codex.errors import METHOD_NOT_FOUND, RefusedError

TurnStatus: TypeAlias = Literal["inProgress", "completed", "interrupted", "failed"]

CANCELLED: Final = "dynamic tool call was cancelled before receiving a response"


_CLIENT_ERROR: Final = (
    'request failed with client error: JSONRPCErrorError {{ code: {code}, message: "{message}" }}'
)


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
    typed_texts: tuple[str, ...] = ("description",)
    """The same, in a schema that has a ``type``."""
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
    opt_out: bool = True
    """Clients may opt out of notifications."""
    status_changes: bool = True
    """There is thread/status/changed."""
    emitted_at: bool = True
    """Notifications carry ``emittedAtMs``."""
    uuid_turn_ids: bool = True
    """Else a turn's id counts what the thread was told before in this process: turns, answers, interrupts."""
    time_ordered_item_ids: bool = True
    """Ids of user messages are UUIDs of version 7, else 4."""
    turn_summary: bool = True
    """A completed turn's ``turn/completed`` holds the agent's message."""
    elements: Mapping[str, int] = field(default_factory=dict)
    """How many params a method has, where an empty list in their place is told so."""
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
    abort_note: str = (
        "The user interrupted the previous turn on purpose. Any running unified exec processes may still be "
        "running in the background. If any tools/commands were aborted, they may have partially executed."
    )
    """What the model hears of an interrupted turn, behind its calls."""
    notes_lost_turns: bool = True
    """It hears that of a turn that the process's end interrupted, too."""
    logs_router: bool = True
    """Calls that fail before or without the client's answer are noted on stderr."""
    client_error_log: str = _CLIENT_ERROR
    """What stderr says of an error that answers a call."""
    locks: bool = True
    """It knows ``--ws-auth`` and what belongs to it."""
    tells_health: bool = True
    """One that listens writes to stderr where its health endpoints are."""
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
    kept_from_start: bool = False
    """A thread is kept from its start, else from its first turn on."""
    no_turns_yet: tuple[str, int] = ("list_turns is not supported yet", METHOD_NOT_FOUND)
    """How thread/read refuses, text and code, to show turns of a thread that has had none."""
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

    def no_turns(self, thread_id: str) -> RefusedError:
        """The refusal to show the turns of a thread that has had none."""
        text, code = self.no_turns_yet
        return RefusedError(text.format(id=thread_id), code)
