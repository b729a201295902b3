"""SHOW and LIST: what there is, in the shapes of ksqlDB's answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from riacho.client.http_target import without_users
from riacho.pipelines.connect.secret_text import HIDDEN, is_secret
from riacho.pipelines.sql.functions.registry import Registry
from riacho.pipelines.sql.server import entities
from riacho.pipelines.sql.server.command_state import CommandState
from riacho.pipelines.sql.server.describing import Describing
from riacho.pipelines.sql.server.entities import Entity, entity, type_schema
from riacho.pipelines.sql.server.query_supervisor import QuerySupervisor
from riacho.pipelines.sql.server.session import Session, is_settable
from riacho.pipelines.sql.server.topics import Topics
from riacho.pipelines.sql.syntax.statements import Kind, Listed, Show

# Topics that brokers and services keep for themselves.
_INTERNAL = ("__", "_confluent", "_schemas", "_riacho", "connect-configs", "connect-offsets", "connect-status")


@dataclass(slots=True)
class Listing:
    state: CommandState
    supervisor: QuerySupervisor
    topics: Topics
    functions: Registry
    describing: Describing
    properties: Mapping[str, str]

    async def show(self, show: Show, text: str, session: Session) -> Entity:
        match show.what:
            case Listed.STREAMS | Listed.TABLES:
                kind = Kind.STREAM if show.what is Listed.STREAMS else Kind.TABLE
                if show.is_extended:
                    return await self.describing.all_of(kind, text)
                found = (each for each in self.state.catalogue.sources.values() if each.kind is kind)
                return entities.sources(text, kind, sorted(found, key=lambda each: each.name))
            case Listed.TOPICS:
                return await self._topics(show, text)
            case Listed.QUERIES:
                return self._queries(text, show.is_extended)
            case Listed.FUNCTIONS:
                return self._functions(text)
            case Listed.PROPERTIES:
                return self._properties(text, session)
            case Listed.TYPES:
                types = {name: type_schema(kind) for name, kind in sorted(self.state.catalogue.types.items())}
                return entity("type_list", text, types=types)
            case Listed.VARIABLES:
                listed = [{"name": name, "value": session.variables[name]} for name in session.variables]
                return entity("variables", text, variables=listed)
            case _:
                raise AssertionError("connectors are listed elsewhere")

    async def _topics(self, show: Show, text: str) -> Entity:
        found = await asyncio.to_thread(self.topics.all)
        wanted = [each for name, each in sorted(found.items()) if show.show_all or not name.startswith(_INTERNAL)]
        groups = await asyncio.to_thread(self.topics.readers) if show.is_extended else None
        return entities.topics(text, wanted, groups)

    def _queries(self, text: str, is_extended: bool) -> Entity:
        if is_extended:
            described = [self.describing.query(query_id) for query_id in sorted(self.state.catalogue.queries)]
            return entity("query_descriptions", text, queryDescriptions=described)
        listed = []
        for query_id, query in sorted(self.state.catalogue.queries.items()):
            status = self.supervisor.status_of(query)
            listed.append(
                {
                    "queryString": query.text,
                    "sinks": [query.sink],
                    "sinkKafkaTopics": [query.plan.write.topic],
                    "id": query_id,
                    "statusCount": {status: 1},
                    "queryType": "PERSISTENT",
                    "state": status,
                }
            )
        return entity("queries", text, queries=listed)

    def _functions(self, text: str) -> Entity:
        listed = [{"name": each.name, "type": each.kind, "category": each.category} for each in self.functions]
        return entity("function_names", text, functions=sorted(listed, key=lambda each: each["name"]))

    def _properties(self, text: str, session: Session) -> Entity:
        def row(name: str, value: str) -> dict[str, Any]:
            shown = HIDDEN if is_secret(name) else without_users(value)
            scope = "KSQL" if name.startswith("ksql.") else "EMBEDDED CONNECT WORKER" if "connect" in name else "KSQL"
            return {"name": name, "scope": scope, "value": shown, "editable": is_settable(name), "level": "SERVER"}

        merged = {**self.properties, **session.properties}
        return entity(
            "properties",
            text,
            properties=[row(name, value) for name, value in sorted(merged.items())],
            overwrittenProperties=sorted(session.properties),
            defaultProperties=[],
        )
