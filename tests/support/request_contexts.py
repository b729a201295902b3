"""The context of a request that no connection brought."""

from __future__ import annotations

from typing import Any

from riacho.broker.coordinator_parts import Coordinators
from riacho.broker.parts.hosting_parts import HostingParts
from riacho.broker.parts.node_parts import NodeParts
from riacho.broker.parts.quorum_parts import QuorumParts
from riacho.broker.parts.request_contexts import BrokerRequestContext
from support.parts import Untouched, parts_of


def request_context(
    broker: Any,
    version: int = 0,
    *,
    listener_name: str = "PLAINTEXT",
    client_host: str = "127.0.0.1",
    client_id: str = "",
    connection: Any = None,
) -> Any:
    """`broker` has its config and authorizer, and those parts that the handler has business with."""
    context = BrokerRequestContext(
        parts_of(NodeParts, broker),
        parts_of(QuorumParts, broker),
        parts_of(HostingParts, broker),
        parts_of(Coordinators, broker),
        getattr(broker, "produce", Untouched("produce")),
        listener_name,
        client_host,
        connection,
    )
    context.version = version
    context.client_id = client_id
    return context
