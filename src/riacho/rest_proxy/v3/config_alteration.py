"""Configs changed: one set or reset, several of one resource, several of many topics."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)
from starlette.responses import Response

from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.v3.config_resource import ConfigLinks
from riacho.rest_proxy.v3.resource import NO_CLUSTER, Name, Text, cluster_links
from riacho.rest_proxy.v3.topics import PATH as TOPICS
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

_CHANGES_MAX = 1_000
_INVALID = {40002: "Kafka does not take a value."}

Value = Text | int | float | bool | None


class Change(msgspec.Struct):
    name: Name
    value: Value = None
    operation: Literal["SET", "DELETE", "set", "delete"] | None = None


Changes = Annotated[list[Change], msgspec.Meta(max_length=_CHANGES_MAX)]


class AlterConfigs(msgspec.Struct):
    data: Changes
    validate_only: bool = False


class TopicChanges(msgspec.Struct):
    topic_name: Name
    configs: Changes


class AlterTopics(msgspec.Struct):
    data: Annotated[list[TopicChanges], msgspec.Meta(max_length=_CHANGES_MAX)]
    validate_only: bool = False


class UpdateConfig(msgspec.Struct):
    value: Value = None


class Failure(msgspec.Struct):
    topic_name: str
    error_code: int
    message: str


class AlterTopicsAnswer(msgspec.Struct):
    """Of the topics where it failed; the others are changed."""

    failures: list[Failure]


def endpoints(
    proxy: Proxy,
    path: str,
    find: Callable[[Call], Awaitable[ConfigLinks]],
    about: str,
    errors: Mapping[int, str],
    segments: Mapping[str, type],
) -> list[Endpoint]:
    async def change(links: ConfigLinks, changes: list[Change], validate_only: bool = False) -> Response:
        if links.is_for_all_brokers:
            wanted = {each.name: _text(each) for each in changes}
            if wanted:
                await proxy.admin.alter_cluster_configs(wanted, validate_only=validate_only)
            return no_content()
        await _check_names(proxy, links, changes)
        if changes:
            resource = _altered(links.resource.restype, links.resource.name, changes)
            await proxy.admin.alter_configs([resource], validate_only=validate_only)
        return no_content()

    async def alter(call: Call) -> Response:
        links = await find(call)
        wanted: AlterConfigs = await call.read(AlterConfigs, is_lax=True)
        return await change(links, wanted.data, wanted.validate_only)

    async def update(call: Call) -> Response:
        links = await find(call)
        wanted: UpdateConfig = await call.read(UpdateConfig, is_lax=True)
        return await change(links, [Change(call.segment("name"), wanted.value, "SET")])

    async def reset(call: Call) -> Response:
        return await change(await find(call), [Change(call.segment("name"), operation="DELETE")])

    refusals = {**errors, **_INVALID}
    done = {204: None}
    name = path + "/{name}"
    return [
        Endpoint(
            "POST",
            path + ":alter",
            alter,
            f"Changes configs of {about}.",
            body=AlterConfigs,
            answers=done,
            errors=refusals,
            segments=segments,
        ),
        Endpoint(
            "PUT",
            name,
            update,
            f"Sets a config of {about}.",
            body=UpdateConfig,
            answers=done,
            errors=refusals,
            segments=segments,
        ),
        Endpoint(
            "DELETE", name, reset, f"Resets a config of {about}.", answers=done, errors=refusals, segments=segments
        ),
    ]


def of_many_topics(proxy: Proxy) -> Endpoint:
    async def alter(call: Call) -> Response:
        await cluster_links(proxy, call)
        wanted: AlterTopics = await call.read(AlterTopics, is_lax=True)
        failures: list[Failure] = []
        for each in wanted.data:
            resource = _altered(ResourceType.TOPIC, each.topic_name, each.configs)
            if not each.configs:
                continue
            try:
                await proxy.admin.alter_configs([resource], validate_only=wanted.validate_only)
            except ApiError as error:
                failures.append(Failure(each.topic_name, error.error_code, error.message))
        return json_answer(AlterTopicsAnswer(failures), 207) if failures else no_content()

    return Endpoint(
        "POST",
        TOPICS + "/-/configs:alter",
        alter,
        "Changes configs of several topics.",
        body=AlterTopics,
        answers={204: None, 207: AlterTopicsAnswer},
        errors=NO_CLUSTER,
    )


async def _check_names(proxy: Proxy, links: ConfigLinks, changes: list[Change]) -> None:
    """As the original: a config that does not exist is 404, and the others are not touched."""
    (known,) = await proxy.admin.configs([links.resource])
    for each in changes:
        if each.name not in known:
            raise ApiError(404, 404, f"Config {each.name} cannot be found for {links.shown}.")


def _altered(kind: Any, name: str, changes: list[Change]) -> ConfigResource:
    return ConfigResource(kind, name, incremental_configs=[_entry(change) for change in changes])


def _entry(change: Change) -> ConfigEntry:
    text = _text(change)
    operation = AlterConfigOpType.DELETE if text is None else AlterConfigOpType.SET
    return ConfigEntry(change.name, text, incremental_operation=operation)


def _text(change: Change) -> str | None:
    """The value to set; None to reset it."""
    if (change.operation or "SET").upper() == "DELETE":
        return None
    if change.value is None:
        raise ApiError(400, 40002, f"Config {change.name} has no value; to reset it, say DELETE.")
    return str(change.value).lower() if isinstance(change.value, bool) else str(change.value)
