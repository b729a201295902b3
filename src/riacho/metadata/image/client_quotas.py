"""Client quotas (KIP-546): what users, client ids and addresses may use, kept in the metadata.

An entity is a user, a client id, a user with a client id, or an IP address; a name of None stands for the default of
its kind. Each has values by key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from riacho.wire.messages import client_quota_record as recorded
from riacho.wire.messages.client_quota_record import ClientQuotaRecord

USER, CLIENT_ID, IP = "user", "client-id", "ip"
PRODUCER_BYTE_RATE = "producer_byte_rate"
CONSUMER_BYTE_RATE = "consumer_byte_rate"
REQUEST_PERCENTAGE = "request_percentage"
CONTROLLER_MUTATION_RATE = "controller_mutation_rate"
CONNECTION_CREATION_RATE = "connection_creation_rate"

# Pairs of kind and name, by kind.
QuotaEntity = tuple[tuple[str, str | None], ...]
ClientQuotas = dict[QuotaEntity, dict[str, float]]

_NO_VALUES: dict[str, float] = {}


class EntityPart(Protocol):
    entity_type: str
    entity_name: str | None


def entity_of(parts: Iterable[EntityPart]) -> QuotaEntity:
    return tuple(sorted({part.entity_type: part.entity_name for part in parts}.items()))


def apply_quota(changed: ClientQuotas, record: ClientQuotaRecord) -> None:
    """Into `changed`, which is no image's yet; the values of an entity still are."""
    entity = entity_of(record.entity)
    values = dict(changed.get(entity, _NO_VALUES))
    if record.remove:
        values.pop(record.key, None)
    else:
        values[record.key] = record.value
    if values:
        changed[entity] = values
    else:
        changed.pop(entity, None)


def quota_records(quotas: ClientQuotas) -> Iterator[ClientQuotaRecord]:
    for entity, values in quotas.items():
        for key, value in values.items():
            yield quota_record(entity, key, value)


def quota_record(entity: QuotaEntity, key: str, value: float | None) -> ClientQuotaRecord:
    parts = [recorded.EntityData(entity_type=kind, entity_name=name) for kind, name in entity]
    return ClientQuotaRecord(entity=parts, key=key, value=value or 0.0, remove=value is None)
