"""The context of a request that no connection brought."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.parts.request_contexts import BrokerRequestContext
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.metadata.image.image import MetadataImage
from support.parts import coordinator_parts, hosting_parts, quorum_parts, untouched

if TYPE_CHECKING:
    from riacho.broker.coordinator_parts import Coordinators
    from riacho.broker.parts.hosting_parts import HostingParts
    from riacho.broker.parts.node_parts import NodeParts
    from riacho.broker.parts.quorum_parts import QuorumParts
    from riacho.broker.produce.produce_parts import ProduceParts
    from riacho.broker.requests.request_context import RequestConnection


def request_context(
    node: NodeParts,
    version: int = 0,
    *,
    quorum: QuorumParts | None = None,
    hosting: HostingParts | None = None,
    coordinators: Coordinators | None = None,
    produce: ProduceParts | None = None,
    listener_name: str = "PLAINTEXT",
    client_host: str = "127.0.0.1",
    client_id: str = "",
    connection: RequestConnection | None = None,
) -> BrokerRequestContext:
    """With the parts that the handler has business with; without a quorum's, of a cluster of which nothing is known."""
    context = BrokerRequestContext(
        node,
        quorum or quorum_parts(metadata=MetadataCache(node.config, MetadataImage())),
        hosting or hosting_parts(),
        coordinators or coordinator_parts(),
        produce or untouched("produce"),
        listener_name,
        client_host,
        connection,
    )
    context.version = version
    context.client_id = client_id
    return context
