"""What serves produce requests of a broker that is a test's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riacho.broker.produce.produce_parts import open_produce
from support.parts import untouched

if TYPE_CHECKING:
    from riacho.broker.produce.transaction_verifier import TransactionVerifier
    from support.broker_fakes import FakeBroker


def endpoint_of(node_id: int, listener_name: str) -> tuple[str, int]:
    return f"host-{node_id}", 9092


def serve_produce(broker: FakeBroker, verifier: TransactionVerifier | None = None) -> None:
    """Give the broker what the handler of produce asks for, over the replicas, logs and loop that it has by now."""
    broker.produce = open_produce(
        broker.replicas,
        broker.metadata,
        verifier or untouched("verifier"),
        broker.quotas,
        endpoint_of,
        clock=broker.clock,
        loop=broker.loop,
        executor=untouched("executor"),
        logs=broker.logs,
        metrics=broker.metrics,
    )


def open_fast_path(connection: Any, frame: bytes, request: Any, outcome: Any) -> None:
    """As after a request like this one that was served the usual way."""
    offered = connection.service.fast_paths.offer(connection.context, bytearray(frame), request, outcome)
    if offered is not None:
        connection.keep_fast_path(offered)
