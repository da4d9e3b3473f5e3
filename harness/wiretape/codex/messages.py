"""The messages of the Codex app-server as they stand on the wire: raw JSON with types and a few thin views.

Members that only some versions send are ``NotRequired``.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NotRequired, TypeAlias, TypedDict

TOOL_CALL: Final = "item/tool/call"
REFRESH: Final = "account/chatgptAuthTokens/refresh"
METHOD_NOT_FOUND: Final = -32601


class ClientInfo(TypedDict):
    name: str
    """Goes into an HTTP header of the model provider, so it holds no control characters."""
    version: str
    title: NotRequired[str | None]


class Capabilities(TypedDict, total=False):
    experimentalApi: bool
    optOutNotificationMethods: list[str] | None


class InitializeParams(TypedDict):
    clientInfo: ClientInfo
    capabilities: NotRequired[Capabilities | None]


class InitializeResult(TypedDict):
    userAgent: str
    codexHome: NotRequired[str]
    platformFamily: NotRequired[str]
    platformOs: NotRequired[str]


class FunctionTool(TypedDict):
    """A tool that the client declares and runs itself, canonical form."""

    type: Literal["function"]
    name: str
    description: str
    inputSchema: dict[str, Any] | bool
    deferLoading: NotRequired[bool]


class NamespaceTools(TypedDict):
    type: Literal["namespace"]
    name: str
    description: str
    tools: list[FunctionTool]


class FlatTool(TypedDict):
    """The older form, still read; the only one up to 0.110."""

    name: str
    description: str
    inputSchema: dict[str, Any] | bool
    namespace: NotRequired[str | None]
    deferLoading: NotRequired[bool]
    exposeToContext: NotRequired[bool]


DynamicTool: TypeAlias = FunctionTool | NamespaceTools | FlatTool


class ThreadStartParams(TypedDict, total=False):
    dynamicTools: list[DynamicTool] | None
    ephemeral: bool | None
    historyMode: Literal["paginated", "legacy"] | None
    persistExtendedHistory: bool
    """Known to the source document and to 0.110; later servers ignore it."""


class TextInput(TypedDict):
    type: Literal["text"]
    text: str


class TurnStartParams(TypedDict):
    threadId: str
    input: list[TextInput]


class TurnInterruptParams(TypedDict):
    threadId: str
    turnId: str


class ToolCallParams(TypedDict):
    """What the server asks a client to run."""

    threadId: str
    turnId: str
    callId: str
    namespace: NotRequired[str | None]
    tool: str
    arguments: Any


class TextItem(TypedDict):
    type: Literal["inputText"]
    text: str


class ImageItem(TypedDict):
    type: Literal["inputImage"]
    imageUrl: str
    """A data URL; servers up to 0.110 pass any URL on."""


class AudioItem(TypedDict):
    """Known to 0.163 and later."""

    type: Literal["inputAudio"]
    audioUrl: str


ContentItem: TypeAlias = TextItem | ImageItem | AudioItem


class ToolCallResult(TypedDict):
    """The client's answer to a tool call."""

    contentItems: list[ContentItem]
    success: bool


class DynamicToolCallItem(TypedDict):
    """The call as an item of its turn. Its id is the call's."""

    type: Literal["dynamicToolCall"]
    id: str
    namespace: NotRequired[str | None]
    tool: str
    arguments: Any
    status: Literal["inProgress", "completed", "failed"]
    contentItems: list[ContentItem] | None
    success: bool | None
    durationMs: int | None
    startedAtMs: NotRequired[int | None]
    completedAtMs: NotRequired[int | None]


class RefreshParams(TypedDict):
    reason: Literal["unauthorized"]
    previousAccountId: NotRequired[str | None]


class RefreshResult(TypedDict):
    """The client's answer to a request for new tokens. Up to 0.98 ``idToken`` stands for the account."""

    accessToken: str
    """A JWT."""
    chatgptAccountId: str
    chatgptPlanType: NotRequired[str | None]


class RpcError(TypedDict):
    code: int
    message: str
    data: NotRequired[Any]


def fields(value: object) -> dict[str, Any]:
    """The members of an object; none where a value is no object."""
    return value if isinstance(value, dict) else {}
