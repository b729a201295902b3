"""Batches as producers send them, and as they should not."""

from __future__ import annotations

from dataclasses import dataclass, field

from riacho.wire.batch import seal
from riacho.wire.compression import Codec
from riacho.wire.records import Record, build_batch

HOUR_MS = 3_600_000
# What may be wrong with a batch, or unusual about it.
KINDS = (
    "plain", "plain", "plain", "several", "idempotent", "idempotent", "idempotent", "repeated", "gap", "new epoch",
    "old epoch", "transactional", "transactional", "corrupt", "base offset", "nothing", "no records", "short",
    "shorter", "too large", "long ago", "far ahead", "lz4", "gzip", "zstd", "append time", "miscounted", "takes long",
    "takes long in transaction",
)  # fmt: skip


@dataclass(frozen=True)
class Client:
    """A way to produce: requests of one client to one partition start with the same bytes."""

    version: int
    acks: int
    client_id: str = "c"
    producer_id: int = 7
    timeout_ms: int = 1_500


@dataclass
class Sequences:
    """Of one producer at one partition."""

    epoch: int = 0
    next: int = 0
    last: int = 0


@dataclass
class Batches:
    """Makes batches as producers do, and as they should not."""

    now_ms: int = 1_000_000
    sequences: dict[tuple[int, int], Sequences] = field(default_factory=dict)

    def made(self, kind: str, client: Client, index: int) -> bytes | None:
        known = self.sequences.setdefault((client.producer_id, index), Sequences())
        match kind:
            case "nothing":
                return None
            case "no records":
                return b""
            case "shorter":
                return b"\1" * 5
            case "short":
                return self._batch()[:40]
            case "several":
                return self._batch(values=[b"a", b"bb", b"ccc"])
            case "corrupt":
                return _changed(self._batch(), -1)
            case "base offset":
                return _changed(self._batch(), 7)
            case "miscounted":
                batch = bytearray(_changed(self._batch(), 60))
                seal(batch)
                return bytes(batch)
            case "too large":
                return self._batch(values=[bytes(400)])
            case "long ago":
                return self._batch(timestamp=self.now_ms - 2 * HOUR_MS)
            case "far ahead":
                return self._batch(timestamp=self.now_ms + 2 * HOUR_MS)
            case "lz4" | "gzip" | "zstd":
                return self._batch(codec=Codec[kind.upper()])
            case "takes long":
                return self._batch(values=[bytes(3 << 20)], codec=Codec.ZSTD)
            case "append time":
                batch = bytearray(self._batch())
                batch[22] |= 8
                seal(batch)
                return bytes(batch)
            case "plain":
                return self._batch()
        if kind == "repeated":
            known.next = known.last
        elif kind == "gap":
            known.next += 1
        elif kind == "new epoch":
            known.epoch, known.next = known.epoch + 1, 0
        known.last, known.next = known.next, known.next + 1
        takes_long = kind == "takes long in transaction"
        return self._batch(
            values=[bytes(3 << 20)] if takes_long else None,
            codec=Codec.ZSTD if takes_long else Codec.NONE,
            producer_id=client.producer_id,
            producer_epoch=max(0, known.epoch - (kind == "old epoch")),
            base_sequence=known.last,
            transactional=takes_long or kind == "transactional",
        )

    def start_again(self, client: Client, index: int) -> None:
        """As a producer that was refused and has a new epoch: what it sends next is in order."""
        known = self.sequences.setdefault((client.producer_id, index), Sequences())
        known.epoch, known.next = known.epoch + 1, 0

    def _batch(self, values: list[bytes] | None = None, timestamp: int | None = None, **fields: int) -> bytes:
        records = [Record(at, 0, None, value) for at, value in enumerate(values or [b"value"])]
        return bytes(build_batch(records, base_timestamp=self.now_ms if timestamp is None else timestamp, **fields))


def _changed(batch: bytes, at: int) -> bytes:
    changed = bytearray(batch)
    changed[at] ^= 1
    return bytes(changed)
