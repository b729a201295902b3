"""Connectors by statements: what Kafka Connect's own API is asked for them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from riacho.client.http_client import HttpClient
from riacho.client.http_target import HttpError
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.server.entities import Entity, entity
from riacho.pipelines.sql.syntax.statements import CreateConnector, DropConnector, Listed, PropertyValue

_TIMEOUT_S = 30.0
_NOT_FOUND = 404


@dataclass(slots=True)
class Connectors:
    """`url` is empty where the server has no address of a Connect."""

    url: str
    http: HttpClient

    async def create(self, create: CreateConnector, text: str) -> Entity:
        if create.if_not_exists and (await self._ask("GET", f"/connectors/{_part(create.name)}", absent=True)):
            return entity("warning_entity", text, message=f"Connector {create.name} already exists")
        config = {name: _text(value) for name, value in create.properties.items()}
        body = {"name": create.name, "config": {**config, "name": create.name}}
        return entity("connector_info", text, info=await self._ask("POST", "/connectors", body))

    async def drop(self, drop: DropConnector, text: str) -> Entity:
        path = f"/connectors/{_part(drop.name)}"
        if drop.if_exists and await self._ask("GET", path, absent=True) is None:
            return entity("warning_entity", text, message=f"Connector '{drop.name}' does not exist.")
        await self._ask("DELETE", path)
        return entity("drop_connector", text, connectorName=drop.name)

    async def describe(self, name: str, text: str) -> Entity:
        path = f"/connectors/{_part(name)}"
        info = await self._ask("GET", path)
        status = await self._ask("GET", f"{path}/status")
        topics = await self._ask("GET", f"{path}/topics", absent=True)
        return entity(
            "connector_description",
            text,
            connectorClass=info["config"].get("connector.class"),
            status=status,
            sources=[],
            topics=(topics or {}).get(name, {}).get("topics", []),
        )

    async def show(self, what: Listed, text: str) -> Entity:
        if what is Listed.CONNECTOR_PLUGINS:
            return entity(
                "connector_plugins_list", text, connectorsPlugins=await self._ask("GET", "/connector-plugins")
            )
        found = await self._ask("GET", "/connectors?expand=info&expand=status")
        wanted = {Listed.SOURCE_CONNECTORS: "source", Listed.SINK_CONNECTORS: "sink"}.get(what)
        listed = [
            {
                "name": name,
                "type": each["info"].get("type"),
                "className": each["info"]["config"].get("connector.class"),
                "state": _state(each["status"]),
            }
            for name, each in sorted(found.items())
            if wanted is None or each["info"].get("type") == wanted
        ]
        return entity("connector_list", text, connectors=listed)

    async def _ask(self, method: str, path: str, body: Any = None, *, absent: bool = False) -> Any:
        """The answer's JSON; None for what is not there, where it may be. KsqlError in Connect's words."""
        if not self.url:
            raise KsqlError("There is no Kafka Connect to ask: set ksql.connect.url in the server's settings.")
        sent = None if body is None else json.dumps(body).encode()
        headers = {"Accept": "application/json", **({"Content-Type": "application/json"} if sent else {})}
        try:
            answer = await asyncio.to_thread(
                partial(
                    self.http.request,
                    method,
                    self.url.rstrip("/") + path,
                    headers=headers,
                    body=sent,
                    timeout_s=_TIMEOUT_S,
                )
            )
        except HttpError as error:
            raise KsqlError(f"Kafka Connect cannot be reached: {error}.") from None
        if answer.status == _NOT_FOUND and absent:
            return None
        if answer.status >= 400:
            raise KsqlError(f"Failed to {_verb(method)} connector: {_message(answer.body)}")
        return json.loads(answer.body) if answer.body else None


def _part(name: str) -> str:
    return quote(name, safe="")


def _text(value: PropertyValue) -> str:
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def _state(status: Mapping[str, Any]) -> str:
    tasks = status.get("tasks", [])
    running = sum(task.get("state") == "RUNNING" for task in tasks)
    state = status.get("connector", {}).get("state", "UNKNOWN")
    return f"{state} ({running}/{len(tasks)} tasks RUNNING)" if tasks else str(state)


def _verb(method: str) -> str:
    return {"POST": "create", "DELETE": "drop"}.get(method, "query")


def _message(body: bytes) -> str:
    try:
        return str(json.loads(body)["message"])
    except (ValueError, KeyError, TypeError):
        return body[:500].decode(errors="replace")
