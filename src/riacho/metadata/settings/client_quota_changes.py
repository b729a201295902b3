"""AlterClientQuotas (KIP-546) decided: entities and what to set or take away; each gets an answer of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.client_quotas import (
    CLIENT_ID,
    CONNECTION_CREATION_RATE,
    CONSUMER_BYTE_RATE,
    CONTROLLER_MUTATION_RATE,
    IP,
    PRODUCER_BYTE_RATE,
    REQUEST_PERCENTAGE,
    USER,
    ClientQuotas,
    QuotaEntity,
    entity_of,
    quota_record,
)
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.wire.messages import alter_client_quotas_response as altered
from riacho.wire.messages.alter_client_quotas_request import AlterClientQuotasRequest, OpData
from riacho.wire.messages.alter_client_quotas_response import AlterClientQuotasResponse

# By key: the name and the largest value of its type; None for one that need not be whole.
_Range = tuple[str, int] | None
_LONG, _INT = ("LONG", (1 << 63) - 1), ("INT", (1 << 31) - 1)
_CLIENT_KEYS: dict[str, _Range] = {
    PRODUCER_BYTE_RATE: _LONG,
    CONSUMER_BYTE_RATE: _LONG,
    REQUEST_PERCENTAGE: None,
    CONTROLLER_MUTATION_RATE: None,
}
_IP_KEYS: dict[str, _Range] = {CONNECTION_CREATION_RATE: _INT}
_EPSILON = 1e-6
_NO_VALUES: dict[str, float] = {}


def decide_alter_client_quotas(
    image: MetadataImage, request: AlterClientQuotasRequest, unknown_hosts: frozenset[str] = frozenset()
) -> Decision[MetadataRecord, AlterClientQuotasResponse]:
    """`unknown_hosts`: names among the IP entities that nobody could resolve."""
    records: list[MetadataRecord] = []
    answers: dict[QuotaEntity, altered.EntryData] = {}
    for entry in request.entries:
        entity = entity_of(entry.entity)
        parts = [altered.EntityData(entity_type=kind, entity_name=name) for kind, name in entity]
        answer = altered.EntryData(error_message=None, entity=parts)
        try:
            if entity in answers or len({op.key for op in entry.ops}) < len(entry.ops):
                raise _invalid(f"Ignoring duplicate entity {_text(entity)}")
            records += _changes(image.client_quotas, entity, entry.ops, unknown_hosts)
        except KafkaError as error:
            answer.error_code, answer.error_message = error.code, error.detail
        answers[entity] = answer
    reply = AlterClientQuotasResponse(entries=list(answers.values()))
    return Decision(reply=reply, records=[] if request.validate_only else records)


def _changes(
    quotas: ClientQuotas, entity: QuotaEntity, ops: Sequence[OpData], unknown_hosts: frozenset[str]
) -> list[MetadataRecord]:
    keys = _keys_for(entity, unknown_hosts)
    present = quotas.get(entity, _NO_VALUES)
    records: list[MetadataRecord] = []
    for op in ops:
        value = None if op.remove else op.value
        if value is not None:
            _check(keys, op.key, value)
        if present.get(op.key) != value:
            records.append(quota_record(entity, op.key, value))
    return records


def _keys_for(entity: QuotaEntity, unknown_hosts: frozenset[str]) -> dict[str, _Range]:
    kinds = {kind for kind, _ in entity}
    for kind, name in entity:
        if kind not in (USER, CLIENT_ID, IP):
            raise _invalid(f"Unhandled client quota entity type: {kind}")
        if name == "":
            raise _invalid(f"Empty {kind} not supported")
    if kinds == {IP}:
        name = entity[0][1]
        if name in unknown_hosts:
            raise _invalid(f"{name} is not a valid IP or resolvable host.")
        return _IP_KEYS
    if IP in kinds:
        problem = "Invalid quota entity combination, IP entity shouldnot be combined with User or ClientId"
        raise _invalid(problem)
    if not kinds:
        raise _invalid("Invalid empty client quota entity")
    return _CLIENT_KEYS


def _check(keys: dict[str, _Range], key: str, value: float) -> None:
    if key not in keys:
        raise _invalid(f"Invalid configuration key {key}")
    if value <= 0:
        raise _invalid(f"Quota {key} must be greater than 0")
    whole = keys[key]
    if whole is None:
        return
    name, value_max = whole
    if value > value_max:
        raise _invalid(f"Proposed value for {key} is too large for {'an' if name == 'INT' else 'a'} {name}.")
    if abs(math.floor(value + _EPSILON) - value) > _EPSILON:
        raise _invalid(f"{key} cannot be a fractional value.")


def _text(entity: QuotaEntity) -> str:
    """As Kafka prints an entity in its messages."""
    inside = ", ".join(f"{kind}={'null' if name is None else name}" for kind, name in entity)
    return f"ClientQuotaEntity(entries={{{inside}}})"


def _invalid(problem: str) -> KafkaError:
    return KafkaError(ErrorCode.INVALID_REQUEST, problem)
