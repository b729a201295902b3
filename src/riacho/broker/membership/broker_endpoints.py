"""Where brokers are reached: others as they registered, this one as its listeners are advertised, registered or not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from riacho.broker.config import BrokerConfig, ListenerAddress
    from riacho.broker.quorum.metadata_cache import MetadataCache


class BrokerEndpoints:
    def __init__(self, config: BrokerConfig, advertised: Iterable[ListenerAddress], metadata: MetadataCache) -> None:
        """`advertised` are this node's own listeners, bound by now."""
        self._node_id = config.node_id
        self._inter_broker_listener_name = config.inter_broker_listener_name
        self._own = {listener.name: (listener.host, listener.port) for listener in advertised}
        self._metadata = metadata

    def of(self, node_id: int, listener_name: str) -> tuple[str, int]:
        """Where a client that came in by this listener reaches a broker."""
        if node_id == self._node_id and listener_name in self._own:
            return self._own[listener_name]
        broker = self._metadata.image.brokers.get(node_id)
        if broker is not None:
            for endpoint in broker.endpoints:
                if endpoint.name == listener_name:
                    return endpoint.host, endpoint.port
        raise KafkaError(ErrorCode.LISTENER_NOT_FOUND, f"broker {node_id} has no listener {listener_name}")

    def inter_broker(self, node_id: int) -> tuple[str, int]:
        """Where a broker is reached by brokers."""
        return self.of(node_id, self._inter_broker_listener_name)
