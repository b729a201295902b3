"""Whatever producers send and whatever changes in between: a broker with fast paths answers, stores and counts to the
byte what one without them does."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, currently_in_test_context, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from riacho.base.acl import AclBinding, AclOperation, AclPermission, AclResourceType, PatternType
from riacho.metadata.image.acl_records import acl_record
from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.image.image import MetadataRecord
from riacho.wire.batch import seal
from riacho.wire.compression import Codec
from riacho.wire.messages.client_quota_record import ClientQuotaRecord, EntityData
from riacho.wire.messages.config_record import ConfigRecord
from riacho.wire.messages.partition_change_record import PartitionChangeRecord
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from riacho.wire.messages.remove_access_control_entry_record import RemoveAccessControlEntryRecord
from riacho.wire.records import Record, build_batch
from support.broker_fakes import request_frame
from support.led_partition import NODE
from support.produce_world import (
    ALONE,
    OTHER,
    REPLICATED,
    TOPIC,
    TOPIC_ID,
    FastConnection,
    ProduceWorld,
    UsualConnection,
)

TRANSACTIONAL_ID = "x"
HOUR_MS = 3_600_000
# What may be wrong with a batch, or unusual about it.
KINDS = (
    "plain", "plain", "plain", "several", "idempotent", "idempotent", "idempotent", "repeated", "gap", "new epoch",
    "old epoch", "transactional", "transactional", "corrupt", "base offset", "nothing", "no records", "short",
    "shorter", "too large", "long ago", "far ahead", "lz4", "gzip", "zstd", "append time", "miscounted", "takes long",
)  # fmt: skip


@dataclass(frozen=True)
class Change:
    """Of something that a fast path does not ask about, or may not survive."""

    name: str
    make: Callable[[ProduceWorld], None] = field(repr=False)
    undo: Callable[[ProduceWorld], None] = field(repr=False)


def published(name: str, made: MetadataRecord, undone: MetadataRecord) -> Change:
    return Change(name, lambda world: world.publish(made), lambda world: world.publish(undone))


def denial(acl_id: bytes, resource_type: AclResourceType, name: str) -> Change:
    denied = AclBinding(
        resource_type, name, PatternType.LITERAL, "User:ANONYMOUS", "*", AclOperation.WRITE, AclPermission.DENY
    )
    return published(
        f"denial {resource_type.name}", acl_record(acl_id, denied), RemoveAccessControlEntryRecord(id=acl_id)
    )


def setting(name: str, value: str) -> Change:
    made, undone = (
        ConfigRecord(resource_type=ResourceType.TOPIC, resource_name=TOPIC, name=name, value=each)
        for each in (value, None)
    )
    return published(f"{name}={value}", made, undone)


def quota(client_id: str, rate: float) -> Change:
    made, undone = (
        ClientQuotaRecord(
            entity=[EntityData(entity_type="client-id", entity_name=client_id)],
            key="producer_byte_rate",
            value=rate,
            remove=is_removed,
        )
        for is_removed in (False, True)
    )
    return published(f"quota {client_id} {rate}", made, undone)


def role(index: int, **changed: Any) -> Change:
    isr = [NODE, OTHER] if index == REPLICATED else [NODE]
    made, undone = (
        PartitionChangeRecord(partition_id=index, topic_id=TOPIC_ID, **fields)
        for fields in (changed, {"leader": NODE, "isr": isr})
    )
    return published(f"partition {index} {changed}", made, undone)


def level(name: str) -> Change:
    return Change(f"log level {name}", lambda world: world.log_level(name), lambda world: world.log_level("INFO"))


def both(first: Change, second: Change) -> Change:
    def make(world: ProduceWorld) -> None:
        first.make(world)
        second.make(world)

    def undo(world: ProduceWorld) -> None:
        second.undo(world)
        first.undo(world)

    return Change(f"{first.name}, {second.name}", make, undo)


CHANGES = (
    both(setting("min.insync.replicas", "2"), role(REPLICATED, isr=[NODE])),
    denial(b"1" * 16, AclResourceType.TOPIC, TOPIC),
    denial(b"2" * 16, AclResourceType.TRANSACTIONAL_ID, TRANSACTIONAL_ID),
    quota("c", 1.0),
    quota("c", 1e9),
    quota("elsewhere", 20.0),
    setting("message.timestamp.type", "LogAppendTime"),
    setting("message.timestamp.before.max.ms", str(HOUR_MS)),
    setting("max.message.bytes", "300"),
    setting("compression.type", "lz4"),
    setting("min.insync.replicas", "2"),
    role(REPLICATED, leader=OTHER),
    role(REPLICATED, isr=[NODE]),
    role(REPLICATED, leader=-1),
    role(ALONE, leader=-1),
    level("DEBUG"),
    level("ERROR"),
    Change("session", ProduceWorld.authenticate_again, ProduceWorld.authenticate_again),
)


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
        return self._batch(
            producer_id=client.producer_id,
            producer_epoch=max(0, known.epoch - (kind == "old epoch")),
            base_sequence=known.last,
            transactional=kind == "transactional",
        )

    def _batch(self, values: list[bytes] | None = None, timestamp: int | None = None, **fields: int) -> bytes:
        records = [Record(at, 0, None, value) for at, value in enumerate(values or [b"value"])]
        return bytes(build_batch(records, base_timestamp=self.now_ms if timestamp is None else timestamp, **fields))


def _changed(batch: bytes, at: int) -> bytes:
    changed = bytearray(batch)
    changed[at] ^= 1
    return bytes(changed)


clients = st.builds(
    Client,
    version=st.integers(3, 13),
    acks=st.sampled_from((1, -1)),
    client_id=st.sampled_from(("c", "d")),
    producer_id=st.sampled_from((7, 8)),
)


class TwoBrokers(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self._directory = tempfile.TemporaryDirectory()
        path = Path(self._directory.name)
        self.fast = ProduceWorld(path / "fast", FastConnection)
        self.usual = ProduceWorld(path / "usual", UsualConnection)
        self.worlds = (self.fast, self.usual)
        self.batches = Batches()
        self.correlation_id = 0
        self.clients: list[Client] = []

    def teardown(self) -> None:
        served = self.fast.served_fast
        if currently_in_test_context():
            event(f"fast: {'never' if not served else 'a few' if served < 5 else 'often'}")
        for world in self.worlds:
            world.close()
        self._directory.cleanup()

    @initialize(first=clients, second=clients, timeout_ms=st.sampled_from((1_500, 300)))
    def choose_clients(self, first: Client, second: Client, timeout_ms: int) -> None:
        """The second shares the layout of the first, so that both have their fast paths at a time."""
        self.clients = [first, replace(second, version=first.version, timeout_ms=timeout_ms)]

    @invariant()
    def both_did_the_same(self) -> None:
        fast, usual = self.fast.seen(), self.usual.seen()
        for name, value in usual.items():
            assert fast[name] == value, name

    # --- requests

    @rule(
        who=st.integers(0, 1),
        index=st.sampled_from((REPLICATED, REPLICATED, ALONE, ALONE, ALONE, 9)),
        kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=6),
        is_transactional=st.booleans(),
    )
    def produce(self, who: int, index: int, kinds: list[str], is_transactional: bool) -> None:
        client = self.clients[who]
        self._send([self._request(client, [(index, kind)], is_transactional) for kind in kinds], client)

    @rule(
        who=st.integers(0, 1),
        index=st.sampled_from((REPLICATED, ALONE)),
        kinds=st.lists(st.sampled_from(("plain", "idempotent", "repeated")), min_size=2, max_size=6),
    )
    def produce_well(self, who: int, index: int, kinds: list[str]) -> None:
        self.produce(who, index, kinds, False)

    @rule(who=st.integers(0, 1), kinds=st.lists(st.sampled_from(KINDS), min_size=2, max_size=2))
    def produce_to_both(self, who: int, kinds: list[str]) -> None:
        client = self.clients[who]
        self._send([self._request(client, list(zip((REPLICATED, ALONE), kinds, strict=True)), True)], client)

    @rule(other=clients, acks=st.sampled_from((-1, 0, 1, 2)), kind=st.sampled_from(KINDS))
    def produce_otherwise(self, other: Client, acks: int, kind: str) -> None:
        client = replace(other, acks=acks)
        self._send([self._request(client, [(ALONE, kind)], False)], client)

    def _request(self, client: Client, parts: list[tuple[int, str]], is_transactional: bool) -> ProduceRequest:
        data = [
            PartitionProduceData(index=index, records=self.batches.made(kind, client, index)) for index, kind in parts
        ]
        by_id = client.version >= 13
        topic = TopicProduceData(
            name="" if by_id else TOPIC, topic_id=TOPIC_ID if by_id else bytes(16), partition_data=data
        )
        return ProduceRequest(
            transactional_id=TRANSACTIONAL_ID if is_transactional else None,
            acks=client.acks,
            timeout_ms=client.timeout_ms,
            topic_data=[topic],
        )

    def _send(self, requests: list[ProduceRequest], client: Client) -> None:
        frames = []
        for request in requests:
            self.correlation_id += 1
            frames.append(request_frame(request, client.version, self.correlation_id, client.client_id))
        for world in self.worlds:
            world.receive(frames)

    # --- what changes in between

    @rule(
        change=st.sampled_from(CHANGES),
        who=st.integers(0, 1),
        index=st.sampled_from((REPLICATED, ALONE)),
        kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=4),
        is_transactional=st.booleans(),
        is_undone=st.sampled_from((True, True, True, False)),
    )
    def change(
        self, change: Change, who: int, index: int, kinds: list[str], is_transactional: bool, is_undone: bool
    ) -> None:
        """Between two requests of producers that were served well; mostly it does not last."""
        self.produce(who, index, ["plain", "plain"], is_transactional)
        self.produce(1 - who, index, ["plain", "plain"], is_transactional)
        for world in self.worlds:
            change.make(world)
        self.produce(who, index, ["plain", *kinds], is_transactional)
        self.produce(1 - who, index, ["plain"], is_transactional)
        if is_undone:
            for world in self.worlds:
                change.undo(world)

    @rule()
    def replicate(self) -> None:
        for world in self.worlds:
            world.replicate()

    @rule(index=st.sampled_from((REPLICATED, ALONE)), producer_id=st.sampled_from((7, 8)))
    def end_transaction(self, index: int, producer_id: int) -> None:
        epoch = self.batches.sequences.setdefault((producer_id, index), Sequences()).epoch
        for world in self.worlds:
            world.end_transaction(producer_id, epoch, index)

    @rule(index=st.sampled_from((REPLICATED, ALONE)))
    def delete_records(self, index: int) -> None:
        for world in self.worlds:
            world.delete_records(index)

    @rule(index=st.sampled_from((REPLICATED, ALONE)))
    def forget_producers(self, index: int) -> None:
        for world in self.worlds:
            world.forget_producers(index)

    @rule(ms=st.sampled_from((1, 400, 2_000, 70_000)))
    def pass_time(self, ms: int) -> None:
        self.batches.now_ms += ms
        for world in self.worlds:
            world.loop.pass_time(ms)


@pytest.mark.parametrize("index", [REPLICATED, ALONE])
@pytest.mark.parametrize("acks", [1, -1])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_each_change_counts_from_the_next_request_on(change: Change, acks: int, index: int) -> None:
    """As above, without chance: two clients have their fast paths when it comes, one in a transaction."""
    brokers = TwoBrokers()
    try:
        brokers.clients = [Client(9, acks, "c"), Client(9, acks, "d")]
        for is_transactional in (False, True):
            kind = "transactional" if is_transactional else "idempotent"
            for who in (0, 1):
                brokers.produce(who, index, [kind, kind, kind], is_transactional)
            assert brokers.fast.served_fast
            for world in brokers.worlds:
                change.make(world)
            for who in (1, 0, 1, 0):
                brokers.produce(who, index, [kind], is_transactional)
                brokers.both_did_the_same()
            for world in brokers.worlds:
                change.undo(world)
            brokers.pass_time(70_000)
            brokers.produce(0, index, [kind, "too large", "long ago", kind], is_transactional)
            # Of a transaction that is open, in a request that does not name it.
            brokers.produce(0, index, ["several", "several", "transactional"], False)
            brokers.both_did_the_same()
    finally:
        brokers.teardown()


TwoBrokers.TestCase.settings = settings(
    max_examples=200, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
test_both_ways_do_the_same = TwoBrokers.TestCase
