"""What must hold whatever fails. Each invariant is a small class: `check(world, history)` raises an AssertionError.

Those of `DURING` are looked at again and again while a run goes on, so they may remember what they saw; those of
`AFTER` once, when all faults are healed and every partition has been read whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from riacho.wire.batch import iterate_headers
from support.simulated_history import History, TopicPartition, Value

if TYPE_CHECKING:
    from support.simulated_node import SimulatedNode
    from support.simulated_world import World

QUORUM = "the quorum"


class Invariant(Protocol):
    def check(self, world: World, history: History) -> None: ...


class AckedIsNeverLost:
    """What was acknowledged with acks=all is where it was said to be."""

    def check(self, world: World, history: History) -> None:
        final = {(partition, offset): value for partition, rows in history.final.items() for offset, value in rows}
        for acked in history.acked:
            if acked.partition in history.final:
                found = final.get((acked.partition, acked.offset))
                assert found == acked.value, (
                    f"{acked.value} was acknowledged at {acked.partition} offset {acked.offset} "
                    f"({acked.at_us / 1_000_000:.6f} s); there is {found}"
                )


class NothingIsInvented:
    def check(self, world: World, history: History) -> None:
        for partition, rows in history.final.items():
            for offset, value in rows:
                assert (partition, value) in history.sent, f"{value} at {partition} {offset} was never sent there"


class NoDuplicates:
    """With idempotence, a retry leaves one record."""

    def check(self, world: World, history: History) -> None:
        for partition, rows in history.final.items():
            seen: dict[Value, int] = {}
            for offset, value in rows:
                if value.producer in history.idempotent:
                    first = seen.setdefault(value, offset)
                    assert first == offset, f"{value} is in {partition} twice, at {first} and {offset}"


class OrderIsKept:
    """A numbering producer's records are in the order in which it sent them, whatever is missing between them."""

    def check(self, world: World, history: History) -> None:
        for partition, rows in history.final.items():
            last: dict[str, int] = {}
            for offset, value in rows:
                if value.producer in history.ordered:
                    before = last.get(value.producer, -1)
                    assert value.number >= before, f"{partition} {offset}: {value} after number {before}"
                    last[value.producer] = value.number


class OffsetsAscend:
    def check(self, world: World, history: History) -> None:
        for partition, rows in history.final.items():
            for (before, _), (after, _) in pairwise(rows):
                assert after > before, f"{partition}: offset {after} after {before}"


class ReadsAgree:
    """What one reader was once given stays, and is the same for everyone; no reader goes back or skips."""

    def check(self, world: World, history: History) -> None:
        final = {(partition, offset): value for partition, rows in history.final.items() for offset, value in rows}
        by_reader: dict[tuple[str, TopicPartition], list[int]] = defaultdict(list)
        for read in history.reads:
            by_reader[read.reader, read.partition].append(read.offset)
            if read.partition in history.final:
                found = final.get((read.partition, read.offset))
                assert found == read.value, f"{read} was read; at the end there is {found}"
        for (reader, partition), offsets in by_reader.items():
            if partition in history.final:
                all_offsets = [offset for offset, _ in history.final[partition]][: len(offsets)]
                assert offsets == all_offsets, f"{reader} skipped or repeated in {partition}: {offsets[:50]}..."


class WatermarkIsMonotonic:
    """One leader epoch never takes a high watermark back that it has shown."""

    def __init__(self) -> None:
        self._seen = 0
        self._highest: dict[tuple[str, TopicPartition, int], int] = {}

    def check(self, world: World, history: History) -> None:
        for reader, partition, epoch, offset in history.watermarks[self._seen :]:
            highest = self._highest.get((reader, partition, epoch), -1)
            assert offset >= highest, f"{partition} epoch {epoch}: high watermark {offset} after {highest}"
            self._highest[reader, partition, epoch] = offset
        self._seen = len(history.watermarks)


class OneLeaderPerEpoch:
    """Of each partition, and of the metadata quorum."""

    def __init__(self) -> None:
        self._leaders: dict[tuple[Any, int], int] = {}

    def check(self, world: World, history: History) -> None:
        for node in world.up:
            for what, epoch in _led(node):
                first = self._leaders.setdefault((what, epoch), node.id)
                assert first == node.id, f"{what} epoch {epoch}: leaders {first} and {node.id}"


class EpochsAreMonotonic:
    """No node goes back to an older epoch: of the quorum not even by a restart, of a partition not while it runs. (A
    node that starts knows what its snapshot holds, and hears only then how much of its log is committed.)"""

    def __init__(self) -> None:
        self._epochs: dict[tuple[Any, ...], int] = {}

    def check(self, world: World, history: History) -> None:
        for node in world.up:
            # A disk that was lost takes what was known with it.
            quorum, run = (node.id, node.wiped_count), (node.id, node.start_count)
            for what, epoch in _epochs(node):
                key = (*(quorum if what == QUORUM else run), what)
                before = self._epochs.get(key, -1)
                assert epoch >= before, f"{node.host}: {what} went from epoch {before} to {epoch}"
                self._epochs[key] = epoch


class GroupsReadEverything:
    """At least once, and nothing but what is there."""

    def check(self, world: World, history: History) -> None:
        given: dict[tuple[str, TopicPartition], set[tuple[int, Value]]] = defaultdict(set)
        for read in history.group_reads:
            given[read.reader, read.partition].add((read.offset, read.value))
        for (group, partition), committed in history.commits.items():
            rows = [row for row in history.final.get(partition, []) if row[0] < committed]
            missing = [row for row in rows if row not in given[group, partition]]
            assert not missing, f"{group} went past {missing[:5]} of {partition} without reading them"
            extra = given[group, partition] - set(history.final.get(partition, []))
            assert not extra, f"{group} read {sorted(extra)[:5]} of {partition}, which are not there"


class NoDoubleAssignment:
    """In one generation a partition belongs to one member."""

    def check(self, world: World, history: History) -> None:
        owners: dict[tuple[str, int, TopicPartition], str] = {}
        for group, member_id, generation, partitions in history.assignments:
            for partition in partitions:
                first = owners.setdefault((group, generation, partition), member_id)
                assert first == member_id, f"{group} generation {generation}: {partition} for {first} and {member_id}"


class ReplicasAreIdentical:
    """Up to the lowest high watermark, every replica has the same bytes."""

    def check(self, world: World, history: History) -> None:
        copies: dict[TopicPartition, list[tuple[int, Any]]] = defaultdict(list)
        for node in world.up:
            for hosted in node.replicas.all():
                copies[hosted.topic, hosted.index].append((node.id, hosted.log))
        for partition, logs in copies.items():
            end = min(log.high_watermark for _, log in logs)
            start = max(log.log_start_offset for _, log in logs)
            (first_id, first), *others = logs
            expected = _content(first, start, end)
            for node_id, log in others:
                assert _content(log, start, end) == expected, (
                    f"{partition} differs between nodes {first_id} and {node_id} below {end}"
                )


class MetadataIsIdentical:
    """Up to the lowest high watermark the metadata log is the same everywhere, and so is what it comes to."""

    def check(self, world: World, history: History) -> None:
        nodes = [(node.id, node) for node in world.up if node.quorum is not None]
        if len(nodes) < 2:
            return
        start = max(node.raft.log.start_offset for _, node in nodes)
        end = min(node.raft.node.high_watermark for _, node in nodes)
        (first_id, first), *others = nodes
        for node_id, node in others:
            who = f"nodes {first_id} and {node_id}"
            assert _metadata(node, start, end) == _metadata(first, start, end), f"metadata logs of {who} differ"
            mine, theirs = first.metadata.image, node.metadata.image
            if mine.end_offset == theirs.end_offset:
                assert mine.topics == theirs.topics, f"topics of {who} differ at {mine.end_offset}"
                assert mine.brokers == theirs.brokers, f"brokers of {who} differ at {mine.end_offset}"


def _metadata(node: SimulatedNode, start: int, end: int) -> list[bytes]:
    return [
        bytes(data[position : position + header.size_bytes])
        for data, position, header in node.raft.log.batches(start, end)
    ]


def _content(log: Any, start: int, end: int) -> bytes:
    data = bytearray()
    while start < end:
        found = log.read(start, 1 << 20, end_offset=end, at_least_one=True)
        if found is None:
            break
        chunk = found.read()
        data += chunk
        last = start
        for _, header in iterate_headers(chunk):
            last = header.next_offset
        if last <= start:
            break
        start = last
    return bytes(data)


def _led(node: SimulatedNode) -> Iterator[tuple[Any, int]]:
    """(what, epoch) that this node believes to lead."""
    if node.hosted is not None:
        for hosted in node.hosted.all():
            if hosted.is_leader:
                yield (hosted.topic, hosted.index), hosted.leader_epoch
    if node.quorum is not None and node.quorum.raft.node.is_leader:
        yield QUORUM, node.quorum.raft.node.epoch


def _epochs(node: SimulatedNode) -> Iterator[tuple[Any, int]]:
    if node.quorum is not None:
        for name, topic in node.quorum.metadata.image.topics.items():
            for index, partition in enumerate(topic.partitions):
                yield (name, topic.id, index), partition.leader_epoch
        yield QUORUM, node.quorum.raft.node.epoch


DURING = (WatermarkIsMonotonic, OneLeaderPerEpoch, EpochsAreMonotonic)
AFTER = (
    AckedIsNeverLost,
    NothingIsInvented,
    NoDuplicates,
    OrderIsKept,
    OffsetsAscend,
    ReadsAgree,
    GroupsReadEverything,
    NoDoubleAssignment,
    ReplicasAreIdentical,
    MetadataIsIdentical,
)
