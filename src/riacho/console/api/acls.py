"""Access control entries: who may do what to which resources (KIP-140)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from starlette.responses import Response

from riacho.base.acl import (
    AclBinding,
    AclFilter,
    AclOperation,
    AclPermission,
    AclResourceType,
    PatternType,
    name_of,
)
from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.acls import create_acls, delete_acls, describe_acls
from riacho.client.cluster import Cluster
from riacho.console.api.listing import PAGE_QUERY, Page, cut, fields_of
from riacho.console.api.now import now_ms
from riacho.console.door.audit_log import note
from riacho.console.parts import Parts
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint

_AT_ONCE_MAX = 500
_NAME = msgspec.Meta(min_length=1, max_length=1_000)
_SORTS = fields_of("principal", "resource_type", "resource_name", "pattern_type", "operation", "permission", "host")


class Acl(msgspec.Struct, forbid_unknown_fields=True):
    """In Kafka's words: TOPIC, LITERAL, READ, ALLOW..."""

    resource_type: Literal["TOPIC", "GROUP", "CLUSTER", "TRANSACTIONAL_ID", "DELEGATION_TOKEN", "USER"]
    resource_name: Annotated[str, _NAME]
    pattern_type: Literal["LITERAL", "PREFIXED"]
    principal: Annotated[str, _NAME]
    operation: Literal["ALL", "READ", "WRITE", "CREATE", "DELETE", "ALTER", "DESCRIBE", "CLUSTER_ACTION",
                       "DESCRIBE_CONFIGS", "ALTER_CONFIGS", "IDEMPOTENT_WRITE", "CREATE_TOKENS", "DESCRIBE_TOKENS",
                       "TWO_PHASE_COMMIT"]  # fmt: skip
    host: Annotated[str, _NAME] = "*"
    permission: Literal["ALLOW", "DENY"] = "ALLOW"


class AclRow(msgspec.Struct):
    resource_type: str
    resource_name: str
    pattern_type: str
    principal: str
    operation: str
    host: str
    permission: str


class AclPage(Page[AclRow]):
    # Without one everybody may do everything, and there are no entries.
    has_authorizer: bool


class Acls(msgspec.Struct, forbid_unknown_fields=True):
    acls: Annotated[list[Acl], msgspec.Meta(min_length=1, max_length=_AT_ONCE_MAX)]


class Changed(msgspec.Struct):
    count: int


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get(call: Call) -> Response:
        found = await parts.clusters.of(call).kafka.ask(lambda c: _found(c, AclFilter()))
        return json_answer(_page(call, found))

    async def get_of_topic(call: Call) -> Response:
        wanted = AclFilter(AclResourceType.TOPIC, call.segment("t"), PatternType.MATCH)
        found = await parts.clusters.of(call).kafka.ask(lambda c: _found(c, wanted))
        return json_answer(_page(call, found))

    async def post(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        given: Acls = await call.read(Acls)
        note(call, acls=_noted(given))
        await cluster.kafka.ask(lambda c: create_acls(c, [_binding(each) for each in given.acls]))
        return json_answer(Changed(len(given.acls)), 201)

    async def delete(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        given: Acls = await call.read(Acls)
        note(call, acls=_noted(given))
        gone = await cluster.kafka.ask(lambda c: delete_acls(c, [_filter(each) for each in given.acls]))
        return json_answer(Changed(gone))

    path = "/api/v1/clusters/{c}/acls"
    return [
        Endpoint("GET", path, get, "Access control entries.", tag="security", query=PAGE_QUERY,
                 answers={200: AclPage}),
        Endpoint("GET", "/api/v1/clusters/{c}/topics/{t}/acls", get_of_topic, "Those that are about a topic.",
                 tag="security", query=PAGE_QUERY, answers={200: AclPage}),
        Endpoint("POST", path, post, "Make some.", tag="security", body=Acls, answers={201: Changed}),
        Endpoint("DELETE", path, delete, "Take some away, each named in full.", tag="security", body=Acls,
                 answers={200: Changed}),
    ]  # fmt: skip


def _found(cluster: Cluster, wanted: AclFilter) -> list[AclBinding] | None:
    """None of brokers that have no authorizer."""
    try:
        return describe_acls(cluster, wanted)
    except KafkaError as error:
        if error.code is ErrorCode.SECURITY_DISABLED:
            return None
        raise


def _page(call: Call, found: list[AclBinding] | None) -> AclPage:
    rows = sorted((_row(each) for each in found or ()), key=msgspec.structs.astuple)
    part = cut(call, rows, _text, _SORTS, "principal")
    return AclPage(list(part.rows), part.total, part.page, part.page_size, now_ms(), None, found is not None)


def _text(row: AclRow) -> str:
    return f"{row.principal} {row.resource_name} {row.resource_type} {row.operation}"


def _row(acl: AclBinding) -> AclRow:
    return AclRow(
        name_of(AclResourceType, acl.resource_type),
        acl.name,
        name_of(PatternType, acl.pattern_type),
        acl.principal,
        name_of(AclOperation, acl.operation),
        acl.host,
        name_of(AclPermission, acl.permission),
    )


def _binding(acl: Acl) -> AclBinding:
    return AclBinding(
        AclResourceType[acl.resource_type],
        acl.resource_name,
        PatternType[acl.pattern_type],
        acl.principal,
        acl.host,
        AclOperation[acl.operation],
        AclPermission[acl.permission],
    )


def _filter(acl: Acl) -> AclFilter:
    """That very entry."""
    one = _binding(acl)
    return AclFilter(
        one.resource_type, one.name, one.pattern_type, one.principal, one.host, one.operation, one.permission
    )


def _noted(given: Acls) -> str:
    return "; ".join(
        f"{a.permission} {a.principal} {a.operation} {a.resource_type} {a.pattern_type} {a.resource_name} from {a.host}"
        for a in given.acls
    )
