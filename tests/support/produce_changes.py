"""What may change between two produce requests: whatever a fast path does not ask about, or may not survive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from riacho.base.acl import AclBinding, AclOperation, AclPermission, AclResourceType, PatternType
from riacho.metadata.image.acl_records import acl_record
from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.image.image import MetadataRecord
from riacho.wire.messages.client_quota_record import ClientQuotaRecord, EntityData
from riacho.wire.messages.config_record import ConfigRecord
from riacho.wire.messages.partition_change_record import PartitionChangeRecord
from riacho.wire.messages.remove_access_control_entry_record import RemoveAccessControlEntryRecord
from support.led_partition import NODE
from support.produce_batches import HOUR_MS
from support.produce_world import ALONE, OTHER, REPLICATED, TOPIC, TOPIC_ID, ProduceWorld

TRANSACTIONAL_ID = "x"


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


def happens(name: str, act: Callable[[ProduceWorld], None]) -> Change:
    """What cannot be undone."""
    return Change(name, act, lambda world: None)


def _transactions_end(world: ProduceWorld) -> None:
    for index in (REPLICATED, ALONE):
        for producer in list(world.partition(index).log.producer_state.producers):
            world.end_transaction(producer.producer_id, producer.epoch, index)


def _coordinator_refuses(is_refused: bool) -> Callable[[ProduceWorld], None]:
    def say(world: ProduceWorld) -> None:
        world.is_refused_by_coordinator = is_refused

    return say


def _records_are_deleted(world: ProduceWorld) -> None:
    world.replicate()
    for index in (REPLICATED, ALONE):
        world.delete_records(index)


def _producers_are_forgotten(world: ProduceWorld) -> None:
    for index in (REPLICATED, ALONE):
        world.forget_producers(index)


TRANSACTIONS_END = happens("transactions end", _transactions_end)
NEEDS_TWO = setting("min.insync.replicas", "2")
ISR_SHRINKS = role(REPLICATED, isr=[NODE])
TRANSACTIONAL_ID_IS_DENIED = denial(b"2" * 16, AclResourceType.TRANSACTIONAL_ID, TRANSACTIONAL_ID)
CHANGES = (
    both(NEEDS_TWO, ISR_SHRINKS),
    denial(b"1" * 16, AclResourceType.TOPIC, TOPIC),
    TRANSACTIONAL_ID_IS_DENIED,
    quota("c", 1.0),
    quota("c", 1e9),
    quota("elsewhere", 20.0),
    setting("message.timestamp.type", "LogAppendTime"),
    setting("message.timestamp.before.max.ms", str(HOUR_MS)),
    setting("max.message.bytes", "300"),
    setting("compression.type", "lz4"),
    NEEDS_TWO,
    role(REPLICATED, leader=OTHER),
    ISR_SHRINKS,
    role(REPLICATED, leader=-1),
    role(ALONE, leader=-1),
    level("DEBUG"),
    level("ERROR"),
    Change("session", ProduceWorld.authenticate_again, ProduceWorld.authenticate_again),
    happens("replication", ProduceWorld.replicate),
    TRANSACTIONS_END,
    both(Change("no transaction", _coordinator_refuses(True), _coordinator_refuses(False)), TRANSACTIONS_END),
    happens("records are deleted", _records_are_deleted),
    happens("producers are forgotten", _producers_are_forgotten),
)
