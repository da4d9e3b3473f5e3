"""The messages of Flow A as they stand on the wire: raw JSON with types and a few thin views.

The names are those of the source document's section 6. Where it is narrower than what is accepted or was
captured, the type here is the wider one and its docstring says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NotRequired, TypeAlias, TypedDict

from wiretape.strictjson import ABSENT

SupportedEncoding: TypeAlias = Literal["v1"]
ConversationAction: TypeAlias = Literal["next"]
ClientPrepareState: TypeAlias = Literal["sent", "success", "failure"]
ConversationChannel: TypeAlias = Literal["commentary", "analysis", "final"] | None
"""The *message channel*, not a delta channel. The source document also lists ``conversation`` as a default;
no capture has it, so it is left out here and accepted by no rule."""
ConversationRole: TypeAlias = Literal["user", "assistant", "tool", "system", "developer"]
"""``developer`` is from captures; the source document's type has no such role."""
MessageStatus: TypeAlias = str
"""Seen: in_progress, finished_successfully, incomplete. Any string is taken."""
MessageEndTurn: TypeAlias = bool | None
"""None: intermediate; True: closes the turn; False: does not close it."""
MessageRecipient: TypeAlias = str
"""``all``, ``local.<tool>``, ``functions.<tool>``, or a tool that the server runs itself."""


class MessageContent(TypedDict):
    """The source document has text and code only; captures hold more types, each with members of its own."""

    content_type: str
    parts: NotRequired[list[Any]]
    text: NotRequired[str]
    language: NotRequired[str]
    """On the model's call only; never on a return."""


class MessageAuthor(TypedDict):
    metadata: dict[str, Any]
    name: str | None
    role: ConversationRole


class ConversationMessage(TypedDict):
    author: MessageAuthor
    channel: ConversationChannel
    content: MessageContent
    create_time: float | None
    """Unix seconds. None was captured on streamed messages; the source document's type has a number only."""
    end_turn: MessageEndTurn
    id: str
    metadata: dict[str, Any]
    recipient: MessageRecipient
    status: MessageStatus
    update_time: float | None
    weight: float


class LocalToolCallMessage(ConversationMessage):
    """The model's call. The source document types the status as ``in_progress`` always; clients act on the
    message when it no longer is."""


class ToolReturnMessage(ConversationMessage):
    """The client's return. The source document's type demands the hidden flag in ``metadata``, its captured
    return has ``{}``: both are accepted."""


class ToolResultBody(TypedDict):
    """The JSON inside a return's ``content.text``."""

    call_id: str
    result: dict[str, Any]
    tool: str


class LocalParamSchema(TypedDict):
    description: str
    type: Literal["string"]


class LocalFunctionParamSpec(TypedDict):
    name: str
    required: bool
    type: LocalParamSchema


class LocalFunctionSignature(TypedDict):
    """A tool that the client declares and runs itself."""

    description: str
    name: str
    params: list[LocalFunctionParamSpec]
    type: Literal["kwargs"]


class ConversationRequestBody(TypedDict):
    """``app_attest_challenge`` is required by the source document; client code sends it only where there is a
    device check."""

    action: ConversationAction
    messages: list[ConversationMessage]
    model: str
    supported_encodings: list[SupportedEncoding]
    thinking_effort: str
    timezone: str
    timezone_offset_min: float
    client_prepare_state: ClientPrepareState
    app_attest_challenge: str
    local_function_signatures: NotRequired[list[LocalFunctionSignature]]
    conversation_id: NotRequired[str]
    parent_message_id: NotRequired[str]


class PartialQuery(TypedDict):
    content: MessageContent
    id: NotRequired[str]
    author: NotRequired[MessageAuthor]


class PrepareRequestBody(TypedDict):
    """Clients also send ``local_function_signatures`` here, which the source document's type leaves out."""

    action: ConversationAction
    client_prepare_state: Literal["sent"]
    model: str
    thinking_effort: str
    timezone: str
    timezone_offset_min: float
    conversation_id: NotRequired[str]
    partial_query: NotRequired[PartialQuery]
    local_function_signatures: NotRequired[list[LocalFunctionSignature]]


IN_PROGRESS: Final = "in_progress"
WEB_ROOT_PARENT: Final = "client-created-root"
"""What the web client sends as the parent of a first turn. [client code]"""
HIDDEN_FLAG: Final = "is_visually_hidden_from_conversation"
FUNCTIONS: Final = "functions."
"""Begins the recipient of tools that the client declared, and of some that the server runs itself."""
CALL_PREFIXES: Final = ("local.", FUNCTIONS)
"""The two recipient forms that ask the client. [seed §2; client code]"""


def called_tool(recipient: object) -> str | None:
    """Name the client's tool that a message is addressed to, bare; None when it is not the client's."""
    if isinstance(recipient, str):
        for prefix in CALL_PREFIXES:
            if recipient.startswith(prefix):
                return recipient[len(prefix) :]
    return None


def is_server_tool(message: Mapping[str, Any]) -> bool:
    """Whether the model calls a tool that the server runs itself (``web.run``, ``python``, …)."""
    recipient = message.get("recipient")
    return (
        isinstance(recipient, str)
        and recipient != "all"
        and called_tool(recipient) is None
        and member(message, "author", "role") == "assistant"
    )


def member(value: object, *keys: str) -> Any:
    """Walk objects by their keys; ABSENT where a member is missing or its holder is no object."""
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return ABSENT
        value = value[key]
    return value


def sent_messages(body: object) -> list[Any]:
    """The messages that a request's body brings; none where it has no list of them."""
    messages = member(body, "messages")
    return messages if isinstance(messages, list) else []


def sent_ids(body: object) -> set[str]:
    """The ids of the messages that a request's body brings."""
    return {each for message in sent_messages(body) if isinstance(each := member(message, "id"), str)}


def named_conversation(body: Mapping[str, Any]) -> str:
    """The id of the conversation that a request's body names; empty where it names none."""
    named = body.get("conversation_id")
    return named if isinstance(named, str) else ""


def is_answer(message: Mapping[str, Any]) -> bool:
    """Whether a message is what the user reads as the turn's answer (text for all, not hidden)."""
    return (
        member(message, "author", "role") == "assistant"
        and message.get("recipient", "all") == "all"
        and member(message, "content", "content_type") == "text"
        and message.get("channel") in ("final", None)
        and member(message, "metadata", HIDDEN_FLAG) is not True
    )
