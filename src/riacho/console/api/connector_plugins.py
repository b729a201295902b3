"""Plugins of Connect's workers: which there are, what each can be told (for a form), whether a config is right."""

from __future__ import annotations

from typing import Annotated

import msgspec
from starlette.responses import Response

from riacho.console.door.door import caller_of
from riacho.console.door.roles import Role
from riacho.console.parts import Parts
from riacho.console.services.connect import Connect, Definition, PluginInfo, Validated, Validation
from riacho.console.services.connector_secrets import HIDDEN, is_reference
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

_SETTINGS_MAX = 1_000


class PluginForm(msgspec.Struct, rename={"class_name": "class"}):
    class_name: str
    # In the order in which they are to be shown.
    groups: list[str]
    settings: list[Definition]


class Draft(msgspec.Struct, forbid_unknown_fields=True):
    config: Annotated[dict[str, str], msgspec.Meta(max_length=_SETTINGS_MAX)]
    # The connector that it is to become the config of, whose secrets it may hold as dots.
    connector: str | None = None


def endpoints(parts: Parts) -> list[Endpoint]:
    def connect_of(call: Call) -> Connect:
        return parts.clusters.of(call).services.connect

    async def get_all(call: Call) -> Response:
        return json_answer((await connect_of(call).plugins.now()).value)

    async def get(call: Call) -> Response:
        class_name = call.segment("class")
        settings = await connect_of(call).definition(class_name)
        groups = list(dict.fromkeys(each.group for each in settings if each.group))
        return json_answer(PluginForm(class_name, groups, settings))

    async def post_validate(call: Call) -> Response:
        connect, class_name = connect_of(call), call.segment("class")
        draft: Draft = await call.read(Draft)
        config = {**draft.config, "connector.class": class_name}
        # A plugin may log in where the config says, so only who may store the config gets the stored secrets tried.
        if draft.connector is not None and caller_of(call).role >= Role.ADMIN:
            config = await _restored(connect, draft.connector, config)
        return json_answer(_shown(await connect.validate(class_name, config)))

    base = "/api/v1/clusters/{c}/connector-plugins"
    return [
        Endpoint("GET", base, get_all, "Plugins for connectors.", tag="connectors", answers={200: list[PluginInfo]}),
        Endpoint("GET", base + "/{class}", get, "What one can be told.", tag="connectors", answers={200: PluginForm}),
        Endpoint("POST", base + "/{class}/validate", post_validate, "Whether a config is right; stores nothing.",
                 tag="connectors", body=Draft, answers={200: Validation}),
    ]  # fmt: skip


async def _restored(connect: Connect, name: str, config: dict[str, str]) -> dict[str, str]:
    try:
        before = (await connect.one(name)).info.config
    except ApiError as error:
        if error.status == 404:
            return config
        raise
    return (await connect.secrets(before)).restored(config)


def _shown(found: Validation) -> Validation:
    return Validation(found.error_count, found.groups, [_one(each) for each in found.configs])


def _one(each: Validated) -> Validated:
    value = each.value
    if not each.definition.is_password or not value.value or is_reference(value.value):
        return each
    # Errors may quote what they are about.
    errors = [text.replace(value.value, HIDDEN) for text in value.errors]
    return Validated(each.definition, msgspec.structs.replace(value, value=HIDDEN, errors=errors))
