"""The REST proxy put together: its parts, the tables of endpoints, and the order in which they start and stop."""

from __future__ import annotations

import base64
import ssl
from collections.abc import Iterator, Sequence

from riacho.rest_proxy.admin import Admin
from riacho.rest_proxy.config import ProxyConfig, proxy_config
from riacho.rest_proxy.consumers.instances import ConsumerInstances
from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.embedded.decoders import Decoders
from riacho.rest_proxy.embedded.encoders import Encoders
from riacho.rest_proxy.endpoint_names import is_served
from riacho.rest_proxy.forwarding import Peers
from riacho.rest_proxy.producing.record_producer import RecordProducer
from riacho.rest_proxy.producing.topics import Topics
from riacho.rest_proxy.registry import Registry
from riacho.web.app import App
from riacho.web.config import Settings
from riacho.web.endpoint import Endpoint
from riacho.web.options import app_options
from riacho.web.upstream import Upstream

_ABOUT = "Produce, consume and administer over HTTP: the v2 and v3 API of Confluent's REST Proxy."

# Calls for records that are forwarded at a time: each waits in a thread, which is only made when it is needed.
_FORWARDED_MAX = 64


class RestProxy:
    """`app` is what a server serves; it starts and stops the rest. ConfigError when a setting cannot be used."""

    def __init__(self, settings: Settings) -> None:
        self.proxy = _put_together(proxy_config(settings))
        self.app = App(
            "rest-proxy",
            _endpoints(self.proxy),
            on_start=self._start,
            on_stop=self._stop,
            about=_ABOUT,
            **app_options(settings, realm="KafkaRest"),
        )

    async def _start(self, addresses: Sequence[str]) -> None:
        self.proxy.producer.start()
        await self.proxy.consumers.start()

    async def _stop(self) -> None:
        proxy = self.proxy
        await proxy.consumers.stop()
        await proxy.producer.stop()
        proxy.topics.close()
        await proxy.admin.close()
        proxy.peers.close()
        proxy.upstream.close()


def _put_together(config: ProxyConfig) -> Proxy:
    upstream = Upstream(tls=_tls(config))
    admin = Admin(config.admin, timeout_s=config.api_timeout_ms / 1000)
    registry = _registry(config, upstream)
    producer = RecordProducer(
        config.producer, records_max=config.produce_records_max, bytes_max=config.produce_bytes_max
    )
    return Proxy(
        config=config,
        admin=admin,
        consumers=ConsumerInstances(config, admin.topic_names),
        producer=producer,
        topics=Topics(lambda: producer.client, config.api_timeout_ms),
        encoders=Encoders(registry),
        decoders=Decoders(registry),
        registry=registry,
        upstream=upstream,
        peers=Peers(config.peers, Upstream(tls=_tls(config), threads_max=_FORWARDED_MAX)),
    )


def _tls(config: ProxyConfig) -> ssl.SSLContext | None:
    if config.schema_registry_ssl is None:
        return None
    from riacho.client.tls import client_context, tls_settings

    return client_context(tls_settings(config.schema_registry_ssl.get))


def _registry(config: ProxyConfig, upstream: Upstream) -> Registry | None:
    if not config.schema_registry_urls:
        return None
    authorization = None
    if config.schema_registry_user_info:
        authorization = "Basic " + base64.b64encode(config.schema_registry_user_info.encode()).decode()
    return Registry(
        upstream,
        config.schema_registry_urls,
        timeout_s=config.schema_registry_timeout_ms / 1000,
        authorization=authorization,
    )


def _endpoints(proxy: Proxy) -> list[Endpoint]:
    config = proxy.config
    return [
        endpoint
        for endpoint in _tables(proxy)
        if is_served(endpoint, allowlist=config.allowlist, blocklist=config.blocklist)
    ]


def _tables(proxy: Proxy) -> Iterator[Endpoint]:
    # An API that is switched off is not even loaded.
    if proxy.config.api_v2_enable:
        from riacho.rest_proxy.v2 import brokers, consumers, partitions, produce, root, topics

        for module in (root, topics, partitions, brokers, produce, consumers):
            yield from module.endpoints(proxy)
    if proxy.config.api_v3_enable:
        from riacho.rest_proxy.v3 import (
            acls,
            clusters,
            configs,
            consume,
            consumer_groups,
            lags,
            reassignments,
            records,
            replicas,
        )
        from riacho.rest_proxy.v3 import (
            brokers as v3_brokers,
        )
        from riacho.rest_proxy.v3 import (
            partitions as v3_partitions,
        )
        from riacho.rest_proxy.v3 import (
            topics as v3_topics,
        )

        own = (clusters, v3_brokers, v3_topics, configs, v3_partitions, replicas, reassignments)
        for v3_module in (*own, consumer_groups, lags, acls, records, consume):
            yield from v3_module.endpoints(proxy)
