"""What a schema refers to and what refers to it, as a graph: so many steps and schemas, and whether that was all."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from riacho.console.parts import Parts
from riacho.console.services.schema_registry import SchemaRegistry
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.errors import ApiError

_NODES_MAX = 60

_Place = tuple[str, int]


class SchemaNode(msgspec.Struct):
    subject: str
    version: int
    id: int
    type: str


class SchemaEdge(msgspec.Struct):
    """`name`: what the one calls the other. Ends are `subject/version`."""

    source: str = msgspec.field(name="from")
    target: str = msgspec.field(name="to")
    name: str


class SchemaGraph(msgspec.Struct):
    nodes: list[SchemaNode]
    edges: list[SchemaEdge]
    # There are more than these.
    is_cut: bool


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get(call: Call) -> Response:
        registry = parts.clusters.of(call).services.schema_registry
        subject = call.segment("s")
        version = call.integer("version", 0, 31)
        if version == 0:
            versions = (await registry.summary(subject)).versions
            version = versions[-1] if versions else 1
        return json_answer(await _graph(registry, (subject, version)))

    return [
        Endpoint("GET", "/api/v1/clusters/{c}/schemas/{s}/references", get,
                 "What a version refers to, and what refers to it.", tag="schemas",
                 query=(Query("version", int, "The latest without it."),), answers={200: SchemaGraph}),
    ]  # fmt: skip


async def _graph(registry: SchemaRegistry, start: _Place) -> SchemaGraph:
    """Downwards as far as it goes, upwards the same; each schema is asked for once."""
    nodes: dict[_Place, SchemaNode] = {}
    edges: dict[tuple[_Place, _Place], SchemaEdge] = {}
    is_cut = False
    # One that was found on the way down may be found again on the way up, and is asked for what uses it then.
    asked_up: set[_Place] = set()
    waiting: list[tuple[_Place, bool]] = [(start, True)]
    while waiting:
        place, goes_up = waiting.pop(0)
        if place not in nodes:
            if len(nodes) >= _NODES_MAX:
                is_cut = True
                break
            found = await registry.version(*place)
            nodes[place] = SchemaNode(found.subject, found.version, found.id, found.type)
            for each in found.references:
                target = (each.subject, each.version)
                edges[place, target] = SchemaEdge(_key(place), _key(target), each.name)
                waiting.append((target, False))
        if goes_up and place not in asked_up:
            asked_up.add(place)
            waiting += [(holder, True) for holder in await _users(registry, place)]
    known = {_key(place) for place in nodes}
    return SchemaGraph(
        list(nodes.values()), [edge for edge in edges.values() if edge.source in known and edge.target in known], is_cut
    )


async def _users(registry: SchemaRegistry, place: _Place) -> list[_Place]:
    found: list[_Place] = []
    for schema_id in (await registry.referenced_by(*place))[:_NODES_MAX]:
        try:
            found += await registry.holders(schema_id)
        except ApiError as error:
            # Deleted since.
            if error.status != 404:
                raise
    return found


def _key(place: _Place) -> str:
    return f"{place[0]}/{place[1]}"
