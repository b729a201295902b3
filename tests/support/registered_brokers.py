"""Brokers that are on record in the metadata, and where they are reached."""

from __future__ import annotations

from riacho.broker.config import BrokerConfig
from riacho.broker.environment import SystemNetwork
from riacho.broker.membership.broker_endpoints import BrokerEndpoints
from riacho.broker.peers.peer_connector import PeerConnector
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.client.client_security import ClientSecurity
from riacho.metadata.image.brokers import Broker, Endpoint
from riacho.metadata.image.image import MetadataImage

PORT = 9092


def registered(
    broker_id: int,
    host: str = "h",
    *,
    port: int = PORT,
    epoch: int = 7,
    is_fenced: bool = False,
    name: str = "PLAINTEXT",
) -> Broker:
    return Broker(broker_id, epoch, bytes(16), (Endpoint(name, host, port),), {}, None, is_fenced, False, ())


def metadata_of(*brokers: Broker, config: BrokerConfig | None = None) -> MetadataCache:
    """What the node of this config, else node 1, knows of the cluster."""
    return MetadataCache(config or BrokerConfig(), MetadataImage(brokers={each.id: each for each in brokers}))


def broker_endpoints(*hosts: str) -> BrokerEndpoints:
    """As node 1 knows them: broker 1 on the first host, and so on, each with one listener, PLAINTEXT."""
    metadata = metadata_of(*(registered(broker_id, host) for broker_id, host in enumerate(hosts, 1)))
    return BrokerEndpoints(metadata.config, [], metadata)


def peer_connector() -> PeerConnector:
    """Of node 1; nothing is connected before something is sent."""
    return PeerConnector(1, SystemNetwork(), ClientSecurity(), ClientSecurity())
