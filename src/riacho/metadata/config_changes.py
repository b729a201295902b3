"""Changing settings: AlterConfigs (all at once) and IncrementalAlterConfigs (KIP-339: set, delete, append, subtract).

A resource changes as a whole or not at all; one refused resource does not touch the others of a request. Only what
differs becomes a record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from riacho.base.config import ConfigType, ServerKey, parse_value
from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.partitions.config_effects import check_min_isr, config_effects
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.metadata.settings.config_checks import check_entries, check_resource
from riacho.metadata.settings.configs import config_key
from riacho.wire.messages.config_record import ConfigRecord


class Operation(IntEnum):
    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


@dataclass(frozen=True, slots=True)
class Change:
    name: str
    operation: int
    value: str | None


@dataclass(frozen=True, slots=True)
class ResourceChange:
    """What one resource is to become. `replaces`: settings that are not named go (AlterConfigs)."""

    resource_type: int
    name: str
    changes: Sequence[Change]
    replaces: bool = False


@dataclass(frozen=True, slots=True)
class ChangeResult:
    resource_type: int
    name: str
    error: KafkaError | None = None


def decide_config_changes(
    image: MetadataImage, values: BrokerValues, asked: Sequence[ResourceChange]
) -> tuple[list[MetadataRecord], list[ChangeResult]]:
    count = Counter((change.resource_type, change.name) for change in asked)
    records: list[MetadataRecord] = []
    results = []
    for change in asked:
        error = None
        try:
            if count[change.resource_type, change.name] > 1:
                raise KafkaError(ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.")
            records += _decide_one(image, values, change)
        except KafkaError as refused:
            error = refused
        results.append(ChangeResult(change.resource_type, change.name, error))
    return [*records, *config_effects(image, values, records)], results


def _decide_one(image: MetadataImage, values: BrokerValues, asked: ResourceChange) -> list[MetadataRecord]:
    if len({change.name for change in asked.changes}) != len(asked.changes):
        raise KafkaError(ErrorCode.INVALID_REQUEST, "Error due to duplicate config keys")
    missing = [c.name for c in asked.changes if c.value is None and c.operation != Operation.DELETE]
    if missing:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"Null value not supported for : {', '.join(missing)}")
    check_resource(image, asked.resource_type, asked.name)
    before = image.overrides(asked.resource_type, asked.name)
    after = {} if asked.replaces else dict(before)
    for change in asked.changes:
        _apply(asked.resource_type, change, after)
    check_entries(asked.resource_type, asked.name, after, values, before)
    records: list[MetadataRecord] = []
    for record in _differences(asked, before, after):
        check_min_isr(image, record)
        records.append(record)
    return records


def _apply(resource_type: int, change: Change, entries: dict[str, str]) -> None:
    match change.operation:
        case Operation.SET:
            entries[change.name] = change.value or ""
        case Operation.DELETE:
            entries.pop(change.name, None)
        case Operation.APPEND | Operation.SUBTRACT:
            operation = Operation(change.operation)
            key = config_key(resource_type, change.name)
            if key is None or key.type is not ConfigType.LIST:
                problem = f"Can't {operation.name} to key {change.name} because its type is not LIST."
                raise KafkaError(ErrorCode.INVALID_CONFIG, problem)
            present = entries.get(change.name, key.default or "")
            merged = _merge(_items(key, present), _items(key, change.value or ""), operation)
            if merged != _items(key, present):
                entries[change.name] = ",".join(merged)
        case _:
            raise KafkaError(ErrorCode.INVALID_REQUEST, f"Unknown operation {change.operation} on {change.name}")


def _merge(present: list[str], given: list[str], operation: Operation) -> list[str]:
    """Sets, since a value of tens of thousands of items would else be compared with another."""
    if operation is Operation.SUBTRACT:
        gone = set(given)
        return [item for item in present if item not in gone]
    known = set(present)
    return present + [item for item in dict.fromkeys(given) if item not in known]


def _items(key: ServerKey, text: str) -> list[str]:
    items = parse_value(key.name, ConfigType.LIST, text)
    assert isinstance(items, list), key.name
    return items


def _differences(asked: ResourceChange, before: Mapping[str, str], after: Mapping[str, str]) -> Iterable[ConfigRecord]:
    for name in {**before, **after}:
        if before.get(name) != after.get(name):
            yield ConfigRecord(
                resource_type=asked.resource_type, resource_name=asked.name, name=name, value=after.get(name)
            )
