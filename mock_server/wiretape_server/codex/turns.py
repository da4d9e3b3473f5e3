"""A running turn: what the user said, what the model does with it, and how it ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from wiretape.cassette.model import ModelCall, ModelError, ModelItem, ModelText, Step
from wiretape_server.codex import items, provider, shapes
from wiretape_server.codex.auth import Refresh
from wiretape_server.codex.calls import CallBatch
from wiretape_server.codex.home import Turn
from wiretape_server.codex.items import TurnStage
from wiretape_server.codex.outbox import Hearer
from wiretape_server.codex.process import LoadedThread, Process, Timer
from wiretape_server.codex.profile import TurnStatus
from wiretape_server.codex.provider import ProviderRequest
from wiretape_server.codex.provider_errors import TurnError, http_error
from wiretape_server.codex.shapes import shaped, shaped_item

Content = Sequence[Mapping[str, Any]]
"""What a user says: the ``input`` of turn/start."""


KILLED: Final = "aborted"
"""What the model hears of a call that was open when the process was killed."""


class TurnRun:
    """Runs one turn, driven by the client's answers."""

    def __init__(self, process: Process, loaded: LoadedThread, turn: Turn, content: Content) -> None:
        self.process = process
        self.loaded = loaded
        self.turn = turn
        self._stage = TurnStage(process, loaded, turn)
        self._unheard: list[Content] = [content]
        """What the user said since the model was asked last."""
        self._batch = CallBatch(self._stage, self._calls_done)
        self._refresh: Refresh | None = None
        self._refreshed = False
        self._thinking: Timer | None = None

    def begin(self) -> None:
        """Announce the turn and ask the model."""
        self.turn.started_at = self.process.wall()
        self.process.set_status(self.loaded, shapes.ACTIVE)
        started = {"turn": shapes.turn(self.process.profile, self.turn)}
        self.process.tell(self.loaded, "turn/started", started)
        self._ask_model()

    def steer(self, content: Content) -> None:
        """The user said more: the model hears of it with its next request."""
        self._unheard.append(content)

    def ask_again(self, hearer: Hearer) -> None:
        """Ask one more connection what the turn waits for."""
        self._batch.ask_again(hearer)

    def cancel(self) -> None:
        """Close what is open, before the turn ends as interrupted."""
        elapsed = self.process.wall() - (self.turn.started_at or 0.0)
        self._batch.interrupt(self.process.profile.interrupted_output.format(seconds=elapsed))
        self._settle_calls()
        self._stop_waiting()
        self._note_abort()

    def lose(self, *, killed: bool) -> None:
        """The process ends in the middle of the turn; a killed one keeps nothing of its open calls."""
        profile = self.process.profile
        kept = profile.keeps_lost_calls and not killed
        self._batch.lose(KILLED if killed else profile.lost_output, kept=kept)
        self._settle_calls()
        self._stop_waiting()
        self._close(profile.lost_turn)
        if killed:
            self.turn.completed_at = None
        elif profile.notes_lost_turns:
            self._note_abort()

    # asking the model

    def _ask_model(self) -> None:
        self._hear_user()
        thread = self.loaded.thread
        login = self.process.login
        request = ProviderRequest(
            thread_id=thread.id,
            turn_id=self.turn.id,
            number=thread.requests,
            body=provider.request_body(self.process.profile, thread),
            bearer=login.access_token if login else None,
            declared=thread.declared,
        )
        thread.requests += 1
        self._think_about(self.process.model.next_step(request))

    def _think_about(self, step: Step) -> None:
        """Let the model take its time, so that a client which leaves meanwhile is seen to leave."""
        if self.process.thinking:
            self._thinking = self.process.call_later(self.process.thinking, lambda: self._go_on(step))
        else:
            self._go_on(step)

    def _go_on(self, step: Step) -> None:
        if step.error is not None:
            self._provider_failed(step.error)
        elif not step.wait:
            self._refreshed = False
            self._take(step.items)

    def _hear_user(self) -> None:
        """Show what the user said, and put it into the model's context."""
        ids = self.process.uuid7 if self.process.profile.time_ordered_item_ids else self.process.uuid4
        for content in filter(None, self._unheard):
            self._stage.show(items.user_message(ids(), content))
            self.loaded.thread.context.append(provider.user_input(f"msg_{self.process.uuid7()}", content))
        self._unheard = []

    def _take(self, answer: Sequence[ModelItem]) -> None:
        """Show the model's texts, then make its calls."""
        for item in answer:
            if isinstance(item, ModelText):
                self._say(item)
            else:
                self.loaded.thread.context.append(provider.call_input(item))
        calls = [item for item in answer if isinstance(item, ModelCall)]
        if calls:
            self._batch = CallBatch(self._stage, self._calls_done)
            self._batch.run(calls)
        elif any(self._unheard):
            self._ask_model()
        else:
            self.end("completed")

    def _say(self, message: ModelText) -> None:
        message_id = message.id or f"msg_{self.loaded.thread.ordinals + 1}"
        item = items.agent_message(message_id, "" if message.deltas else message.text)
        stage = self._stage
        stage.start(item)
        stage.announce_start(item)
        for delta in message.deltas:
            stage.tell("item/agentMessage/delta", {"itemId": message_id, "delta": delta})
        item.wire["text"] = message.text
        stage.complete(item)
        stage.announce_completion(item)
        self.loaded.thread.context.append(provider.assistant_input(message, message_id))

    def _calls_done(self) -> None:
        self._settle_calls()
        self._ask_model()

    def _settle_calls(self) -> None:
        """Put the outputs into the model's context, in the order of its calls."""
        batch, self._batch = self._batch, CallBatch(self._stage, self._calls_done)
        for index, call in enumerate(batch.calls):
            output_id = f"fco_{self.process.uuid7()}"
            self.loaded.thread.context.append(provider.output_input(call.id, batch.outputs[index], output_id))

    def _note_abort(self) -> None:
        """Tell the model that the turn did not come to its end."""
        note = {"type": "text", "text": f"<turn_aborted>\n{self.process.profile.abort_note}\n</turn_aborted>"}
        self.loaded.thread.context.append(provider.user_input(f"msg_{self.process.uuid7()}", [note]))

    # when the provider fails

    def _provider_failed(self, error: ModelError) -> None:
        """Ask for a new token, once, where that may help; else end the turn."""
        if error.status == 401 and self.process.login is not None and not self._refreshed:
            self._refreshed = True
            self._refresh = Refresh(self.process, self.process.login, self._token_came)
        else:
            self._fail(http_error(self.process.profile, self.process.home.provider_url, error))

    def _token_came(self, why_not: str | None) -> None:
        self._refresh = None
        if why_not is None:
            self._ask_model()
        else:
            self._fail(TurnError(why_not))

    def _stop_waiting(self) -> None:
        """No longer wait for the model or a token."""
        if self._thinking is not None:
            self._thinking.cancel()
        if self._refresh is not None:
            self._refresh.stop()
            self._refresh = None

    def _fail(self, error: TurnError) -> None:
        self.turn.error = shaped(self.process.profile, "error", error.wire())
        self.process.set_status(self.loaded, shapes.SYSTEM_ERROR)
        self._stage.tell("error", {"error": self.turn.error, "willRetry": False})
        self.end("failed")

    # ending

    def end(self, status: TurnStatus) -> None:
        """Close the turn and say so."""
        self._close(status)
        if status != "interrupted":
            self._note_unread()
        if status != "failed":
            self.process.set_status(self.loaded, shapes.IDLE)
        self.process.tell(self.loaded, "turn/completed", {"turn": self._summary()})

    def _close(self, status: TurnStatus) -> None:
        self.turn.status = status
        self.turn.completed_at = self.loaded.thread.updated_at = self.process.wall()
        self.loaded.run = None

    def _note_unread(self) -> None:
        thread = self.loaded.thread
        if thread.ephemeral:
            return
        thread.unread = thread.unread or self.turn.id
        thread.revision = self.process.uuid4()
        if self.process.profile.read_state:
            state = {"readState": shapes.read_state(thread)}
            params = {"threadId": thread.id, **state}
            self.process.outbox.notify(self.process.connections, "thread/readState/changed", params)

    def _summary(self) -> dict[str, Any]:
        """The turn with what the model said last, when it came to an end of its own."""
        profile = self.process.profile
        if not profile.turn_summary or self.turn.status != "completed":
            return shapes.turn(profile, self.turn)
        said = [item for item in self.turn.items if item.kind == "agentMessage"][-1:]
        return shapes.turn(profile, self.turn, (shaped_item(profile, item.wire) for item in said), "summary")
