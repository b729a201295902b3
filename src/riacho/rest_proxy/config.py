"""The REST proxy's settings, under the names that the original gave them.

`client.`, `producer.`, `consumer.` and `admin.` pass what follows them to the Kafka clients: `client.` to all, the
others to their own. Security settings may be Java's; `web/kafka_client.py` puts them in librdkafka's words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from riacho.base.config import ConfigKey, ConfigType, Importance, Value, between, one_of_any_case
from riacho.web.config import Settings, load_settings, service_keys
from riacho.web.kafka_client import kafka_client
from riacho.web.listeners import listeners_of

PORT = 8082
_T = ConfigType
_HIGH = Importance.HIGH
_MIB = 1 << 20
_MS_MAX = (1 << 31) - 1
_LONG_MAX = (1 << 63) - 1


def _number(name: str, default: int, doc: str, low: int, high: int = _MS_MAX, kind: ConfigType = _T.INT) -> ConfigKey:
    return ConfigKey(name, kind, str(default), doc, between(low, high))


KEYS = (
    ConfigKey("id", _T.STRING, "", "Names this proxy in the ids of consumers that it makes up.", importance=_HIGH),
    ConfigKey("bootstrap.servers", _T.LIST, "127.0.0.1:9092", "The brokers to ask first.", importance=_HIGH),
    ConfigKey("schema.registry.url", _T.LIST, "http://127.0.0.1:8081",
              "The schema registry; several are tried in order, none switches formats with schemas off.",
              importance=_HIGH),
    ConfigKey("schema.registry.basic.auth.credentials.source", _T.STRING, "URL", "URL or USER_INFO.",
              one_of_any_case("URL", "USER_INFO")),
    ConfigKey("schema.registry.basic.auth.user.info", _T.PASSWORD, "", "user:password, with USER_INFO."),
    _number("schema.registry.request.timeout.ms", 30_000, "The longest that the registry is waited for.", 1),
    _number("fetch.min.bytes", -1, "Bytes to wait for before records are answered; -1 waits for any.", -1, 10**7),
    _number("consumer.request.timeout.ms", 1_000, "The longest that a call for records waits.", 0),
    _number("consumer.request.max.bytes", 64 * _MIB, "Most bytes of records in an answer.", 1, _LONG_MAX, _T.LONG),
    _number("consumer.instance.timeout.ms", 300_000, "An instance that is idle this long is closed.", 1),
    _number("consumer.threads", 50, "Without effect: each instance has its own.", -1),
    _number("producer.threads", 5, "Without effect: one producer serves all calls.", 0),
    _number("simpleconsumer.pool.size.max", 25, "Without effect.", 0),
    _number("simpleconsumer.pool.timeout.ms", 1_000, "Without effect.", 0),
    _number("consumer.iterator.timeout.ms", 1, "Without effect: records are polled in the background.", 0),
    _number("consumer.iterator.backoff.ms", 50, "Without effect: records are polled in the background.", 0),
    ConfigKey("api.v2.enable", _T.BOOLEAN, "true", "Whether the v2 API is served."),
    ConfigKey("api.v3.enable", _T.BOOLEAN, "true", "Whether the v3 API is served."),
    ConfigKey("api.endpoints.allowlist", _T.LIST, "", "Paths, or `METHOD path`, that are served; empty is all."),
    ConfigKey("api.endpoints.blocklist", _T.LIST, "", "Paths, or `METHOD path`, that are not served."),
    _number("streaming.connection.max.duration.ms", 86_400_000, "After this long a stream of records ends.", 1),
    _number("streaming.connection.max.duration.grace.period.ms", 500, "How long it still tells so.", 1),
    _number("api.v3.produce.batch.maximum.entries", 10, "Most records of a v3 batch call.", 1, 50),
    _number("default.api.timeout.ms", 30_000, "The longest that a call waits for Kafka.", 1),
    _number("riacho.produce.records.max", 100_000, "Records on their way to Kafka before calls get 429.", 1, 10**7),
    _number("riacho.produce.bytes.max", 64 * _MIB, "Bytes on their way before calls get 429.", 1, 1 << 40, _T.LONG),
    ConfigKey("riacho.peers", _T.LIST, "", "URLs of the other proxies, for consumer instances that they own."),
    _number("riacho.consumers.max", 200, "Most consumer instances at a time; each has threads of its own.", 1),
    _number("riacho.consume.streams.max", 100, "Most v3 streams of records at a time.", 1, 10_000),
)  # fmt: skip

CLIENT_PREFIXES = ("client.", "producer.", "consumer.", "admin.")
_OWN = frozenset(key.name for key in KEYS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyConfig:
    """`producer`, `consumer` and `admin` are settings of librdkafka, complete with addresses and security."""

    id: str = ""
    bootstrap_servers: str = "127.0.0.1:9092"
    schema_registry_urls: tuple[str, ...] = ()
    schema_registry_timeout_ms: int = 30_000
    # user:password
    schema_registry_user_info: str | None = field(default=None, repr=False)
    # `ssl.*` of the client that asks the registry, by their names; None where nothing is set.
    schema_registry_ssl: Mapping[str, Value] | None = field(default=None, repr=False)
    fetch_min_bytes: int = -1
    consumer_request_timeout_ms: int = 1_000
    consumer_request_bytes_max: int = 64 * _MIB
    consumer_instance_timeout_ms: int = 300_000
    consumers_max: int = 200
    consume_streams_max: int = 100
    peers: tuple[str, ...] = ()
    api_v2_enable: bool = True
    api_v3_enable: bool = True
    allowlist: frozenset[str] = frozenset()
    blocklist: frozenset[str] = frozenset()
    stream_duration_ms_max: int = 86_400_000
    stream_grace_ms: int = 500
    batch_entries_max: int = 10
    api_timeout_ms: int = 30_000
    produce_records_max: int = 100_000
    produce_bytes_max: int = 64 * _MIB
    producer: Mapping[str, Any] = field(default_factory=dict, repr=False)
    consumer: Mapping[str, Any] = field(default_factory=dict, repr=False)
    admin: Mapping[str, Any] = field(default_factory=dict, repr=False)
    # What URLs in answers begin with, in this order: advertised.listeners, then host.name and port, then the request.
    advertised_listeners: tuple[str, ...] = ()
    host_name: str = ""
    port: int = PORT


def load_proxy_settings(properties: Mapping[str, str]) -> Settings:
    """ConfigError when one cannot be used; what nobody knows is warned about."""
    table = (*service_keys(PORT), *KEYS)
    return load_settings(table, properties, passed_on=(*CLIENT_PREFIXES, "schema.registry."))


def proxy_config(settings: Settings) -> ProxyConfig:
    integer, names = settings.integer, settings.names
    uses_user_info = settings.text("schema.registry.basic.auth.credentials.source").upper() == "USER_INFO"
    api_timeout_ms = integer("default.api.timeout.ms")
    port = settings["port"]
    # `consumer.threads` and others have a client's prefix and are none of the client's.
    clients = {name: text for name, text in settings.properties.items() if name not in _OWN}
    clients["bootstrap.servers"] = ",".join(names("bootstrap.servers"))
    return ProxyConfig(
        id=settings.text("id"),
        bootstrap_servers=clients["bootstrap.servers"],
        schema_registry_urls=tuple(url for url in names("schema.registry.url") if url),
        schema_registry_timeout_ms=integer("schema.registry.request.timeout.ms"),
        schema_registry_user_info=settings.text("schema.registry.basic.auth.user.info") if uses_user_info else None,
        schema_registry_ssl=_registry_ssl(settings),
        fetch_min_bytes=integer("fetch.min.bytes"),
        consumer_request_timeout_ms=integer("consumer.request.timeout.ms"),
        consumer_request_bytes_max=integer("consumer.request.max.bytes"),
        consumer_instance_timeout_ms=integer("consumer.instance.timeout.ms"),
        consumers_max=integer("riacho.consumers.max"),
        consume_streams_max=integer("riacho.consume.streams.max"),
        api_v2_enable=settings.flag("api.v2.enable"),
        api_v3_enable=settings.flag("api.v3.enable"),
        allowlist=frozenset(names("api.endpoints.allowlist")),
        blocklist=frozenset(names("api.endpoints.blocklist")),
        stream_duration_ms_max=integer("streaming.connection.max.duration.ms"),
        stream_grace_ms=integer("streaming.connection.max.duration.grace.period.ms"),
        batch_entries_max=integer("api.v3.produce.batch.maximum.entries"),
        api_timeout_ms=api_timeout_ms,
        produce_records_max=integer("riacho.produce.records.max"),
        produce_bytes_max=integer("riacho.produce.bytes.max"),
        # Records that Kafka does not take in time are answered for; the call has no time limit besides.
        producer={
            "message.timeout.ms": api_timeout_ms,
            "client.id": settings.text("id") or "rest-proxy",
            **kafka_client(clients, "client.", "producer."),
        },
        consumer=kafka_client(clients, "client.", "consumer."),
        admin=kafka_client(clients, "client.", "admin."),
        advertised_listeners=tuple(names("advertised.listeners")),
        host_name=settings.text("host.name"),
        port=port if isinstance(port, int) else listeners_of(settings)[0].port,
        peers=tuple(names("riacho.peers")),
    )


def _registry_ssl(settings: Settings) -> Settings | None:
    given = {name: text for name, text in settings.under("schema.registry.").items() if name.startswith("ssl.")}
    return Settings([key for key in service_keys(PORT) if key.name.startswith("ssl.")], given) if given else None
