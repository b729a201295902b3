"""Volumes that log directories lie on, each counted once: several directories, and brokers, may share one.

Nothing in the protocol names a volume; it is known by what is told of it. Two directories are taken for one volume
where their brokers have the same host, the volume has exactly as many bytes, about as many of them are usable (they
were read at about the same time), and what Kafka keeps in both fits into what is used there. So disks of one size do
not pass for one because they are about equally full: each holds its own share of Kafka's bytes. Those that are all but
empty do, until they fill; the room that is told is then too small rather than too large.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

# Brokers of one host are asked one after another, and go on writing meanwhile.
_APART_SHARE = 0.001
_APART_BYTES_MIN = 64 << 20


class Directory(NamedTuple):
    """A log directory."""

    path: str
    # What Kafka keeps there.
    kafka_bytes: int
    topics: int
    # Kafka's name for what is wrong with it.
    error: str | None = None
    # Of its volume. None: the broker does not tell (before Kafka 3.3), or the directory is out of service.
    total_bytes: int | None = None
    usable_bytes: int | None = None

    @property
    def percent_used(self) -> float | None:
        """Of its volume, whoever's files these are."""
        if not self.total_bytes or self.usable_bytes is None:
            return None
        return 100 * (self.total_bytes - self.usable_bytes) / self.total_bytes


class Room(NamedTuple):
    """None where one of the volumes is not known."""

    total_bytes: int | None = None
    free_bytes: int | None = None


class _Volume(NamedTuple):
    host: str
    total_bytes: int
    usable_bytes: int
    kafka_bytes: int

    def holds(self, other: _Volume) -> bool:
        """Whether the other one, which has at least as much room, is the same."""
        apart = max(int(self.total_bytes * _APART_SHARE), _APART_BYTES_MIN)
        used_bytes = self.total_bytes - self.usable_bytes
        return (
            (self.host, self.total_bytes) == (other.host, other.total_bytes)
            and other.usable_bytes - self.usable_bytes <= apart
            and self.kafka_bytes + other.kafka_bytes <= used_bytes + apart
        )


def room_on(directories: Iterable[tuple[str, Directory]]) -> Room:
    """On the volumes of these together, each with the host of its broker."""
    told = [
        None if not each.total_bytes or each.usable_bytes is None
        else _Volume(host, each.total_bytes, each.usable_bytes, each.kafka_bytes)
        for host, each in directories
    ]  # fmt: skip
    known = sorted(each for each in told if each is not None)
    if not known or len(known) < len(told):
        return Room()
    # Beside each other: of one host and size, in the order of what is usable.
    volumes = known[:1]
    for each in known[1:]:
        last = volumes[-1]
        if last.holds(each):
            volumes[-1] = last._replace(kafka_bytes=last.kafka_bytes + each.kafka_bytes)
        else:
            volumes.append(each)
    return Room(sum(each.total_bytes for each in volumes), sum(each.usable_bytes for each in volumes))
