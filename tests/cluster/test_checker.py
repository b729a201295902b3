"""The checker itself: a good history passes, and every kind of violation that is planted in it is caught by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from support.checker import RULES, violations
from support.history import Event, History, Read, read_history


def good() -> list[Event]:
    """Two keys in two partitions, three values each; two readers of everything, one poll for each record."""
    history = History()
    for reader in ("poller", "final-1"):
        for partition in (0, 1):
            history.seek(reader, partition, 0)
    for number in range(3):
        for partition, base in ((0, 0), (1, 1000)):
            history.invoke_send("p", f"k{partition}", base + number, partition)
            history.ok_send("p", f"k{partition}", base + number, partition, number)
    for reader in ("poller", "final-1"):
        for number in range(3):
            history.ok_poll(reader, [Read(0, number, number), Read(1, number, 1000 + number)])
    return history.events()


def without(events: list[Event], unwanted: Callable[[Event], bool]) -> list[Event]:
    return [event for event in events if not unwanted(event)]


def rewritten(events: list[Event], change: Callable[[Read], list[Read]], reader: str = "") -> list[Event]:
    """The history with every record that a reader (or any reader) saw put through `change`."""
    return [
        replace(event, records=tuple(new for record in event.records for new in change(record)))
        if event.f == "poll" and (not reader or event.process == reader)
        else event
        for event in events
    ]


def drop(value: int) -> Callable[[Read], list[Read]]:
    return lambda record: [] if record.value == value else [record]


def becomes(value: int, new: int) -> Callable[[Read], list[Read]]:
    return lambda record: [record._replace(value=new)] if record.value == value else [record]


def sends(*values: int) -> list[Event]:
    return [Event("send", "invoke", "p", key="k0", value=value, partition=0) for value in values]


def ack(value: int, offset: int) -> Event:
    return Event("send", "ok", "p", key="k0", value=value, partition=0, offset=offset)


def swapped(events: list[Event]) -> list[Event]:
    """Values 1 and 2 of a key change places in the log, for everybody."""
    places = {1: 2, 2: 1}
    told = [
        replace(event, offset=places[event.offset])
        if event.type == "ok" and event.f == "send" and event.value in places
        else event
        for event in events
    ]
    return rewritten(told, lambda record: [record._replace(value=places.get(record.value, record.value))])


PLANTED: dict[str, list[Event]] = {
    "lost_write": rewritten(good(), drop(1)),
    "unseen": rewritten(good(), drop(1002), "final-1"),
    "inconsistent_offset": rewritten([*good(), *sends(7)], becomes(1, 7), "poller"),
    "offset_twice": [*good(), *sends(7), ack(7, 2)],
    "duplicate": [
        *good(),
        Event("poll", "ok", "poller", records=(Read(0, 3, 1),)),
        Event("poll", "ok", "final-1", records=(Read(0, 3, 1),)),
    ],
    "phantom": [*good(), Event("poll", "ok", "final-1", records=(Read(0, 3, 99),))],
    "failed_read": [
        *good(),
        *sends(7),
        Event("send", "fail", "p", value=7, detail="refused"),
        Event("poll", "ok", "final-1", records=(Read(0, 3, 7),)),
    ],
    "wrong_partition": [*good(), *sends(7), Event("poll", "ok", "final-1", records=(Read(1, 3, 7),))],
    "nonmonotonic_poll": [*good(), Event("poll", "ok", "poller", records=(Read(0, 1, 1),))],
    "poll_skip": rewritten(good(), drop(1), "poller"),
    "gap": [*good(), *sends(7), Event("poll", "ok", "final-1", records=(Read(0, 5, 7),))],
    "order": swapped(good()),
    "back_in_time": [*sends(5), ack(5, 9), *good()],
    "reader_failed": [*good(), Event("poll", "info", "poller", detail="offset out of range")],
}


def test_a_good_history_passes() -> None:
    assert violations(good()) == []


def test_every_rule_has_a_plant() -> None:
    assert set(PLANTED) == {rule.__name__ for rule in RULES}


@pytest.mark.parametrize("rule", PLANTED)
def test_a_planted_violation_is_caught(rule: str) -> None:
    assert rule in {found.rule for found in violations(PLANTED[rule])}


def test_a_write_without_a_verdict_may_be_there_or_not() -> None:
    unsure = [*good(), *sends(7), Event("send", "info", "p", value=7, partition=0, detail="timed out")]
    assert violations(unsure) == []
    seen = [Event("poll", "ok", reader, records=(Read(0, 3, 7),)) for reader in ("poller", "final-1")]
    assert violations([*unsure, *seen]) == []


def test_a_seek_may_go_back() -> None:
    again = [
        Event("seek", "ok", "poller", partition=0, offset=1),
        Event("poll", "ok", "poller", records=(Read(0, 1, 1),)),
    ]
    assert violations([*good(), *again]) == []


def test_without_a_final_reader_nothing_is_proved() -> None:
    assert {found.rule for found in violations(without(good(), lambda event: event.process == "final-1"))} == {"unseen"}


def test_a_stored_history_is_the_same(tmp_path: Path) -> None:
    history = History(tmp_path / "history.jsonl")
    for event in PLANTED["failed_read"]:
        history.add(event)
    history.close()
    assert read_history(tmp_path / "history.jsonl") == PLANTED["failed_read"]
