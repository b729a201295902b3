"""The demo's steps, in order. Each one does a thing, shows it, and checks what it saw, or raises `DemoError`."""

from __future__ import annotations

import time
from itertools import pairwise

from riacho.cli.demo.demo_context import (
    GROUP,
    PARTITIONS,
    TOPIC,
    DemoContext,
    DemoError,
    Step,
    expect,
    say,
    say_rows,
    wait_for,
)
from riacho.cli.group_member import GroupMember
from riacho.cli.position import Kind, Position, resolve
from riacho.cli.record_reader import read_partitions
from riacho.cli.record_sender import RecordSender
from riacho.cli.record_text import NewRecord, TextRecord
from riacho.cli.target import Target
from riacho.cli.views.group_view import GroupView, view_group
from riacho.cli.views.topic_view import PARTITION_COLUMNS, view_topics
from riacho.client.topic_changes import create_topic

_CUSTOMERS = ("ana", "bruno", "carla", "davi", "elisa")
_ORDERS = ("coffee", "bread", "cheese")
_MINUTE_MS = 60_000
_PLACES = [(TOPIC, partition) for partition in range(PARTITIONS)]


def start_broker(demo: DemoContext) -> None:
    started = time.monotonic()
    demo.broker.spawn()
    demo.broker.wait_until_ready()
    say(f"{demo.bootstrap} answers after {time.monotonic() - started:.2f} s, pid {demo.broker.process.pid}")


def create_orders(demo: DemoContext) -> None:
    with Target(demo.bootstrap).open() as cluster:
        create_topic(cluster, TOPIC, partitions=PARTITIONS)
        known = cluster.topics([TOPIC])[TOPIC]
    expect(len(known.partitions) == PARTITIONS, f"{TOPIC} has {len(known.partitions)} partitions")
    say(f"{TOPIC} has partitions {', '.join(str(p.partition_index) for p in known.partitions)}")


def produce_orders(demo: DemoContext) -> None:
    # A minute apart and in the past, so that a later step can look them up by time.
    first_ms = time.time_ns() // 1_000_000 - len(_CUSTOMERS) * len(_ORDERS) * _MINUTE_MS
    what = [(customer, f"{customer} orders {thing}") for thing in _ORDERS for customer in _CUSTOMERS]
    _send(demo, [(customer, text, first_ms + i * _MINUTE_MS) for i, (customer, text) in enumerate(what)])
    homes = {key: {r.partition for r in demo.sent if r.key == key.encode()} for key in _CUSTOMERS}
    expect(all(len(home) == 1 for home in homes.values()), f"a key went to several partitions: {homes}")
    rows = [
        {"key": key, "partition": min(homes[key]), "offsets": [r.offset for r in demo.sent if r.key == key.encode()]}
        for key in _CUSTOMERS
    ]
    say_rows(list(rows), ["key", "partition", "offsets"])


def _send(demo: DemoContext, records: list[tuple[str, str, int]]) -> None:
    """One by one, so that it is known which record each offset belongs to."""
    places: list[tuple[int, int]] = []
    sender = RecordSender(Target(demo.bootstrap), TOPIC, lambda partition, offset: places.append((partition, offset)))
    for key, text, timestamp_ms in records:
        sender.send(NewRecord(text.encode(), key.encode(), timestamp_ms=timestamp_ms))
        sender.finish()
        partition, offset = places[-1]
        demo.sent.append(TextRecord(TOPIC, partition, offset, timestamp_ms, key.encode(), text.encode()))
    for partition in range(PARTITIONS):
        offsets = [r.offset for r in demo.sent if r.partition == partition]
        expect(offsets == list(range(len(offsets))), f"partition {partition} gave the offsets {offsets}")


def read_as_group(demo: DemoContext) -> None:
    demo.members += [GroupMember(Target(demo.bootstrap), GROUP, TOPIC, f"reader-{i}") for i in (1, 2)]

    def has_all() -> bool:
        for member in demo.members:
            member.poll(0.02)
        shared = [p for member in demo.members for p in member.partitions]
        is_shared = all(member.partitions for member in demo.members) and sorted(shared) == list(range(PARTITIONS))
        return is_shared and sum(len(member.records) for member in demo.members) >= len(demo.sent)

    wait_for(has_all, "two members did not share the partitions and read everything", 15.0)
    read = [record for member in demo.members for record in member.records]
    _expect_same(read, demo.sent, "the group read")
    for member in demo.members:
        for key in _CUSTOMERS:
            offsets = [r.offset for r in member.records if r.key == key.encode()]
            expect(all(a < b for a, b in pairwise(offsets)), f"{key}'s orders came out of order")
        member.commit()
        numbers = ", ".join(map(str, member.partitions))
        say(f"{member.client_id} has partition {numbers} and read {len(member.records)} records")


def show_lag(demo: DemoContext) -> None:
    now_ms = time.time_ns() // 1_000_000
    _send(demo, [("ana", "ana orders butter", now_ms), ("bruno", "bruno orders jam", now_ms)])
    view = _view_billing(demo)
    say_rows(list(view.rows), ["topic", "partition", "committed", "end", "lag", "member"])
    expect(
        view.state == "Stable" and len(view.members) == 2, f"the group is {view.state} with {len(view.members)} members"
    )
    expect(view.lag == 2, f"two new orders, but the group is {view.lag} behind")
    say("two more orders came meanwhile: the group is 2 behind")
    while demo.members:
        demo.members.pop().close()


def _view_billing(demo: DemoContext) -> GroupView:
    with Target(demo.bootstrap).open() as cluster:
        return view_group(cluster, GROUP)


def describe_orders(demo: DemoContext) -> None:
    with Target(demo.bootstrap).open() as cluster:
        view = view_topics(cluster, [TOPIC])[0]
    say_rows(list(view.partitions), PARTITION_COLUMNS)
    expect(view.records == len(demo.sent), f"the topic holds {view.records} records, not {len(demo.sent)}")


def show_files(demo: DemoContext) -> None:
    data = demo.broker.directory.broker_data(demo.broker.node_id)
    files = sorted(path for path in data.glob(f"{TOPIC}-*/*") if path.is_file())
    segments = {path.parent.name: path.stat().st_size for path in files if path.suffix == ".log"}
    rows = [
        {"file": str(path.relative_to(data)), "bytes": path.stat().st_size} for path in files if path.suffix == ".log"
    ]
    say_rows(list(rows), ["file", "bytes"])
    beside = sorted({path.name for path in files if path.suffix != ".log"})
    say(f"beside each: {', '.join(beside)}")
    for partition in {record.partition for record in demo.sent}:
        expect(segments.get(f"{TOPIC}-{partition}", 0) > 0, f"partition {partition} has records but no bytes on disk")


def read_by_time(demo: DemoContext) -> None:
    middle = demo.sent[len(demo.sent) // 2]
    read = _read(demo, Position(Kind.TIME, middle.timestamp_ms))
    for record in sorted(read, key=lambda r: r.timestamp_ms)[:2]:
        minutes = (time.time_ns() // 1_000_000 - record.timestamp_ms) // _MINUTE_MS
        say(f"{minutes} minutes ago: {(record.value or b'').decode()}")
    say(f"{len(read)} of {len(demo.sent)} records are that young")
    _expect_same(read, [r for r in demo.sent if r.timestamp_ms >= middle.timestamp_ms], "reading by time gave")


def kill_and_restart(demo: DemoContext) -> None:
    before = demo.broker.process.pid
    demo.broker.kill()
    say(f"kill -9 {before}")
    started = time.monotonic()
    demo.broker.spawn()
    demo.broker.wait_until_ready()
    say(f"it is back after {time.monotonic() - started:.2f} s, pid {demo.broker.process.pid}")
    _expect_same(_read(demo, Position(Kind.START)), demo.sent, "after the crash there are")
    lag = _view_billing(demo).lag
    expect(lag == 2, f"after the crash the group is {lag} behind, not 2")
    say(f"all {len(demo.sent)} records are there, and the group still knows where it stopped")


def _read(demo: DemoContext, start: Position) -> list[TextRecord]:
    with Target(demo.bootstrap).open() as cluster:
        starts, ends = resolve(cluster, start, _PLACES), resolve(cluster, Position(Kind.END), _PLACES)
    return list(read_partitions(Target(demo.bootstrap), starts, ends, patience_s=10.0))


def _expect_same(read: list[TextRecord], promised: list[TextRecord], what: str) -> None:
    if sorted(read, key=_place) != sorted(promised, key=_place):
        raise DemoError(f"{what} {len(read)} records that are not the {len(promised)} that were sent")


def _place(record: TextRecord) -> tuple[int, int]:
    return record.partition, record.offset


def stop_broker(demo: DemoContext) -> None:
    started = time.monotonic()
    expect(demo.broker.stop(), "the broker did not stop when it was asked to, and was killed")
    expect(demo.broker.exit_text == "exit code 0", f"the broker ended with {demo.broker.exit_text}")
    say(f"stopped cleanly in {time.monotonic() - started:.2f} s")


STEPS: tuple[tuple[str, Step], ...] = (
    ("Start a broker, with its data in a temporary directory", start_broker),
    (f"Create the topic {TOPIC} with {PARTITIONS} partitions", create_orders),
    ("Send orders with the customer as key: a customer's orders stay together, in order", produce_orders),
    (f"Read them as the group {GROUP}, which has two members, and commit", read_as_group),
    ("Look how far behind the group is", show_lag),
    ("Describe the topic", describe_orders),
    ("Look at the log on disk: Kafka's own files", show_files),
    ("Read from a moment on", read_by_time),
    ("Kill the broker the hard way and start it again: nothing is lost", kill_and_restart),
    ("Stop the broker", stop_broker),
)
