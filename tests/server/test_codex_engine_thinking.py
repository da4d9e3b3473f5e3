"""A model that takes its time: what a client can do meanwhile, and what becomes of the answer."""

from __future__ import annotations

from tests.server.codex_client import DONE, Bench, Client, calls, error


def thinking(bench: Bench) -> Client:
    client = Client(bench.process(thinking=0.1))
    client.initialize({"experimentalApi": True})
    return client


def test_an_answer_comes_when_its_time_has_come() -> None:
    bench = Bench(calls("a"), DONE)
    client = thinking(bench)
    client.start_turn(client.start_thread())
    assert not client.asked()
    assert [timer.delay for timer in bench.timers.waiting] == [0.1]
    bench.timers.ring()
    client.answer(client.asked()[0]["id"])
    assert not client.told("turn/completed")
    bench.timers.ring()
    assert client.told("turn/completed")[0]["turn"]["status"] == "completed"


def test_a_failure_takes_its_time_too() -> None:
    bench = Bench(error(500))
    client = thinking(bench)
    client.start_turn(client.start_thread())
    assert not client.told("error")
    bench.timers.ring()
    assert client.told("turn/completed")[0]["turn"]["status"] == "failed"


def test_an_interrupt_calls_the_answer_off() -> None:
    bench = Bench(DONE)
    client = thinking(bench)
    thread = client.start_thread()
    turn = client.start_turn(thread)
    assert client.result("turn/interrupt", {"threadId": thread, "turnId": turn}) == {}
    assert client.told("turn/completed")[0]["turn"]["status"] == "interrupted"
    assert not bench.timers.waiting


def test_the_end_of_the_process_calls_the_answer_off() -> None:
    bench = Bench(DONE)
    client = thinking(bench)
    client.start_turn(client.start_thread())
    client.connection.close()
    assert not bench.timers.waiting
    assert not client.told("turn/completed")


def test_what_the_user_adds_meanwhile_is_asked_before_the_turn_ends() -> None:
    bench = Bench(DONE, DONE)
    client = thinking(bench)
    thread = client.start_thread()
    assert client.start_turn(thread) == client.start_turn(thread, "and this")
    bench.timers.ring()
    assert not client.told("turn/completed")
    bench.timers.ring()
    assert client.told("turn/completed")
    texts = [
        item["content"][0]["text"]
        for item in bench.model.requests[1].body["input"]
        if item.get("role") == "user"
    ]
    assert texts == ["go", "and this"]
