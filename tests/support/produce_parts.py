"""What serves produce requests, over the replicas that a test has."""

from __future__ import annotations

from typing import Any

from riacho.broker.produce.produce_parts import open_produce


def endpoint_of(node_id: int, listener_name: str) -> tuple[str, int]:
    return f"host-{node_id}", 9092


def serve_produce(broker: Any, replicas: Any, coordinators: Any = None, metadata: Any = None) -> None:
    """Give a broker that has clock, loop, logs, quotas and metrics what the handler of produce asks for."""
    broker.replicas = replicas
    broker.produce = open_produce(
        replicas,
        metadata,
        coordinators,
        broker.quotas,
        endpoint_of,
        clock=broker.clock,
        loop=broker.loop,
        executor=None,  # type: ignore[arg-type]
        logs=broker.logs,
        metrics=broker.metrics,
    )


def open_fast_path(connection: Any, frame: bytes, request: Any, outcome: Any) -> None:
    """As after a request like this one that was served the usual way."""
    offered = connection.service.fast_paths.offer(connection.context, bytearray(frame), request, outcome)
    if offered is not None:
        connection.keep_fast_path(offered)
