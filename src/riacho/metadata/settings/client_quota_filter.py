"""Which client quotas a filter asks for (DescribeClientQuotas, KIP-546).

A component names a kind of entity and asks for one name, for the default, or for any. Entities with further parts
match too, unless the filter is strict.
"""

from __future__ import annotations

from collections.abc import Sequence

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.client_quotas import CLIENT_ID, IP, USER, ClientQuotas, QuotaEntity
from riacho.wire.messages.describe_client_quotas_request import ComponentData, DescribeClientQuotasRequest
from riacho.wire.messages.describe_client_quotas_response import (
    DescribeClientQuotasResponse,
    EntityData,
    EntryData,
    ValueData,
)

_ANY_NAME = object()
_VALUE_ORDER = ("producer_byte_rate", "consumer_byte_rate", "controller_mutation_rate", "request_percentage")


def describe_client_quotas(quotas: ClientQuotas, request: DescribeClientQuotasRequest) -> DescribeClientQuotasResponse:
    wanted = _parsed(request.components)
    entries = [
        EntryData(
            entity=[EntityData(entity_type=kind, entity_name=name) for kind, name in entity],
            values=[ValueData(key=key, value=values[key]) for key in sorted(values, key=_place)],
        )
        for entity, values in quotas.items()
        if _matches(entity, wanted, request.strict)
    ]
    return DescribeClientQuotasResponse(entries=entries)


def _place(key: str) -> tuple[int, str]:
    """Values come in the order in which Apache Kafka tells them, whatever order they were set in."""
    return (_VALUE_ORDER.index(key) if key in _VALUE_ORDER else len(_VALUE_ORDER), key)


def _matches(entity: QuotaEntity, wanted: dict[str, object], strict: bool) -> bool:
    parts = dict(entity)
    if strict and len(parts) != len(wanted):
        return False
    return all(kind in parts and name in (_ANY_NAME, parts[kind]) for kind, name in wanted.items())


def _parsed(components: Sequence[ComponentData]) -> dict[str, object]:
    wanted: dict[str, object] = {}
    for component in components:
        kind = component.entity_type
        if not kind:
            raise _invalid("Invalid empty entity type.")
        if kind in wanted:
            raise _invalid(f"Entity type {kind} cannot appear more than once in the filter.")
        if kind not in (USER, CLIENT_ID, IP):
            raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, f"Unsupported entity type {kind}")
        wanted[kind] = _name(component)
    if IP in wanted and len(wanted) > 1:
        raise _invalid(
            "Invalid entity filter component combination. IP filter component should not be used with user or "
            "clientId filter component."
        )
    return wanted


def _name(component: ComponentData) -> object:
    match component.match_type:
        case 0:
            if component.match is None:
                raise _invalid("Request specified MATCH_TYPE_EXACT, but set match string to null.")
            return component.match
        case 1:
            if component.match is not None:
                raise _invalid("Request specified MATCH_TYPE_DEFAULT, but also specified a match string.")
            return None
        case 2:
            if component.match is not None:
                raise _invalid("Request specified MATCH_TYPE_SPECIFIED, but also specified a match string.")
            return _ANY_NAME
        case unknown:
            raise _invalid(f"Unknown match type {unknown}")


def _invalid(problem: str) -> KafkaError:
    return KafkaError(ErrorCode.INVALID_REQUEST, problem)
