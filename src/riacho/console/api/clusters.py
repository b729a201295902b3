"""The clusters of this console, and how each fares."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from riacho.console.clusters.cluster import ConsoleCluster
from riacho.console.parts import Parts
from riacho.console.services.links import told_address
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint


class Has(msgspec.Struct):
    """What is beside the brokers."""

    schema_registry: bool
    connect: bool
    ksql: bool
    metrics: bool


class ClusterRow(msgspec.Struct):
    id: str
    name: str
    color: str | None
    # up, down, starting
    state: str
    reason: str | None
    as_of_ms: int | None
    is_riacho: bool
    kafka_version: str | None
    bootstrap_servers: str
    has: Has
    # For command lines: without login and query. null: there is none.
    registry_url: str | None
    connect_url: str | None
    ksql_url: str | None


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get(call: Call) -> Response:
        return json_answer([cluster_row(each) for each in parts.clusters])

    return [
        Endpoint("GET", "/api/v1/clusters", get, "The clusters, and how each fares.", tag="clusters",
                 answers={200: list[ClusterRow]}),
    ]  # fmt: skip


def cluster_row(cluster: ConsoleCluster) -> ClusterRow:
    config, watch = cluster.config, cluster.watch
    picture = watch.picture
    is_riacho = picture is not None and picture.is_riacho
    return ClusterRow(
        id=config.id,
        name=config.name,
        color=config.color,
        state=watch.state,
        reason=watch.reason,
        as_of_ms=None if picture is None else picture.as_of_ms,
        is_riacho=is_riacho,
        kafka_version=None if picture is None else picture.kafka_version,
        bootstrap_servers=config.client["bootstrap.servers"],
        has=Has(
            schema_registry=bool(config.schema_registry_urls),
            connect=bool(config.connect_urls),
            ksql=bool(config.ksql_urls),
            metrics=bool(config.metrics_urls),
        ),
        registry_url=told_address(config.schema_registry_urls),
        connect_url=told_address(config.connect_urls),
        ksql_url=told_address(config.ksql_urls),
    )
