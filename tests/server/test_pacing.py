from __future__ import annotations

import asyncio

import pytest

from tests.server.clockwork import Clockwork


def _advance(clockwork: Clockwork, seconds: float) -> None:
    asyncio.run(clockwork.advance(seconds))


def test_nothing_is_called_early_and_everything_in_the_order_in_which_it_is_due(clockwork: Clockwork) -> None:
    wheel, called = clockwork.wheel(), list[str]()
    for name, delay in (("late", 0.3), ("soon", 0.0004), ("middle", 0.1), ("middle too", 0.1)):
        wheel.at(clockwork.time + delay, lambda name=name: called.append(name))  # type: ignore[misc]
    _advance(clockwork, 0.0003)
    assert called == []
    _advance(clockwork, 0.1)
    assert called == ["soon", "middle", "middle too"]
    _advance(clockwork, 1.0)
    assert called == ["soon", "middle", "middle too", "late"]


def test_a_thousand_callbacks_of_the_same_millisecond_share_one_timer(clockwork: Clockwork) -> None:
    wheel, called = clockwork.wheel(), list[int]()
    for number in range(1000):
        wheel.at(clockwork.time + 0.05, lambda number=number: called.append(number))  # type: ignore[misc]
    assert clockwork.armed == 1
    _advance(clockwork, 0.051)
    assert called == list(range(1000))


def test_what_a_callback_adds_is_called_at_its_own_time(clockwork: Clockwork) -> None:
    wheel, called = clockwork.wheel(), list[float]()

    def again() -> None:
        called.append(round(clockwork.time, 3))
        if len(called) < 3:
            wheel.at(clockwork.time + 0.01, again)

    wheel.at(clockwork.time + 0.01, again)
    _advance(clockwork, 1.0)
    assert called == [1000.01, 1000.02, 1000.03]


def test_what_is_over_is_called_at_the_next_turn_and_not_at_once(clockwork: Clockwork) -> None:
    wheel, called = clockwork.wheel(), list[str]()
    wheel.at(clockwork.time - 5.0, lambda: called.append("over"))
    assert called == []
    _advance(clockwork, 0.0)
    assert called == ["over"]


def test_an_earlier_time_moves_the_timer_forward(clockwork: Clockwork) -> None:
    wheel, called = clockwork.wheel(), list[str]()
    wheel.at(clockwork.time + 1.0, lambda: called.append("second"))
    wheel.at(clockwork.time + 0.5, lambda: called.append("first"))
    _advance(clockwork, 0.6)
    assert called == ["first"]
    _advance(clockwork, 0.6)
    assert called == ["first", "second"]


def test_a_callback_that_fails_keeps_no_other_from_being_called(clockwork: Clockwork) -> None:
    wheel, called = clockwork.wheel(), list[str]()

    def fails() -> None:
        raise ZeroDivisionError

    wheel.at(clockwork.time + 0.1, fails)
    wheel.at(clockwork.time + 0.1, lambda: called.append("at the same time"))
    wheel.at(clockwork.time + 0.2, lambda: called.append("later"))
    with pytest.raises(ZeroDivisionError):
        _advance(clockwork, 0.15)
    _advance(clockwork, 0.15)
    assert called == ["at the same time", "later"]
