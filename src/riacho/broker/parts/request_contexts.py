"""What handlers are handed: who asks, with the parts of the node that serves the request.

A handler says by the type of its context which parts it needs. What controllers serve gets the quorum's parts alone; a
broker's own APIs get what it hosts and coordinates, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.requests.request_context import RequestContext

if TYPE_CHECKING:
    from riacho.broker.coordinator_parts import Coordinators
    from riacho.broker.parts.hosting_parts import HostingParts
    from riacho.broker.parts.node_parts import NodeParts
    from riacho.broker.parts.quorum_parts import QuorumParts
    from riacho.broker.produce.produce_parts import ProduceParts
    from riacho.broker.requests.request_context import RequestConnection


class QuorumRequestContext(RequestContext):
    """Of a request that any node of the quorum serves."""

    __slots__ = ("node", "quorum")

    def __init__(
        self,
        node: NodeParts,
        quorum: QuorumParts,
        listener_name: str,
        client_host: str,
        connection: RequestConnection | None = None,
    ) -> None:
        is_for_controllers = node.config.is_controller_listener(listener_name)
        super().__init__(
            node.authorizer,
            quorum.metadata,
            node.large_requests,
            listener_name,
            client_host,
            connection,
            is_for_controllers,
        )
        self.node = node
        self.quorum = quorum

    def enveloped(self, client_host: str) -> QuorumRequestContext:
        return QuorumRequestContext(self.node, self.quorum, "", client_host)


class BrokerRequestContext(QuorumRequestContext):
    """Of a request that came in by a broker's listener for clients."""

    __slots__ = ("coordinators", "hosting", "produce")

    def __init__(
        self,
        node: NodeParts,
        quorum: QuorumParts,
        hosting: HostingParts,
        coordinators: Coordinators,
        produce: ProduceParts,
        listener_name: str,
        client_host: str,
        connection: RequestConnection | None = None,
    ) -> None:
        super().__init__(node, quorum, listener_name, client_host, connection)
        self.hosting = hosting
        self.coordinators = coordinators
        self.produce = produce


def own_context(node: NodeParts, quorum: QuorumParts) -> QuorumRequestContext:
    """Of a request that this node sends to itself."""
    context = QuorumRequestContext(node, quorum, "", "")
    context.is_own = True
    return context
