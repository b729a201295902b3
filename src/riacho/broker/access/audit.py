"""The audit log: one line for each request that was denied something, one for each that changed the cluster.

    denied principal=User:bob host=10.1.2.3 client_id=app api=Produce version=12 needs=WRITE:TOPIC:orders
    change principal=User:ann host=10.1.2.9 client_id=cli api=DeleteTopics version=6 target=orders outcome=ok

A denial is written where it was decided: for what the controller decides, on the controller. A change is written where
the client asked for it, once. Names and kinds only: values of settings, passwords and tokens are not in here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from riacho.base.acl import AclOperation, AclPermission, AclResourceType, name_of
from riacho.base.errors import ErrorCode
from riacho.base.ids import ZERO_UUID, uuid_text
from riacho.base.log_fields import TEXT_MAX, quoted
from riacho.broker.requests.later import Later, Outcome, mapped

if TYPE_CHECKING:
    from riacho.broker.logs import Logs
    from riacho.broker.requests.api import Answer, Api, Request
    from riacho.broker.requests.request_context import RequestContext

_NAMES_MAX = 20


def audit_denials(logs: Logs, ctx: RequestContext, api: Api) -> None:
    denials, ctx.denials = ctx.denials, []
    needs = [f"{operation.name}:{kind.name}:{name}" for operation, kind, name in denials]
    logs.audit.info("denied %s needs=%s", _who(ctx, api), _listed(dict.fromkeys(needs)))


def audited(logs: Logs, ctx: RequestContext, api: Api, request: Request, outcome: Outcome[Answer]) -> Outcome[Answer]:
    """The outcome itself; when it is there, it is put on record."""
    if type(outcome) is not Later:
        _audit_change(logs, ctx, api, request, outcome)
        return outcome

    def gone() -> None:
        # The client did not wait; it may have come to pass all the same.
        _audit_change(logs, ctx, api, request, None)

    def arrived(response: Answer) -> Answer:
        _audit_change(logs, ctx, api, request, response)
        return response

    return mapped(outcome, arrived, on_abandon=gone)


def _audit_change(logs: Logs, ctx: RequestContext, api: Api, request: Request, response: Answer | None) -> None:
    codes = sorted(set(_codes(response)) - {0})
    names = [ErrorCode(code).name if code in ErrorCode._value2member_map_ else str(code) for code in codes]
    succeeded = "ok" if response is not None else "unknown"
    logs.audit.info(
        "change %s target=%s outcome=%s",
        _who(ctx, api),
        _listed(dict.fromkeys(CHANGES[api.key](request))),
        ",".join(names) or succeeded,
    )


def _who(ctx: RequestContext, api: Api) -> str:
    return (
        f"principal={quoted(ctx.principal[:TEXT_MAX])} host={quoted(ctx.client_host)} "
        f"client_id={quoted(ctx.client_id[:TEXT_MAX])} "
        f"api={api.name} version={ctx.version}"
    )


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    shown = ",".join(name[:TEXT_MAX] for name in listed[:_NAMES_MAX])
    return quoted(shown) + (f" more={len(listed) - _NAMES_MAX}" if len(listed) > _NAMES_MAX else "")


def _codes(response: object) -> Iterable[int]:
    for field in getattr(response, "FIELDS", ()):
        value = getattr(response, field.name)
        if field.name == "error_code":
            yield value
        elif isinstance(value, list):
            for item in value:
                yield from _codes(item)


def _named(field: str, name: str = "name") -> Callable[[Any], Iterable[str]]:
    return lambda request: (str(getattr(item, name)) for item in getattr(request, field) or ())


def _deleted_topics(request: Any) -> Iterable[str]:
    yield from request.topic_names
    for topic in request.topics:
        yield str(topic.name) if topic.topic_id == ZERO_UUID else uuid_text(topic.topic_id)


def _configs(request: Any) -> Iterable[str]:
    for resource in request.resources:
        for config in resource.configs:
            yield f"{resource.resource_type}:{resource.resource_name}:{config.name}"


def _created_acls(request: Any) -> Iterable[str]:
    for acl in request.creations:
        kind = name_of(AclResourceType, acl.resource_type)
        right = f"{name_of(AclPermission, acl.permission_type)}:{name_of(AclOperation, acl.operation)}"
        yield f"{acl.principal}:{right}:{kind}:{acl.resource_name}"


def _deleted_acls(request: Any) -> Iterable[str]:
    for wanted in request.filters:
        yield f"{wanted.principal_filter}:{name_of(AclResourceType, wanted.resource_type_filter)}:" + str(
            wanted.resource_name_filter
        )


def _quotas(request: Any) -> Iterable[str]:
    for entry in request.entries:
        yield "+".join(f"{part.entity_type}:{part.entity_name}" for part in entry.entity)


def _scram_users(request: Any) -> Iterable[str]:
    return (item.name for item in (*request.deletions, *request.upsertions))


def _group(request: Any) -> Iterable[str]:
    return (request.group_id,)


def _nothing(request: Any) -> Iterable[str]:
    return ()


# By API key: what the request would change.
CHANGES: dict[int, Callable[[Any], Iterable[str]]] = {
    19: _named("topics"),
    20: _deleted_topics,
    21: _named("topics"),
    30: _created_acls,
    31: _deleted_acls,
    33: _configs,
    34: lambda request: (topic.name for directory in request.dirs for topic in directory.topics),
    37: _named("topics"),
    38: _nothing,
    39: _nothing,
    40: _nothing,
    42: lambda request: request.groups_names,
    43: _named("topic_partitions", "topic"),
    44: _configs,
    45: _named("topics"),
    47: _group,
    49: _quotas,
    51: _scram_users,
    57: _named("feature_updates", "feature"),
    64: lambda request: (str(request.broker_id),),
    80: lambda request: (str(request.voter_id),),
    81: lambda request: (str(request.voter_id),),
    91: _group,
    92: _group,
}
