"""The records that mirrors leave for each other, byte for byte as MirrorMaker 2 writes them.

offset sync   key: topic, partition                 value: upstream offset, downstream offset
checkpoint    key: group, topic, partition          value: version, upstream, downstream, metadata
heartbeat     key: source alias, target alias       value: version, timestamp
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

_VERSION = 0


@dataclass(frozen=True, slots=True)
class OffsetSync:
    topic: str
    partition: int
    upstream: int
    downstream: int

    def key(self) -> bytes:
        return _string(self.topic) + struct.pack(">i", self.partition)

    def value(self) -> bytes:
        return struct.pack(">qq", self.upstream, self.downstream)

    @classmethod
    def parse(cls, key: bytes, value: bytes) -> OffsetSync:
        """ValueError when they are something else."""
        try:
            topic, at = _read_string(key, 0)
            return cls(topic, *struct.unpack_from(">i", key, at), *struct.unpack_from(">qq", value, 0))
        except struct.error as error:
            raise ValueError(str(error)) from None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    group: str
    topic: str
    partition: int
    upstream: int
    downstream: int
    metadata: str = ""

    def key(self) -> bytes:
        return _string(self.group) + _string(self.topic) + struct.pack(">i", self.partition)

    def value(self) -> bytes:
        return struct.pack(">hqq", _VERSION, self.upstream, self.downstream) + _string(self.metadata)

    @classmethod
    def parse(cls, key: bytes, value: bytes) -> Checkpoint:
        try:
            group, at = _read_string(key, 0)
            topic, at = _read_string(key, at)
            (partition,) = struct.unpack_from(">i", key, at)
            _, upstream, downstream = struct.unpack_from(">hqq", value, 0)
            metadata, _ = _read_string(value, struct.calcsize(">hqq"))
        except struct.error as error:
            raise ValueError(str(error)) from None
        return cls(group, topic, partition, upstream, downstream, metadata)


@dataclass(frozen=True, slots=True)
class Heartbeat:
    source: str
    target: str
    timestamp_ms: int

    def key(self) -> bytes:
        return _string(self.source) + _string(self.target)

    def value(self) -> bytes:
        return struct.pack(">hq", _VERSION, self.timestamp_ms)


def _string(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack(">h", len(encoded)) + encoded


def _read_string(data: bytes, at: int) -> tuple[str, int]:
    (length,) = struct.unpack_from(">h", data, at)
    end = at + 2 + length
    if length < 0 or end > len(data):
        raise ValueError("a text is longer than what holds it")
    return data[at + 2 : end].decode(), end
