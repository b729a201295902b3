"""Access rules: searched, created one by one or many at a time, deleted by the same filters that search.

librdkafka knows topics, groups, transactional ids and the cluster; rules about delegation tokens and users are refused.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, TypeVar

import msgspec
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    ResourcePatternType,
    ResourceType,
)
from starlette.responses import Response

from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.v3.resource import CLUSTER, NO_CLUSTER, ClusterLinks, ListMetadata, Metadata, Text, cluster_links
from riacho.web.answers import json_answer, raw_json
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.errors import ApiError

E = TypeVar("E", bound=Enum)
_ACLS_MAX = 1_000
# What librdkafka calls a broker is the cluster in Kafka's words for access rules.
_TYPES = {"ANY": "ANY", "TOPIC": "TOPIC", "GROUP": "GROUP", "CLUSTER": "BROKER", "TRANSACTIONAL_ID": "TRANSACTIONAL_ID"}
_TYPE_NAMES = {ours: theirs for theirs, ours in _TYPES.items()}
_FILTERS = ("resource_type", "resource_name", "pattern_type", "principal", "host", "operation", "permission")


class Acl(msgspec.Struct):
    kind: str
    metadata: Metadata
    cluster_id: str
    resource_type: str
    resource_name: str
    pattern_type: str
    principal: str
    host: str
    operation: str
    permission: str


class AclList(msgspec.Struct):
    kind: str
    metadata: ListMetadata
    data: list[Acl]


class DeletedAcls(msgspec.Struct):
    data: list[Acl]


class CreateAcl(msgspec.Struct):
    resource_type: Text
    resource_name: Text
    pattern_type: Text
    principal: Text
    host: Text
    operation: Text
    permission: Text


class CreateAcls(msgspec.Struct):
    data: Annotated[list[CreateAcl], msgspec.Meta(min_length=1, max_length=_ACLS_MAX)]


def endpoints(proxy: Proxy) -> list[Endpoint]:
    admin = proxy.admin

    async def search(call: Call) -> Response:
        links = await cluster_links(proxy, call)
        wanted, asked = _filter(call)
        found = _acls(links, await admin.acls(wanted))
        return json_answer(AclList("KafkaAclList", ListMetadata(_url(links, asked)), found))

    async def create(call: Call) -> Response:
        links = await cluster_links(proxy, call)
        wanted: CreateAcl = await call.read(CreateAcl, is_lax=True)
        await admin.create_acls([_binding(wanted)])
        return raw_json(b"", 201, headers={"Location": _url(links, msgspec.to_builtins(wanted))})

    async def create_many(call: Call) -> Response:
        await cluster_links(proxy, call)
        wanted: CreateAcls = await call.read(CreateAcls, is_lax=True)
        # Each once: confluent-kafka answers by rule.
        await admin.create_acls(list(dict.fromkeys(map(_binding, wanted.data))))
        return raw_json(b"", 201)

    async def delete(call: Call) -> Response:
        links = await cluster_links(proxy, call)
        wanted, _ = _filter(call)
        if not any(call.text(name) for name in _FILTERS):
            raise ApiError(400, 400, "Deleting access rules takes a filter; to delete all, name resource_type=ANY.")
        return json_answer(DeletedAcls(_acls(links, await admin.delete_acls(wanted))))

    path = CLUSTER + "/acls"
    query = tuple(Query(name, str, "Only rules of this; ANY or nothing is all.") for name in _FILTERS)
    errors = {400: "There is no such type, pattern, operation or permission.", 40002: "No authorizer.", **NO_CLUSTER}
    return [
        Endpoint("GET", path, search, "Searches access rules.", query, answers={200: AclList}, errors=errors),
        Endpoint(
            "POST",
            path,
            create,
            "Creates an access rule.",
            body=CreateAcl,
            answers={201: None},
            errors=errors,
        ),
        Endpoint("DELETE", path, delete, "Deletes access rules.", query, answers={200: DeletedAcls}, errors=errors),
        Endpoint(
            "POST",
            path + ":batch",
            create_many,
            "Creates access rules.",
            body=CreateAcls,
            answers={201: None},
            errors=errors,
        ),
    ]


def _member(kind: type[E], field: str, text: str | None) -> E:
    name = (text or "ANY").upper()
    if kind is ResourceType:
        name = _TYPES.get(name, "UNKNOWN")
    if name == "UNKNOWN" or name not in kind.__members__:
        raise ApiError(400, 400, f"{field} cannot be {text}")
    return kind[name]


def _filter(call: Call) -> tuple[AclBindingFilter, dict[str, str]]:
    """And the same as the query of a URL."""
    kind = _member(ResourceType, "resource_type", call.text("resource_type"))
    pattern = _member(ResourcePatternType, "pattern_type", call.text("pattern_type"))
    operation = _member(AclOperation, "operation", call.text("operation"))
    permission = _member(AclPermissionType, "permission", call.text("permission"))
    name, principal, host = (call.text(field) or None for field in ("resource_name", "principal", "host"))
    values = (_TYPE_NAMES[kind.name], name, pattern.name, principal, host, operation.name, permission.name)
    asked = {field: value or "" for field, value in zip(_FILTERS, values, strict=True)}
    # Its types say str, its words that None matches any.
    wanted = AclBindingFilter(kind, name, pattern, principal, host, operation, permission)  # type: ignore[arg-type]
    return wanted, asked


def _binding(wanted: CreateAcl) -> AclBinding:
    try:
        return AclBinding(
            _member(ResourceType, "resource_type", wanted.resource_type),
            wanted.resource_name,
            _member(ResourcePatternType, "pattern_type", wanted.pattern_type),
            wanted.principal,
            wanted.host,
            _member(AclOperation, "operation", wanted.operation),
            _member(AclPermissionType, "permission", wanted.permission),
        )
    except ValueError:
        raise ApiError(400, 400, "A rule's type, pattern, operation and permission cannot be ANY or MATCH") from None


def _acls(links: ClusterLinks, found: list[AclBinding]) -> list[Acl]:
    acls = [_acl(links, each) for each in found]
    return sorted(acls, key=lambda acl: tuple(getattr(acl, name) for name in _FILTERS))


def _acl(links: ClusterLinks, found: Any) -> Acl:
    kind = _TYPE_NAMES.get(found.restype.name, found.restype.name)
    values = (
        kind,
        found.name,
        found.resource_pattern_type.name,
        found.principal,
        found.host,
        found.operation.name,
        found.permission_type.name,
    )
    url = _url(links, dict(zip(_FILTERS, values, strict=True)))
    return Acl("KafkaAcl", Metadata(url), links.cluster_id, *values)


def _url(links: ClusterLinks, query: dict[str, str]) -> str:
    return links.links.search("clusters", links.cluster_id, "acls", **query)
