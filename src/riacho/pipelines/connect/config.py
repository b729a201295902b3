"""The worker's settings, under Kafka Connect's names; those that all services share are in `web/config.py`."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Any

from riacho.base.config import ConfigError, ConfigKey, ConfigType, at_least, one_of, one_of_any_case
from riacho.pipelines.connect.plugins.definitions import CONVERTERS, JSON_CONVERTER, SIMPLE_HEADERS
from riacho.pipelines.connect.protocol import Settings as RunnerSettings
from riacho.pipelines.reach import limits
from riacho.pipelines.reach.limits import Limits, default_paths, home_of_data, own_code
from riacho.web.config import Settings, load_settings, service_keys
from riacho.web.kafka_client import kafka_client

PORT = 8083
CONFIG_TOPIC = "connect-configs"
OFFSETS_TOPIC = "connect-offsets"
STATUS_TOPIC = "connect-status"
# The folder for connectors' files in a data directory.
FILES = "files"
# Left to Kafka's clients, to Spark, to converters and to config providers, or known without effect.
_PASSED_ON = (
    "bootstrap.servers", "producer.", "consumer.", "admin.", "spark.", "config.providers", "key.converter.",
    "value.converter.", "header.converter.", "security.protocol", "sasl.", "client.", "topic.creation.",
    "internal.", "rest.extension.classes", "plugin.discovery", "scheduled.", "exactly.once.", "task.shutdown.",
    "connect.protocol", "inter.worker.", "offset.storage.file.filename", "offset.flush.", "worker.", "rebalance.",
    "session.timeout.ms", "heartbeat.interval.ms", "metadata.", "connections.", "reconnect.", "retry.",
    "request.timeout.ms",
    "send.buffer.bytes", "receive.buffer.bytes", "socket.", "ssl.",
)  # fmt: skip
# A runner ends before the leader's session does (10 s), which is when another worker may start the same connectors.
RUNNER_SILENCE_MS = 8_000
_CLIENT_PREFIXES = ("security.protocol", "sasl.", "ssl.", "client.")


def worker_keys() -> tuple[ConfigKey, ...]:
    boolean, integer, short, text, names = (
        ConfigType.BOOLEAN, ConfigType.INT, ConfigType.SHORT, ConfigType.STRING, ConfigType.LIST,
    )  # fmt: skip
    policies = ("All", "None", "Principal")
    return (
        ConfigKey("group.id", text, "connect-cluster", "The workers of one cluster have the same."),
        ConfigKey("config.storage.topic", text, CONFIG_TOPIC, "The topic of connectors and their configs."),
        ConfigKey("config.storage.replication.factor", short, "3", "Its copies, if brokers suffice."),
        ConfigKey("offset.storage.topic", text, OFFSETS_TOPIC, "The topic of source connectors' offsets."),
        ConfigKey("offset.storage.replication.factor", short, "3", "Its copies, if brokers suffice."),
        ConfigKey("offset.storage.partitions", integer, "25", "Its partitions."),
        ConfigKey("status.storage.topic", text, STATUS_TOPIC, "The topic of states."),
        ConfigKey("status.storage.replication.factor", short, "3", "Its copies, if brokers suffice."),
        ConfigKey("status.storage.partitions", integer, "5", "Its partitions."),
        ConfigKey("key.converter", text, JSON_CONVERTER, "Of connectors that name none."),
        ConfigKey("value.converter", text, JSON_CONVERTER, "Of connectors that name none."),
        ConfigKey("header.converter", text, SIMPLE_HEADERS, "Of connectors that name none."),
        ConfigKey("rest.advertised.host.name", text, "", "The host name that other workers reach this one by."),
        ConfigKey("rest.advertised.port", integer, None, "The port that other workers reach this one by."),
        ConfigKey("rest.advertised.listener", text, "", "http or https: which listener other workers use.",
                  one_of_any_case("", "http", "https")),
        ConfigKey("plugin.path", names, "", "Python modules with further connectors; paths are for Java."),
        ConfigKey("connector.client.config.override.policy", text, "All",
                  "Which client settings connectors may set themselves: All, None or Principal.", one_of(*policies)),
        ConfigKey("topic.tracking.enable", boolean, "true", "Whether the topics of a connector are kept."),
        ConfigKey("topic.tracking.allow.reset", boolean, "true", "Whether they may be forgotten by a call."),
        ConfigKey("topic.creation.enable", boolean, "true", "Whether source connectors may create topics."),
        ConfigKey("checkpoint.location", text, "", "Where queries keep their checkpoints; a directory or a URL."),
        ConfigKey(limits.PATHS, names, "", "Folders that connectors may read and write; by default the working "
                  "directory, the temporary one, and files in the data directory; * is all."),
        ConfigKey(limits.KEPT, names, "", "Folders under these that no connector may reach."),
        ConfigKey(limits.URLS, names, ",".join(limits.DEFAULT_URLS),
                  "What connectors may call: public, private, loopback, or addresses; * is all."),
        ConfigKey(limits.FORMATS, names, ",".join(limits.DEFAULT_FORMATS),
                  "Formats that SparkSource and SparkSink may name; * is all."),
        ConfigKey(limits.JDBC, names, ",".join(limits.DEFAULT_JDBC),
                  "Databases that connectors may reach, by the name after jdbc:; * is all."),
        ConfigKey("riacho.session.idle.ms", integer, "60000", "How long Spark stays without a connector.", at_least(0)),
        ConfigKey("riacho.leader.timeout.ms", integer, "30000", "How long the leader may take.", at_least(1)),
        ConfigKey("riacho.init.timeout.ms", integer, "60000", "How long reading the topics may take.", at_least(1)),
        ConfigKey("riacho.runner.command", names, "", "What runs Spark; for tests."),
        ConfigKey("riacho.catalog.command", names, "", "What looks at plugins; for tests."),
    )  # fmt: skip


def load_worker_settings(properties: Mapping[str, str]) -> Settings:
    """ConfigError."""
    settings = load_settings(service_keys(PORT) + worker_keys(), properties, passed_on=_PASSED_ON)
    topics = [f"{what}.storage.topic" for what in ("config", "offset", "status")]
    if len({settings.text(name) for name in topics}) < len(topics):
        raise ConfigError(f"{', '.join(topics)} must be three topics: each has records of its own")
    return settings


def client_of(settings: Settings, prefix: str = "") -> dict[str, Any]:
    """For librdkafka: what the worker sets for all of its clients, and under a prefix for some."""
    shared = {name: text for name, text in settings.properties.items() if name.startswith(_CLIENT_PREFIXES)}
    own = {f"shared.{name}": text for name, text in shared.items()}
    named = {name: text for name, text in settings.properties.items() if name.startswith(("bootstrap.servers", prefix))}
    return kafka_client({**own, **named}, "shared.", *([prefix] if prefix else []))


def own_client_of(settings: Settings, prefix: str) -> dict[str, str]:
    """The same for this project's own client."""
    properties = settings.properties
    shared = ("bootstrap.servers", *_CLIENT_PREFIXES)
    found = {name: text for name, text in properties.items() if name.startswith(shared)}
    named = {name.removeprefix(prefix): text for name, text in properties.items() if name.startswith(prefix)}
    return found | named


def runner_settings(settings: Settings) -> RunnerSettings:
    """The first line that a runner gets."""
    properties = settings.properties
    if "bootstrap.servers" not in properties:
        raise ConfigError("bootstrap.servers is not set: give the address of a broker, host:port")
    return RunnerSettings(
        bootstrap_servers=properties["bootstrap.servers"],
        client={name: text for name, text in properties.items() if name.startswith(_CLIENT_PREFIXES)},
        spark={name: text for name, text in properties.items() if name.startswith("spark.")},
        defaults=defaults_of(settings),
        modules=tuple(modules_of(settings)),
        limits=limits_of(settings),
        silence_ms=RUNNER_SILENCE_MS,
    )


def defaults_of(settings: Settings) -> dict[str, str]:
    """The worker's converters with their settings, which hold for connectors that name none, and client settings."""
    converters = (f"{name}." for name in CONVERTERS)
    prefixes = (*converters, "producer.", "consumer.", "admin.", "topic.creation.")
    found = {name: text for name, text in settings.properties.items() if name.startswith(prefixes)}
    return {name: settings.text(name) for name in CONVERTERS} | found


def limits_of(settings: Settings) -> Limits:
    """What connectors may reach. The registries that the worker's own converters use are among the addresses."""
    properties, data = settings.properties, home_of_data()
    registries = [
        url for name, text in properties.items() if name.endswith("schema.registry.url") for url in text.split(",")
    ]
    kept = [str(data), *settings.names(limits.KEPT), *own_code()]
    checkpoints = checkpoint_location(settings)
    if "://" not in checkpoints:
        kept.append(checkpoints)
    return Limits(
        paths=tuple(settings.names(limits.PATHS)) or default_paths(data / FILES),
        kept=tuple(kept),
        urls=(*settings.names(limits.URLS), *(url.strip() for url in registries if url.strip())),
        formats=tuple(settings.names(limits.FORMATS)),
        jdbc=tuple(settings.names(limits.JDBC)),
    )


def modules_of(settings: Settings) -> list[str]:
    """Directories of jars stand in the property files of Java's workers: they mean nothing here."""
    return [name for name in settings.names("plugin.path") if name and "/" not in name]


def checkpoint_location(settings: Settings) -> str:
    given = settings.text("checkpoint.location")
    if given:
        return given
    return str(home_of_data() / "checkpoints" / settings.text("group.id"))


def own_url(settings: Settings, address: str) -> str:
    """How other workers reach this one; `address` is a URL that it listens at."""
    scheme, _, rest = address.partition("://")
    host, _, port = rest.rpartition(":")
    if host.strip("[]") in ("", "0.0.0.0", "::"):
        host = socket.gethostname()
    host = settings.text("rest.advertised.host.name") or settings.text("host.name") or host
    if settings.get("rest.advertised.port") is not None:
        port = str(settings.integer("rest.advertised.port"))
    return f"{scheme}://{host}:{port}"
