"""Connect's workers as the console asks them: connectors with what they are at in one call, plugins and what they can
be told, changes, offsets (KIP-875)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from riacho.base.lru_cache import LruCache
from riacho.console.services.connector_secrets import Secrets, is_called_secret
from riacho.console.services.http_service import HttpService
from riacho.console.services.kept import Kept
from riacho.web.errors import ApiError

_KEEP_MS = 2_000
_PLUGINS_KEEP_MS = 60_000
_DEFINITIONS_MAX = 200
# A plugin may look at a database before it says whether a config is right.
_VALIDATE_TIMEOUT_S = 60.0
_CLASS = "connector.class"


class State(msgspec.Struct):
    state: str
    worker_id: str = ""
    trace: str | None = None


class TaskState(State, kw_only=True):
    id: int


class Status(msgspec.Struct):
    connector: State
    tasks: list[TaskState] = []
    type: str = "unknown"


class Info(msgspec.Struct):
    config: dict[str, str] = {}
    type: str = "unknown"


class Expanded(msgspec.Struct):
    """What `expand` tells of a connector; without a status where nobody has taken it up yet."""

    info: Info
    status: Status | None = None


class PluginInfo(msgspec.Struct, rename={"class_name": "class"}):
    class_name: str
    type: str = "unknown"
    version: str | None = None


class Definition(msgspec.Struct):
    """One setting of a plugin (KIP-769)."""

    name: str
    type: str = "STRING"
    required: bool = False
    default_value: str | None = None
    importance: str = "LOW"
    documentation: str = ""
    group: str | None = None
    order_in_group: int = -1
    width: str = "NONE"
    display_name: str = ""
    dependents: list[str] = []

    @property
    def is_password(self) -> bool:
        return self.type == "PASSWORD" or is_called_secret(self.name)


class Value(msgspec.Struct):
    name: str
    value: str | None = None
    recommended_values: list[str | None] = []
    errors: list[str] = []
    visible: bool = True


class Validated(msgspec.Struct):
    definition: Definition
    value: Value


class Validation(msgspec.Struct):
    error_count: int
    groups: list[str]
    configs: list[Validated]


class OffsetPair(msgspec.Struct):
    partition: dict[str, Any]
    # None takes it away.
    offset: dict[str, Any] | None = None


class Offsets(msgspec.Struct):
    offsets: list[OffsetPair] = []


class _Message(msgspec.Struct):
    message: str = ""


class Connect:
    def __init__(self, service: HttpService) -> None:
        self._service = service
        self.all: Kept[dict[str, Expanded]] = Kept(self._all, _KEEP_MS)
        self.plugins: Kept[list[PluginInfo]] = Kept(self._plugins, _PLUGINS_KEEP_MS)
        self._definitions: LruCache[str, list[Definition]] = LruCache(_DEFINITIONS_MAX)

    @property
    def is_there(self) -> bool:
        return bool(self._service.urls)

    def close(self) -> None:
        self._service.close()

    async def _all(self) -> dict[str, Expanded]:
        found = await self._service.get("connectors", query={"expand": ("status", "info")})
        shaped: dict[str, Expanded] = self._service.shaped(found, dict[str, Expanded])
        return dict(sorted(shaped.items()))

    async def one(self, name: str) -> Expanded:
        """As it is now. ApiError 404."""
        info = self._service.shaped(await self._service.get("connectors", name), Info)
        try:
            status = self._service.shaped(await self._service.get("connectors", name, "status"), Status)
        except ApiError as error:
            if error.status != 404:
                raise
            status = None
        return Expanded(info, status)

    async def topics(self, name: str) -> list[str] | None:
        """None where workers do not keep them."""
        try:
            found = await self._service.get("connectors", name, "topics")
        except ApiError as error:
            if error.status in (403, 404):
                return None
            raise
        told: dict[str, _Topics] = self._service.shaped(found, dict[str, _Topics])
        return sorted({topic for each in told.values() for topic in each.topics})

    async def pipelines(self) -> list[dict[str, Any]]:
        """Riacho's own figures; none from other workers."""
        try:
            found = await self._service.get("pipelines")
        except ApiError as error:
            if error.status == 404 and self.is_there:
                return []
            raise
        told: list[dict[str, Any]] = self._service.shaped(found, list[dict[str, Any]])
        return told

    # Plugins

    async def _plugins(self) -> list[PluginInfo]:
        found: list[PluginInfo] = self._service.shaped(await self._service.get("connector-plugins"), list[PluginInfo])
        return sorted((each for each in found if each.type in ("source", "sink")), key=lambda each: each.class_name)

    async def definition(self, class_name: str) -> list[Definition]:
        """What a plugin can be told; asked of validation where a worker is older than KIP-769."""
        kept = self._definitions.get(class_name)
        if kept is not None:
            return kept
        try:
            found = await self._service.get("connector-plugins", class_name, "config")
            told: list[Definition] = self._service.shaped(found, list[Definition])
        except ApiError as error:
            if error.status not in (404, 405):
                raise
            told = [each.definition for each in (await self.validate(class_name, {_CLASS: class_name})).configs]
        return self._definitions.put(class_name, told)

    async def validate(self, class_name: str, config: Mapping[str, str]) -> Validation:
        path = ("connector-plugins", class_name, "config", "validate")
        found = await self._service.ask("PUT", *path, body=config, timeout_s=_VALIDATE_TIMEOUT_S)
        validation: Validation = self._service.shaped(found, Validation)
        return validation

    async def secrets(self, config: Mapping[str, str]) -> Secrets:
        try:
            told = await self.definition(config.get(_CLASS, ""))
        except ApiError:
            return Secrets(config, None)
        return Secrets(config, {each.name for each in told if each.is_password})

    # Changes

    async def create(self, name: str, config: Mapping[str, str], initial_state: str | None) -> None:
        body: dict[str, Any] = {"name": name, "config": config}
        if initial_state is not None:
            body["initial_state"] = initial_state
        await self._change("POST", "connectors", body=body, timeout_s=_VALIDATE_TIMEOUT_S)

    async def configure(self, name: str, config: Mapping[str, str]) -> None:
        await self._change("PUT", "connectors", name, "config", body=config, timeout_s=_VALIDATE_TIMEOUT_S)

    async def delete(self, name: str) -> None:
        await self._change("DELETE", "connectors", name)

    async def put_state(self, name: str, verb: str) -> None:
        """pause, resume or stop."""
        await self._change("PUT", "connectors", name, verb)

    async def restart(self, name: str, *, include_tasks: bool, only_failed: bool) -> None:
        query = {"includeTasks": str(include_tasks).lower(), "onlyFailed": str(only_failed).lower()}
        await self._change("POST", "connectors", name, "restart", query=query)

    async def restart_task(self, name: str, task: int) -> None:
        await self._change("POST", "connectors", name, "tasks", task, "restart")

    # Offsets

    async def offsets(self, name: str) -> list[OffsetPair]:
        offsets: Offsets = self._service.shaped(await self._service.get("connectors", name, "offsets"), Offsets)
        return offsets.offsets

    async def alter_offsets(self, name: str, pairs: list[OffsetPair]) -> str:
        """What the worker says of it."""
        return self._message(await self._change("PATCH", "connectors", name, "offsets", body={"offsets": pairs}))

    async def reset_offsets(self, name: str) -> str:
        return self._message(await self._change("DELETE", "connectors", name, "offsets"))

    def _message(self, found: Any) -> str:
        told: _Message = self._service.shaped(found or {}, _Message)
        return told.message

    async def _change(self, method: str, *names: str | int, **more: Any) -> Any:
        try:
            return await self._service.ask(method, *names, **more)
        finally:
            self.all.forget()


class _Topics(msgspec.Struct):
    topics: list[str] = []


def connect_service(urls: Iterable[str], timeout_s: float) -> HttpService:
    return HttpService("Connect", tuple(urls), timeout_s=timeout_s)
