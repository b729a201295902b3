"""Quotas of users, clients and addresses (KIP-546)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from starlette.responses import Response

from riacho.client.client_quotas import (
    CLIENT_ID,
    CLIENT_KEYS,
    IP,
    IP_KEYS,
    USER,
    QuotaSubject,
    alter_quotas,
    describe_quotas,
)
from riacho.client.cluster import Cluster
from riacho.console.door.audit_log import note
from riacho.console.parts import Parts
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

_KINDS = {"user": USER, "client_id": CLIENT_ID, "ip": IP}
_Name = Annotated[str, msgspec.Meta(max_length=500)]
_Key = Literal[
    "producer_byte_rate", "consumer_byte_rate", "request_percentage", "controller_mutation_rate",
    "connection_creation_rate"
]  # fmt: skip


class QuotaRow(msgspec.Struct):
    """Whom it is for: "" is the default of that kind, None: it is not about that."""

    user: str | None
    client_id: str | None
    ip: str | None
    rates: dict[str, float]


class WhoseQuota(msgspec.Struct, forbid_unknown_fields=True):
    user: _Name | None = None
    client_id: _Name | None = None
    ip: _Name | None = None

    def subjects(self) -> list[QuotaSubject]:
        """ApiError 422 where it is for nobody, or for what cannot be together."""
        given = {name: getattr(self, name) for name in _KINDS}
        found = [QuotaSubject(_KINDS[name], value) for name, value in given.items() if value is not None]
        if not found or (self.ip is not None and len(found) > 1):
            raise ApiError(422, 42220, "A quota is for a user, a client id or both, or for an address.")
        return found


class QuotaChange(WhoseQuota, forbid_unknown_fields=True):
    set: dict[_Key, Annotated[float, msgspec.Meta(gt=0)]] = {}
    unset: list[_Key] = []


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get(call: Call) -> Response:
        return json_answer(await parts.clusters.of(call).kafka.ask(_all))

    async def post(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        change: QuotaChange = await call.read(QuotaChange)
        subjects = change.subjects()
        keys = IP_KEYS if change.ip is not None else CLIENT_KEYS
        named = {*change.set, *change.unset}
        if not named or not named <= keys:
            raise ApiError(422, 42221, f"Give one of {', '.join(sorted(keys))}.")
        rates = {str(key): value for key, value in change.set.items()}
        note(call, quota=_noted(subjects), set=_listed(rates), unset=", ".join(change.unset))
        await cluster.kafka.ask(lambda c: alter_quotas(c, subjects, rates, change.unset))
        return no_content()

    async def delete(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        whose: WhoseQuota = await call.read(WhoseQuota)
        subjects = whose.subjects()
        note(call, quota=_noted(subjects))
        await cluster.kafka.ask(lambda c: _delete(c, subjects))
        return no_content()

    path = "/api/v1/clusters/{c}/quotas"
    return [
        Endpoint("GET", path, get, "Quotas.", tag="security", answers={200: list[QuotaRow]}),
        Endpoint("POST", path, post, "Set and unset rates of one.", tag="security", body=QuotaChange,
                 answers={204: None}),
        Endpoint("DELETE", path, delete, "Take one away whole.", tag="security", body=WhoseQuota,
                 answers={204: None}),
    ]  # fmt: skip


def _all(cluster: Cluster) -> list[QuotaRow]:
    rows = []
    for entry in describe_quotas(cluster, [], is_strict=False):
        names = {each.entity_type: each.entity_name or "" for each in entry.entity}
        rates = {each.key: each.value for each in sorted(entry.values, key=lambda value: value.key)}
        rows.append(QuotaRow(names.get(USER), names.get(CLIENT_ID), names.get(IP), rates))
    return sorted(rows, key=lambda row: (row.user or "", row.client_id or "", row.ip or ""))


def _delete(cluster: Cluster, subjects: list[QuotaSubject]) -> None:
    keys = [value.key for entry in describe_quotas(cluster, subjects) for value in entry.values]
    if keys:
        alter_quotas(cluster, subjects, {}, keys)


def _listed(rates: Mapping[str, float]) -> str:
    return ", ".join(f"{key}={value:.15g}" for key, value in rates.items())


def _noted(subjects: list[QuotaSubject]) -> str:
    return ", ".join(f"{each.kind}={each.name or '<default>'}" for each in subjects)
