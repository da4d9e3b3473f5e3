"""Rules about the return's request and the fields of its message."""

from __future__ import annotations

import re
from typing import Any, Final

from wiretape.contract import Answer, Fault, Note, Rule, Skip
from wiretape.flow_a.messages import HIDDEN_FLAG
from wiretape.flow_a.rules.source import NOTES, rule
from wiretape.flow_a.view import PlayedCall, Return
from wiretape.strictjson import ABSENT, equal

_NO_MESSAGE: Final = Skip("flow_a.return.single-message")
_NO_AUTHOR: Final = Skip("flow_a.return.author-role-tool")
_NO_CONTENT: Final = Skip("flow_a.return.content-type-code")
_NO_METADATA: Final = Skip("flow_a.return.metadata-object")
_NO_PREPARES: Final = Skip("the log shows no prepares")
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_SECONDS: Final = (1e9, 1e11)
"""Unix time in seconds lies between these from 2001 on; in milliseconds it is beyond."""

_MESSAGE_KEYS: Final = frozenset(
    "id author create_time update_time content status end_turn weight metadata recipient channel".split()
)
_AUTHOR_KEYS: Final = frozenset(("role", "name", "metadata"))
_CONTENT_KEYS: Final = frozenset(("content_type", "text", "language"))
"""``language`` has a rule of its own."""


def _exactly_once(call: PlayedCall) -> Answer:
    what = f"one return to the call {call.seen.id} of {call.seen.recipient}"
    if len(call.returns) == 1:
        return None
    if call.returns:
        return Fault("", what, f"{len(call.returns)} returns", at=call.returns[1].at)
    if call.stream.stopped:
        return Skip("the client stopped the turn")
    if call.unreadable_after:
        return Skip("flow_a.request.valid-json")
    return Fault("", what, "none: the call is still open")


def _single_message(answer: Return) -> Answer:
    messages = answer.body.get("messages", ABSENT)
    if isinstance(messages, list) and len(messages) == 1 and answer.message is not None:
        return None
    got = f"{len(messages)} messages" if isinstance(messages, list) else messages
    if isinstance(messages, list) and len(messages) == 1:
        return Fault("messages[0]", "a message object", messages[0])
    return Fault("messages", "a list with the return alone", got)


def _conversation_id(answer: Return) -> Answer:
    got = answer.body.get("conversation_id", ABSENT)
    want = answer.conversation_id
    return None if got == want else Fault("conversation_id", want, got)


def _parent(answer: Return) -> Answer:
    got = answer.body.get("parent_message_id", ABSENT)
    return None if got == answer.call.id else Fault("parent_message_id", answer.call.id, got)


def _fresh_challenge(answer: Return) -> Answer:
    state = answer.request.challenge if answer.request else "unknown"
    if state == "reused":
        want, got = "a fresh challenge", "one that an earlier conversation request carried"
        return Fault("app_attest_challenge", want, got)
    return None if state == "fresh" else Skip("flow_a.request.challenge-issued")


def _fresh_prepare(answer: Return) -> Answer:
    request, played = answer.request, answer.played
    if request is None or played is None:
        return _NO_PREPARES
    if any(prepare.order > played.opened for prepare in request.prepares):
        return None
    if not request.live and not request.prepares:
        return _NO_PREPARES
    return Fault("", "a prepare request between the call and the return", "none")


def _role(answer: Return) -> Answer:
    if answer.message is None:
        return _NO_MESSAGE
    if answer.author is None:
        return Fault(answer.path("author"), "an object", answer.message.get("author", ABSENT))
    got = answer.author.get("role", ABSENT)
    return None if got == "tool" else Fault(answer.path("author.role"), "tool", got)


def _author_name(answer: Return) -> Answer:
    if answer.author is None:
        return _NO_AUTHOR
    got = answer.author.get("name", ABSENT)
    return None if got == answer.call.tool else Fault(answer.path("author.name"), answer.call.tool, got)


def _author_metadata(answer: Return) -> Answer:
    if answer.author is None:
        return _NO_AUTHOR
    got = answer.author.get("metadata", ABSENT)
    return None if isinstance(got, dict) else Fault(answer.path("author.metadata"), "an object", got)


def _content_type(answer: Return) -> Answer:
    if answer.message is None:
        return _NO_MESSAGE
    content = answer.content
    if content is None or (content.get("content_type") != "code" and "text" not in content):
        got = answer.message.get("content", ABSENT)
        return Fault(answer.path("content"), {"content_type": "code", "text": "…"}, got)
    got = content.get("content_type", ABSENT)
    return None if got == "code" else Fault(answer.path("content.content_type"), "code", got)


def _no_language(answer: Return) -> Answer:
    if answer.content is None:
        return _NO_CONTENT
    if "language" not in answer.content:
        return None
    return Fault(answer.path("content.language"), ABSENT, answer.content["language"])


def _is(answer: Return, key: str, want: object) -> Answer:
    if answer.message is None:
        return _NO_MESSAGE
    got = answer.message.get(key, ABSENT)
    return None if got is want or equal(got, want) else Fault(answer.path(key), want, got)


def _recipient(answer: Return) -> Answer:
    return _is(answer, "recipient", "all")


def _end_turn(answer: Return) -> Answer:
    return _is(answer, "end_turn", None)


def _channel(answer: Return) -> Answer:
    return _is(answer, "channel", "commentary")


def _status(answer: Return) -> Answer:
    return _is(answer, "status", "finished_successfully")


def _update_time(answer: Return) -> Answer:
    return _is(answer, "update_time", None)


def _weight(answer: Return) -> Answer:
    return _is(answer, "weight", 1)


def _create_time(answer: Return) -> Answer:
    if answer.message is None:
        return _NO_MESSAGE
    got = answer.message.get("create_time", ABSENT)
    low, high = _SECONDS
    if type(got) in (int, float) and low <= got < high:
        return None
    hint = "divide by 1000" if type(got) in (int, float) and low <= got / 1000 < high else ""
    return Fault(answer.path("create_time"), "unix time in seconds", got, hint)


def _fresh_id(answer: Return) -> Answer:
    if answer.message is None:
        return _NO_MESSAGE
    got = answer.message.get("id", ABSENT)
    path = answer.path("id")
    if not isinstance(got, str) or not _UUID.fullmatch(got):
        return Fault(path, "a new uuid", got)
    if got == answer.call.id:
        return Fault(path, "a new uuid, not the call's", got)
    return Fault(path, "a new uuid, not one seen before", got) if got in answer.known_ids else None


def _metadata(answer: Return) -> Answer:
    if answer.message is None:
        return _NO_MESSAGE
    got = answer.message.get("metadata", ABSENT)
    return None if isinstance(got, dict) else Fault(answer.path("metadata"), "an object", got)


_PROFILES: Final[dict[str, dict[str, Any]]] = {"seed-capture": {}, "app": {HIDDEN_FLAG: True}}


def _metadata_profile(answer: Return) -> Answer:
    got = (answer.message or {}).get("metadata", ABSENT)
    if not isinstance(got, dict):
        return _NO_METADATA
    wanted = {answer.profile: _PROFILES[answer.profile]} if answer.profile else _PROFILES
    for profile, want in wanted.items():
        if equal(got, want):
            return Note(f"metadata is that of the profile {profile}")
    if set(got) == {HIDDEN_FLAG} and not answer.profile:
        return Fault(answer.path(f"metadata.{HIDDEN_FLAG}"), "true or absent", got[HIDDEN_FLAG])
    return Fault(
        answer.path("metadata"), list(wanted.values())[0] if answer.profile else "{} or the flag", got
    )


def _no_extra_fields(answer: Return) -> Answer:
    if answer.message is None:
        return _NO_MESSAGE
    for prefix, fields, known in (
        ("", answer.message, _MESSAGE_KEYS),
        ("author.", answer.author or {}, _AUTHOR_KEYS),
        ("content.", answer.content or {}, _CONTENT_KEYS),
    ):
        if not known >= fields.keys():
            # A return in the shape of text has its parts; its content_type is what is wrong.
            extra = next(key for key in fields if key not in known)
            if extra == "parts" and fields.get("content_type") != "code":
                return _NO_CONTENT
            return Fault(answer.path(prefix + extra), ABSENT, fields[extra])
    return None


_ENVELOPE: Final = "the return's request has one message: the record of the tool"

RETURN_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "return.single-message",
        "The request holds the return alone",
        _single_message,
        scope="returns",
        section="§3",
        quote="messages: [ the tool record ]:",
        evidence="wire",
        good='{"messages": [<the return>]}',
        bad=('{"messages": []}', "the return and a user message in one request"),
        hint=_ENVELOPE,
    ),
    rule(
        "return.conversation-id",
        "The return is sent in the call's conversation",
        _conversation_id,
        scope="returns",
        section="§3",
        quote="conversation_id — the current one",
        evidence="wire",
        good="the conversation_id of the stream that brought the call",
        bad=("no conversation_id", "another conversation's"),
    ),
    rule(
        "return.parent-is-call-message",
        "The return's parent is the call's message",
        _parent,
        scope="returns",
        section="§3",
        quote="parent_message_id — the tool-call message.id (2.)",
        evidence="wire",
        good="parent_message_id is the id of the message to local.<tool>",
        bad=("the id of the user's message", "no parent_message_id"),
        hint="a return under another message is written on a dead branch",
    ),
    rule(
        "return.author-role-tool",
        "The author's role is tool",
        _role,
        scope="returns",
        section="§3",
        quote='{"author": {"metadata": {}, "name": "alefita_way", "role": "tool"}',
        evidence="wire",
        good='{"author": {"role": "tool"}}',
        bad=('{"author": {"role": "assistant"}}',),
    ),
    rule(
        "return.author-name-is-tool",
        "The author's name is the tool's bare name",
        _author_name,
        scope="returns",
        section="§3",
        quote="the tool name lives in author.name",
        evidence="wire",
        good='{"author": {"name": "alefita_way"}}',
        bad=('{"author": {"name": "local.alefita_way"}}', '{"author": {"name": null}}'),
    ),
    rule(
        "return.author-metadata-object",
        "The author has a metadata object",
        _author_metadata,
        scope="returns",
        section="§6",
        quote="export interface MessageAuthor { metadata: Record<string, unknown>; name: string | null; "
        "role: ConversationRole }",
        evidence="wire",
        good='{"author": {"metadata": {}}}',
        bad=('{"author": {"metadata": null}}',),
    ),
    rule(
        "return.content-type-code",
        "The content is code",
        _content_type,
        scope="returns",
        section="§3",
        quote='the app\'s return has content_type: "code" and no language',
        evidence="wire",
        good='{"content": {"content_type": "code"}}',
        bad=('{"content": {"content_type": "text"}}',),
    ),
    rule(
        "return.no-language",
        "The content has no language key",
        _no_language,
        scope="returns",
        section="§3",
        quote="No language field in the return content",
        evidence="wire",
        good='{"content": {"content_type": "code"}}',
        bad=('{"content": {"language": "json"}}', '{"content": {"language": null}}'),
        hint="leave the key out; null is not the same",
    ),
    rule(
        "return.recipient-is-all",
        "The recipient is all",
        _recipient,
        scope="returns",
        section="§3",
        quote='recipient: "all" — NOT the tool name',
        evidence="wire",
        good='{"recipient": "all"}',
        bad=('{"recipient": "alefita_way"}', '{"recipient": "local.alefita_way"}'),
        hint="the tool's name belongs in author.name",
    ),
    rule(
        "return.end-turn-null",
        "end_turn is null",
        _end_turn,
        scope="returns",
        section="§3",
        quote="end_turn: null — intermediate message; the turn-closing message has end_turn: true.",
        evidence="wire",
        good='{"end_turn": null}',
        bad=('{"end_turn": false}', '{"end_turn": true}', "the key is missing"),
    ),
    rule(
        "return.channel-commentary",
        "The message channel is commentary",
        _channel,
        scope="returns",
        section="§3",
        quote='channel: "commentary" — the tool execution trail (see 5).',
        evidence="wire",
        good='{"channel": "commentary"}',
        bad=('{"channel": null}', '{"channel": "final"}'),
    ),
    rule(
        "return.status-finished",
        "The status is finished_successfully",
        _status,
        scope="returns",
        section="§3",
        quote='"status": "finished_successfully"',
        evidence="wire",
        good='{"status": "finished_successfully"}',
        bad=('{"status": "in_progress"}',),
    ),
    rule(
        "return.update-time-null",
        "update_time is null",
        _update_time,
        scope="returns",
        section="§3",
        quote='"update_time": null',
        evidence="wire",
        good='{"update_time": null}',
        bad=('{"update_time": 1787848294.65}', "the key is missing"),
    ),
    rule(
        "return.weight-is-one",
        "The weight is the number 1",
        _weight,
        scope="returns",
        section="§3",
        quote='"weight": 1',
        evidence="wire",
        good='{"weight": 1}',
        bad=('{"weight": true}', '{"weight": 0}', '{"weight": "1"}'),
    ),
    rule(
        "return.create-time-seconds",
        "create_time is unix time in seconds",
        _create_time,
        scope="returns",
        section="§6",
        quote="create_time: number // unix seconds float (Date.now()/1000)",
        evidence="wire",
        good='{"create_time": 1787848294.6508071}',
        bad=(
            '{"create_time": 1787848294650.8071}',
            '{"create_time": "1787848294.65"}',
            '{"create_time": null}',
        ),
    ),
    rule(
        "return.id-is-fresh-uuid",
        "The return has a new uuid of its own",
        _fresh_id,
        scope="returns",
        section="§6",
        quote="id: string // uuid; the call_id source for local tool returns",
        evidence="wire",
        good='{"id": "b65539dc-d45f-4b37-b735-a11ac75aafed"}',
        bad=('{"id": "return-1"}', "the id of the call"),
    ),
    rule(
        "return.metadata-object",
        "metadata is an object",
        _metadata,
        scope="returns",
        section="§3",
        quote='"metadata": {}',
        evidence="wire",
        good='{"metadata": {}}',
        bad=('{"metadata": null}', "the key is missing"),
    ),
    rule(
        "return.metadata-profile",
        "metadata is empty, or the hidden flag alone",
        _metadata_profile,
        scope="returns",
        level="should",
        section="§6",
        quote="metadata:{ is_visually_hidden_from_conversation: true } (the hidden flag is on the RETURN",
        evidence="code",
        good='{"metadata": {"is_visually_hidden_from_conversation": true}}',
        bad=(
            '{"metadata": {"source": "client"}}',
            '{"metadata": {"is_visually_hidden_from_conversation": false}}',
        ),
        hint="the source document shows {} in its section 3 and the flag in its section 6; both are accepted",
    ),
    rule(
        "return.no-extra-fields",
        "The message has no fields that nobody has seen",
        _no_extra_fields,
        scope="returns",
        level="should",
        section="§3",
        quote="Client return (exact contract)",
        evidence="doc",
        good="the eleven fields of a message",
        bad=('{"tool_call_id": "b6d6e3a6-af6f-4a78-a649-8e3935182fcc"}',),
    ),
)

SESSION_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "return.exactly-once",
        "Every call gets exactly one return",
        _exactly_once,
        scope="calls",
        document=NOTES,
        section="Return",
        quote="A call without a return leaves the turn hanging; a call that was answered is not answered again.",
        evidence="code",
        good="one return after the call's stream",
        bad=("no return", "the same return sent twice"),
        hint="answer every message to local.<tool> or functions.<tool> whose tool was declared",
    ),
    rule(
        "return.fresh-challenge",
        "The return has a fresh challenge",
        _fresh_challenge,
        scope="returns",
        section="§3",
        quote="A NEW conversation request — fresh challenge (4.1) + prepare (4.2) — same transport, "
        "same conversation",
        evidence="doc",
        good="a challenge fetched for the return",
        bad=("the challenge of the request that brought the call",),
    ),
    rule(
        "return.fresh-prepare",
        "The return has a prepare of its own",
        _fresh_prepare,
        scope="returns",
        section="§3",
        quote="A NEW conversation request — fresh challenge (4.1) + prepare (4.2) — same transport, "
        "same conversation",
        evidence="doc",
        good="POST …/f/conversation/prepare between the call and the return",
        bad=("the return is sent without a prepare",),
    ),
)
