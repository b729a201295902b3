"""What the endpoints of the REST proxy work with. Made once, in `service.py`; every endpoint module takes it.

def endpoints(proxy: Proxy) -> list[Endpoint]: ...
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.rest_proxy.admin import Admin
    from riacho.rest_proxy.config import ProxyConfig
    from riacho.rest_proxy.consumers.instances import ConsumerInstances
    from riacho.rest_proxy.embedded.decoders import Decoders
    from riacho.rest_proxy.embedded.encoders import Encoders
    from riacho.rest_proxy.forwarding import Peers
    from riacho.rest_proxy.producing.record_producer import RecordProducer
    from riacho.rest_proxy.producing.topics import Topics
    from riacho.rest_proxy.registry import Registry
    from riacho.web.upstream import Upstream


@dataclass(slots=True, kw_only=True)
class Proxy:
    config: ProxyConfig
    # `await admin.cluster_id()` and all that is asked of, or changed in, the cluster.
    admin: Admin
    # Instances of the v2 API, with their background polling and their expiry.
    consumers: ConsumerInstances
    producer: RecordProducer
    # Which topics there are, for produce calls.
    topics: Topics
    # JSON of a request -> bytes of a record, by embedded format; schemas through the registry.
    encoders: Encoders
    # Bytes of a record -> JSON text: `await decoders.decode(Format.AVRO, payloads) -> list[bytes]`.
    decoders: Decoders
    # None where no schema.registry.url is set.
    registry: Registry | None
    # HTTP to the registry.
    upstream: Upstream
    # The other proxies, for consumer instances that they own.
    peers: Peers
