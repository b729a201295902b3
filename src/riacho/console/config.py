"""The control center's settings: those that all services share (`web/config.py`), and which clusters it shows.

One cluster, or several:

    bootstrap.servers=localhost:9092            clusters=prod,test
    client.security.protocol=SASL_SSL           cluster.prod.bootstrap.servers=kafka-1:9092,kafka-2:9092
    schema.registry.url=http://localhost:8081   cluster.prod.client.security.protocol=SASL_SSL
    cluster.name=Local                          cluster.prod.schema.registry.url=http://registry:8081
                                                cluster.test.bootstrap.servers=localhost:9092

What follows `client.` is the Kafka client's, under Java's names; `ssl.` without it is the console's own listener.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from riacho.base.config import ConfigError, ConfigKey, ConfigType, at_least
from riacho.base.errors import KafkaError
from riacho.client.librdkafka.allowed_keys import key_refusal
from riacho.client.settings import client_settings
from riacho.console.door.config import DOOR_KEYS
from riacho.console.places import EACH_MAX
from riacho.web.config import Settings, load_settings, service_keys

PORT = 9021
# The id of the cluster where only one is named.
ONLY = "default"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_COLOR = re.compile(r"[A-Za-z]{1,20}|#[0-9A-Fa-f]{3,8}")
_CLIENT = "client."

KEYS = (
    ConfigKey("bootstrap.servers", ConfigType.LIST, "127.0.0.1:9092", "The brokers, where there is one cluster."),
    ConfigKey("clusters", ConfigType.LIST, "", "Ids of several clusters; cluster.<id>.bootstrap.servers has each."),
    ConfigKey("cluster.name", ConfigType.STRING, "", "What people call the one cluster."),
    ConfigKey("cluster.color", ConfigType.STRING, "", "The color that it is marked with."),
    ConfigKey("schema.registry.url", ConfigType.LIST, "", "Its schema registry."),
    ConfigKey("connect.url", ConfigType.LIST, "", "Its Connect workers."),
    ConfigKey("ksql.url", ConfigType.LIST, "", "Its KSQL servers."),
    ConfigKey("metrics.url", ConfigType.LIST, "", "Where its brokers serve /metrics."),
    ConfigKey("riacho.console.dir", ConfigType.STRING, "",
              "Where history, alerts and the audit log are kept; empty: in memory, until the console ends."),
    ConfigKey("riacho.console.read.only", ConfigType.BOOLEAN, "false", "Whether every change is refused."),
    ConfigKey("riacho.console.webhooks", ConfigType.LIST, "",
              "Names of webhooks for alerts; riacho.console.webhook.<name>.url and .secret have each."),
    ConfigKey("riacho.console.refresh.ms", ConfigType.INT, "3000",
              "How often a cluster is looked at; less often where that takes long.", at_least(100)),
    ConfigKey("riacho.console.timeout.ms", ConfigType.INT, "15000",
              "The longest that a call waits for Kafka.", at_least(100)),
    ConfigKey("riacho.console.events.clients.max", ConfigType.INT, "500",
              "Pages that follow live figures at a time.", at_least(1)),
    ConfigKey("riacho.console.follows.each.max", ConfigType.INT, str(EACH_MAX),
              "Of these, and of pages that follow topics, those of one user; of one address where nobody logs in.",
              at_least(1)),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterConfig:
    """One cluster. `client` are the Kafka client's settings under Java's names, with `bootstrap.servers`."""

    id: str
    name: str
    color: str | None = None
    client: Mapping[str, str] = field(repr=False)
    schema_registry_urls: tuple[str, ...] = ()
    connect_urls: tuple[str, ...] = ()
    ksql_urls: tuple[str, ...] = ()
    metrics_urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleConfig:
    clusters: tuple[ClusterConfig, ...]
    # Empty: nothing is kept.
    directory: str = ""
    read_only: bool = False
    refresh_ms: int = 3_000
    timeout_ms: int = 15_000
    event_clients_max: int = 500
    follows_each_max: int = EACH_MAX


def load_console_settings(properties: Mapping[str, str]) -> Settings:
    """ConfigError when one cannot be used; what nobody knows is warned about."""
    return load_settings(
        (*service_keys(PORT), *KEYS, *DOOR_KEYS),
        properties,
        passed_on=("cluster.", _CLIENT, "masking.", "riacho.console.webhook."),
    )


def console_config(settings: Settings) -> ConsoleConfig:
    """ConfigError when one cannot be used."""
    return ConsoleConfig(
        clusters=_clusters(settings),
        directory=settings.text("riacho.console.dir"),
        read_only=settings.flag("riacho.console.read.only"),
        refresh_ms=settings.integer("riacho.console.refresh.ms"),
        timeout_ms=settings.integer("riacho.console.timeout.ms"),
        event_clients_max=settings.integer("riacho.console.events.clients.max"),
        follows_each_max=settings.integer("riacho.console.follows.each.max"),
    )


def _clusters(settings: Settings) -> tuple[ClusterConfig, ...]:
    ids = [each for each in settings.names("clusters") if each]
    if not ids:
        named = {f"cluster.{key}": settings.text(f"cluster.{key}") for key in ("name", "color")}
        own = {**settings.properties, "bootstrap.servers": ",".join(settings.names("bootstrap.servers"))}
        return (_cluster(ONLY, {**own, "name": named["cluster.name"], "color": named["cluster.color"]}, ""),)
    if len(set(ids)) < len(ids):
        raise ConfigError("clusters names one of them twice")
    return tuple(_cluster(each, settings.under(f"cluster.{each}."), f"cluster.{each}.") for each in ids)


def _cluster(cluster_id: str, own: Mapping[str, str], prefix: str) -> ClusterConfig:
    """`own` are its settings without the prefix, which errors name."""
    if _ID.fullmatch(cluster_id) is None:
        raise ConfigError(f"'{cluster_id}' in clusters is not an id: up to 64 letters, digits, . - _")
    servers = own.get("bootstrap.servers", "").strip()
    if not servers:
        raise ConfigError(f"{prefix}bootstrap.servers is not set: give the address of a broker, host:port")
    client = {name[len(_CLIENT) :]: value for name, value in own.items() if name.startswith(_CLIENT)}
    for name, value in client.items():
        refusal = key_refusal(name, value)
        if refusal is not None:
            raise ConfigError(f"{prefix}{_CLIENT}{name} cannot be used: {refusal}")
    client["bootstrap.servers"] = servers
    try:
        client_settings(servers, client)
    except KafkaError as error:
        raise ConfigError(f"{prefix}{_CLIENT}*: {error.detail or error.code.name}") from None
    color = own.get("color", "").strip()
    if color and _COLOR.fullmatch(color) is None:
        raise ConfigError(f"{prefix or 'cluster.'}color is not a color: a name, or # and hexadecimal digits")
    return ClusterConfig(
        id=cluster_id,
        name=own.get("name", "").strip() or cluster_id,
        color=color or None,
        client=client,
        schema_registry_urls=_urls(own, "schema.registry.url", prefix),
        connect_urls=_urls(own, "connect.url", prefix),
        ksql_urls=_urls(own, "ksql.url", prefix),
        metrics_urls=_urls(own, "metrics.url", prefix),
    )


def _urls(own: Mapping[str, str], key: str, prefix: str) -> tuple[str, ...]:
    urls = tuple(part.strip().rstrip("/") for part in own.get(key, "").split(",") if part.strip())
    if not all(url.startswith(("http://", "https://")) for url in urls):
        raise ConfigError(f"{prefix}{key} is not an address; write http://host:port")
    return urls
