"""Quotas of users, clients and addresses, asked for and changed (KIP-546)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from riacho.client.cluster import Cluster, check

if TYPE_CHECKING:
    from riacho.wire.messages.describe_client_quotas_response import EntryData

USER, CLIENT_ID, IP = "user", "client-id", "ip"
CLIENT_KEYS = frozenset({"producer_byte_rate", "consumer_byte_rate", "request_percentage", "controller_mutation_rate"})
IP_KEYS = frozenset({"connection_creation_rate"})
_EXACT, _DEFAULT, _ANY = 0, 1, 2


class QuotaSubject(NamedTuple):
    """One part of whom a quota is for; "" is the default of that kind, and in a question None is all of it."""

    kind: str
    name: str | None


def describe_quotas(cluster: Cluster, subjects: Sequence[QuotaSubject], *, is_strict: bool = True) -> list[EntryData]:
    """Of exactly these kinds, or without strictness of these and others; none at all: every quota there is."""
    from riacho.wire.messages.describe_client_quotas_request import ComponentData, DescribeClientQuotasRequest
    from riacho.wire.messages.describe_client_quotas_response import DescribeClientQuotasResponse

    components = [
        ComponentData(
            entity_type=subject.kind,
            match_type=_ANY if subject.name is None else _EXACT if subject.name else _DEFAULT,
            match=subject.name or None,
        )
        for subject in subjects
    ]

    def work() -> DescribeClientQuotasResponse:
        request = DescribeClientQuotasRequest(components=components, strict=is_strict)
        response = cluster.ask(request, DescribeClientQuotasResponse)
        check(response.error_code, response.error_message)
        return response

    return cluster.retry(work).entries or []


def alter_quotas(
    cluster: Cluster, subjects: Sequence[QuotaSubject], rates: Mapping[str, float], removed: Iterable[str]
) -> None:
    from riacho.wire.messages.alter_client_quotas_request import (
        AlterClientQuotasRequest,
        EntityData,
        EntryData,
        OpData,
    )
    from riacho.wire.messages.alter_client_quotas_response import AlterClientQuotasResponse

    entry = EntryData(
        entity=[EntityData(entity_type=subject.kind, entity_name=subject.name or None) for subject in subjects],
        ops=[
            *(OpData(key=key, value=value) for key, value in rates.items()),
            *(OpData(key=key, remove=True) for key in removed),
        ],
    )

    def work() -> None:
        request = AlterClientQuotasRequest(entries=[entry])
        response = cluster.ask(request, AlterClientQuotasResponse, cluster.controller())
        for result in response.entries:
            check(result.error_code, result.error_message)

    cluster.retry(work)
