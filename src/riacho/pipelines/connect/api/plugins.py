"""`/connector-plugins`: what plugins there are, their settings, whether a config is right."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from riacho.pipelines.connect import errors
from riacho.pipelines.connect.api.service import Service
from riacho.pipelines.connect.api.table import Config, endpoint, read, texts
from riacho.pipelines.connect.api.version_range import fits
from riacho.pipelines.plugin import PLUGIN_VERSION
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query

_CONNECTORS_ONLY = Query("connectorsOnly", bool, "Whether to leave out converters, transforms and predicates.", True)
# Plugins too, which the worker's file names.
_POLICY, _POLICIES = "ConnectorClientConfigOverridePolicy", ("All", "None", "Principal")
_VERSION = Query("version", str, "A version or a range of them, as `[0.1,1.0)`: 400 where the plugin has none such.")


class PluginInfo(msgspec.Struct):
    type: str
    version: str
    class_: str = msgspec.field(name="class")


class ConfigKeyInfo(msgspec.Struct):
    name: str
    type: str
    required: bool
    default_value: str | None
    importance: str
    documentation: str
    group: str | None
    order_in_group: int
    width: str
    display_name: str
    dependents: list[str]


class ConfigValueInfo(msgspec.Struct):
    name: str
    value: str | None
    recommended_values: list[str]
    errors: list[str]
    visible: bool


class ConfigInfo(msgspec.Struct):
    definition: ConfigKeyInfo
    value: ConfigValueInfo


class ConfigInfos(msgspec.Struct):
    name: str
    error_count: int
    groups: list[str]
    configs: list[ConfigInfo]


def endpoints(service: Service) -> list[Endpoint]:
    catalog = service.catalog

    async def list_all(call: Call) -> Response:
        return json_answer(await catalog.plugins(is_all=not call.flag("connectorsOnly", True)))

    async def config(call: Call) -> Response:
        plugin = call.segment("plugin")
        found = await catalog.config_of(plugin)
        if found is None:
            is_policy = plugin.rpartition(".")[2].removesuffix(_POLICY) in _POLICIES
            raise errors.invalid_plugin(plugin) if is_policy else errors.unknown_plugin(plugin)
        wanted = (call.text("version") or "").strip()
        if wanted and not fits(PLUGIN_VERSION, wanted):
            raise errors.no_such_version(plugin, wanted, PLUGIN_VERSION)
        return json_answer(found)

    async def validate(call: Call) -> Response:
        plugin = call.segment("plugin")
        given = texts(await read(call, Config))
        asked = given.get("connector.class")
        if asked is not None and not await catalog.are_same(asked, plugin):
            raise errors.class_mismatch(asked, plugin)
        validated = await catalog.validate(plugin, {"connector.class": plugin, **given})
        answer: dict[str, Any] = validated.answer
        return json_answer(answer)

    one = "/connector-plugins/{plugin}"
    return [
        endpoint("GET", "/connector-plugins", list_all, "The plugins.", query=(_CONNECTORS_ONLY,),
                 answers={200: list[PluginInfo]}, codes=(400, 500)),
        endpoint("GET", f"{one}/config", config, "What a plugin can be told.", query=(_VERSION,),
                 answers={200: list[ConfigKeyInfo]}, codes=(400, 500)),
        endpoint("PUT", f"{one}/config/validate", validate, "Whether a config is right, setting by setting.",
                 body=Config, answers={200: ConfigInfos}, codes=(400, 500)),
    ]  # fmt: skip
