"""What a history may not contain, in the manner of Jepsen's Kafka workload. Each rule is a small function of `Facts`.

Values are unique and those of one key are written in ascending order by one producer. Topics have no transactions and
no compaction, so the offsets of a partition are dense. A reader reads partitions from the offset of its `seek` on; a
reader whose name starts with `final` read everything after all faults were healed. An acknowledgement with offset -1 is
one whose place the client was not told.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from support.history import Event, Read

FINAL = "final"
Place = tuple[int, int]  # partition, offset


@dataclass(frozen=True, slots=True)
class Violation:
    rule: str
    detail: str


@dataclass(slots=True)
class Facts:
    """A history, looked up in the ways that the rules need."""

    events: list[Event]
    sent: dict[int, Event] = field(default_factory=dict)  # by value: its invocation
    acked: dict[int, Place] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    unknown: dict[int, str] = field(default_factory=dict)
    reads: dict[str, list[Read]] = field(default_factory=lambda: defaultdict(list))  # by reader, in order
    values_at: dict[Place, set[int]] = field(default_factory=lambda: defaultdict(set))  # by anyone: acks and reads
    places_of: dict[int, set[Place]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def of(cls, events: Iterable[Event]) -> Facts:
        facts = cls(list(events))
        for event in facts.events:
            if event.f == "send":
                facts._take_send(event)
            elif event.f == "poll":
                for read in event.records:
                    facts.reads[event.process].append(read)
                    facts._place(read.value, (read.partition, read.offset))
        return facts

    def _take_send(self, event: Event) -> None:
        if event.type == "invoke":
            assert event.value not in self.sent, f"the workload sent {event.value} twice"
            self.sent[event.value] = event
        elif event.type == "ok":
            self.acked[event.value] = (event.partition, event.offset)
            if event.offset >= 0:
                self._place(event.value, (event.partition, event.offset))
        elif event.type == "fail":
            self.failed[event.value] = event.detail
        else:
            self.unknown[event.value] = event.detail

    def _place(self, value: int, place: Place) -> None:
        self.values_at[place].add(value)
        self.places_of[value].add(place)

    @property
    def final_readers(self) -> list[str]:
        return [name for name in self.reads if name.startswith(FINAL)]

    def log(self) -> dict[int, list[tuple[int, int]]]:
        """(offset, value) of each partition in order, as far as anyone saw it. The lowest value stands for disputes."""
        logs: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for (partition, offset), values in sorted(self.values_at.items()):
            logs[partition].append((offset, min(values)))
        return logs


def lost_write(facts: Facts) -> Iterator[str]:
    """Acknowledged, and nobody ever read it."""
    read = {record.value for records in facts.reads.values() for record in records}
    for value, place in facts.acked.items():
        if value not in read:
            yield f"{value} was acknowledged at {place} and never read"


def unseen(facts: Facts) -> Iterator[str]:
    """Once all is healed, every final reader has every acknowledged value."""
    if not facts.final_readers:
        yield "nobody read the log to its end"
    for reader in facts.final_readers:
        read = {record.value for record in facts.reads[reader]}
        missing = [value for value in facts.acked if value not in read]
        if missing:
            yield f"{reader} lacks {len(missing)} acknowledged values, such as {missing[:3]}"


def inconsistent_offset(facts: Facts) -> Iterator[str]:
    """Two clients were told different values for one place."""
    for place, values in facts.values_at.items():
        if len(values) > 1:
            yield f"{place} holds {sorted(values)}"


def offset_twice(facts: Facts) -> Iterator[str]:
    """One place was given to two acknowledged writes."""
    taken: dict[Place, int] = {}
    for value, place in facts.acked.items():
        if place in taken and place[1] >= 0:
            yield f"{place} was given to {taken[place]} and to {value}"
        taken[place] = value


def duplicate(facts: Facts) -> Iterator[str]:
    """One value at two places. Every producer here is idempotent or sends a value once."""
    for value, places in facts.places_of.items():
        if len(places) > 1:
            yield f"{value} is at {sorted(places)}"


def phantom(facts: Facts) -> Iterator[str]:
    """Read, and nobody sent it."""
    for reader, records in facts.reads.items():
        for record in records:
            if record.value not in facts.sent:
                yield f"{reader} read {record}"


def failed_read(facts: Facts) -> Iterator[str]:
    """The broker said that it was not stored (G1a)."""
    for value, error in facts.failed.items():
        if facts.places_of.get(value):
            yield f"{value} failed ({error}) and is at {sorted(facts.places_of[value])}"


def wrong_partition(facts: Facts) -> Iterator[str]:
    for value, places in facts.places_of.items():
        event = facts.sent.get(value)
        if event is not None and any(partition != event.partition for partition, _ in places):
            yield f"{value} was sent to partition {event.partition} and is at {sorted(places)}"


def nonmonotonic_poll(facts: Facts) -> Iterator[str]:
    """A reader that seeks nowhere went back, or saw an offset again."""
    yield from (text for jump, text in _jumps(facts) if jump < 1)


def poll_skip(facts: Facts) -> Iterator[str]:
    """A reader jumped over an offset."""
    yield from (text for jump, text in _jumps(facts) if jump > 1)


def _jumps(facts: Facts) -> Iterator[tuple[int, str]]:
    last: dict[tuple[str, int], int] = {}
    for event in facts.events:
        if event.f == "seek":
            last[event.process, event.partition] = event.offset - 1
        for record in event.records:
            before = last.get((event.process, record.partition))
            if before is not None and record.offset != before + 1:
                text = f"{event.process} read {before} then {record.offset} of partition {record.partition}"
                yield record.offset - before, text
            last[event.process, record.partition] = record.offset


def gap(facts: Facts) -> Iterator[str]:
    """Between the first and the last offset of a partition that anyone knows of, each is known."""
    for partition, entries in facts.log().items():
        offsets = [offset for offset, _ in entries]
        missing = sorted(set(range(offsets[0], offsets[-1])) - set(offsets))
        if offsets[0] != 0:
            yield f"partition {partition} starts at {offsets[0]}"
        if missing:
            yield f"partition {partition} lacks {len(missing)} offsets, such as {missing[:3]}"


def order(facts: Facts) -> Iterator[str]:
    """The values of a key lie in the log in the order of their sending."""
    last: dict[tuple[int, str], int] = {}
    for partition, entries in facts.log().items():
        for offset, value in entries:
            event = facts.sent.get(value)
            if event is None:
                continue
            before = last.get((partition, event.key))
            if before is not None and value < before:
                yield f"{event.key}: {value} at {(partition, offset)} comes after {before}"
            last[partition, event.key] = value


def back_in_time(facts: Facts) -> Iterator[str]:
    """A write got a lower offset than one that was acknowledged, or read, before it was even sent."""
    known: dict[int, int] = {}
    floor: dict[int, int] = {}
    for event in facts.events:
        if event.f == "send" and event.type == "invoke":
            floor[event.value] = known.get(event.partition, -1)
        elif event.f == "send" and event.type == "ok":
            if 0 <= event.offset <= floor.get(event.value, -1):
                yield f"{event.value} is at {event.offset}, sent when {floor[event.value]} was known"
            known[event.partition] = max(known.get(event.partition, -1), event.offset)
        for record in event.records:
            known[record.partition] = max(known.get(record.partition, -1), record.offset)


def reader_failed(facts: Facts) -> Iterator[str]:
    """A reader was thrown off its offset: the log it followed was cut."""
    for event in facts.events:
        if event.f == "poll" and event.type == "info":
            yield f"{event.process}: {event.detail}"


RULES: tuple[Callable[[Facts], Iterator[str]], ...] = (
    lost_write,
    unseen,
    inconsistent_offset,
    offset_twice,
    duplicate,
    phantom,
    failed_read,
    wrong_partition,
    nonmonotonic_poll,
    poll_skip,
    gap,
    order,
    back_in_time,
    reader_failed,
)


def violations(events: Iterable[Event]) -> list[Violation]:
    facts = Facts.of(events)
    return [Violation(rule.__name__, detail) for rule in RULES for detail in rule(facts)]


def summary(events: Iterable[Event]) -> str:
    facts = Facts.of(events)
    readers = {name: len(records) for name, records in facts.reads.items()}
    return (
        f"{len(facts.sent)} sent, {len(facts.acked)} acknowledged, {len(facts.unknown)} without a verdict, "
        f"{len(facts.failed)} refused; read {readers}; longest wait for an acknowledgement {longest_gap_ms(facts)} ms"
    )


def longest_gap_ms(facts: Facts) -> int:
    """Between two acknowledgements, of whichever producer."""
    times = [event.time_ms for event in facts.events if event.f == "send" and event.type == "ok"]
    return max((later - earlier for earlier, later in itertools.pairwise(times)), default=0)
