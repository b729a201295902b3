"""The server's settings, under ksqlDB's names; those that all services share are in `web/config.py`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from riacho.base.config import ConfigError, ConfigKey, ConfigType, at_least
from riacho.pipelines.reach.limits import home_of_data
from riacho.pipelines.sql.analysis.settings import refuse_fixed
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.runner.protocol import Settings as RunnerSettings
from riacho.pipelines.sql.server.session import is_settable
from riacho.web.config import Settings, load_settings, service_keys
from riacho.web.kafka_client import kafka_client

PORT = 8088
REGISTRY_URL = "ksql.schema.registry.url"
_REGISTRY = "ksql.schema.registry."
_CLIENT_PREFIXES = ("security.protocol", "sasl.", "ssl.", "client.")
# Left to Kafka's clients, to Spark and to queries, or known without effect.
_PASSED_ON = (
    "bootstrap.servers", "ksql.streams.", "ksql.schema.registry.", "ksql.persistence.", "ksql.functions.",
    "ksql.query.",
    "ksql.logging.", "ksql.internal.", "ksql.connect.", "ksql.udf", "ksql.sink.", "ksql.metrics.", "ksql.variable.",
    "ksql.output.", "ksql.properties.", "ksql.headers.", "ksql.websocket.", "ksql.server.", "ksql.heartbeat.",
    "ksql.lag.", "ksql.access.", "ksql.authorization.", "ksql.advertised.", "ksql.timestamp.", "ksql.cast.",
    "producer.", "consumer.", "admin.", "spark.", "security.protocol", "sasl.", "client.", "ssl.", "auto.offset.reset",
    "commit.interval.ms", "cache.max.bytes.buffering", "num.stream.threads", "processing.guarantee",
)  # fmt: skip
# A runner ends before the leader's session does (10 s), which is when another instance may start the same queries.
RUNNER_SILENCE_MS = 8_000


def server_keys() -> tuple[ConfigKey, ...]:
    boolean, integer, text, names = ConfigType.BOOLEAN, ConfigType.INT, ConfigType.STRING, ConfigType.LIST
    return (
        ConfigKey("ksql.service.id", text, "default_", "Names the cluster of servers: its topics and its group."),
        ConfigKey("ksql.command.topic.replication.factor", integer, "3", "Copies of the command topic, if brokers "
                  "suffice.", at_least(1)),
        ConfigKey("ksql.queries.file", text, "", "A script that is run at the start; nothing else may be then."),
        ConfigKey("ksql.state.dir", text, "", "Where checkpoints and the rows of tables are kept."),
        ConfigKey("ksql.checkpoint.location", text, "", "Where checkpoints are kept, a directory or a URL, where not "
                  "under ksql.state.dir."),
        ConfigKey("ksql.extension.modules", names, "", "Python modules with functions for statements."),
        ConfigKey("ksql.properties.overrides.denylist", names, "", "Properties that requests may not set."),
        ConfigKey("ksql.connect.url", text, "", "Where Kafka Connect is, for connectors."),
        ConfigKey("ksql.logging.processing.topic.auto.create", boolean, "true", "Whether the processing log is kept "
                  "in a topic."),
        ConfigKey("ksql.logging.processing.topic.name", text, "", "That topic; by default named for the service."),
        ConfigKey("ksql.query.native.aggregation.enabled", boolean, "true", "Whether aggregations may be Spark's own "
                  "where that gives the same."),
        ConfigKey("ksql.query.pull.table.scan.enabled", boolean, "true", "Whether pull queries may look at all rows."),
        ConfigKey("ksql.query.pull.catchup.timeout.ms", integer, "5000", "How long a pull query waits for what was "
                  "written before it.", at_least(0)),
        ConfigKey("ksql.max.push.queries", integer, "100", "Push queries at a time.", at_least(0)),
        ConfigKey("ksql.query.persistent.active.limit", integer, "1000", "Persistent queries.", at_least(1)),
        ConfigKey("riacho.ksql.trigger.ms", integer, "200", "How often a query looks for new records.", at_least(1)),
        ConfigKey("riacho.leader.timeout.ms", integer, "30000", "How long the leader may take.", at_least(1)),
        ConfigKey("riacho.init.timeout.ms", integer, "60000", "How long reading the topics may take.", at_least(1)),
        ConfigKey("riacho.runner.command", names, "", "What runs Spark; for tests."),
    )  # fmt: skip


def load_server_settings(properties: Mapping[str, str]) -> Settings:
    """ConfigError."""
    known = {key.name for key in server_keys()}
    passed_on = tuple(prefix for prefix in _PASSED_ON if prefix not in known)
    try:
        for name, value in properties.items():
            refuse_fixed(name, value)
    except KsqlError as error:
        raise ConfigError(error.message) from None
    return load_settings(service_keys(PORT) + server_keys(), properties, passed_on=passed_on)


def command_topic(settings: Settings) -> str:
    return f"_confluent-ksql-{settings.text('ksql.service.id')}_command_topic"


def group_id(settings: Settings) -> str:
    return f"_confluent-ksql-{settings.text('ksql.service.id')}servers"


def processing_log_topic(settings: Settings) -> str:
    """Empty where it is not wanted."""
    if not settings.flag("ksql.logging.processing.topic.auto.create"):
        return ""
    return settings.text("ksql.logging.processing.topic.name") or (
        f"{settings.text('ksql.service.id')}ksql_processing_log"
    )


def state_directory(settings: Settings) -> Path:
    given = settings.text("ksql.state.dir")
    return Path(given) if given else home_of_data() / "ksql" / settings.text("ksql.service.id")


def checkpoint_location(settings: Settings) -> str:
    return settings.text("ksql.checkpoint.location") or str(state_directory(settings) / "checkpoints")


def client_of(settings: Settings) -> dict[str, Any]:
    """For librdkafka; also what is written `ksql.streams.`, as ksqlDB's files have it."""
    properties = settings.properties
    shared = {name: text for name, text in properties.items() if name.startswith(_CLIENT_PREFIXES)}
    streams = {
        name.removeprefix("ksql.streams."): text
        for name, text in properties.items()
        if name.startswith(tuple(f"ksql.streams.{prefix}" for prefix in (*_CLIENT_PREFIXES, "bootstrap.servers")))
    }
    wanted = {"client.id": "ksqldb-server", **streams, **shared}
    if "bootstrap.servers" in properties:
        wanted["bootstrap.servers"] = properties["bootstrap.servers"]
    return kafka_client({f"shared.{name}": text for name, text in wanted.items()}, "shared.")


def registry_of(settings: Settings) -> dict[str, str]:
    """Client settings of the schema registry, without ksqlDB's prefix; empty where none is named."""
    found = {
        f"schema.registry.{name}" if name in ("url",) else name: text
        for name, text in settings.under(_REGISTRY).items()
    }
    return found if found.get("schema.registry.url") else {}


def query_properties(settings: Settings) -> dict[str, str]:
    """What queries get that say nothing else: `ksql.streams.*` without the prefix, and ksqlDB's own. Only what requests
    could set as well: these are written down with a query, and the others may be secrets."""
    streams = settings.under("ksql.streams.")
    own = {name: text for name, text in settings.properties.items() if name.startswith(("ksql.", "auto.offset.reset"))}
    return {name: text for name, text in {**own, **streams}.items() if is_settable(name)}


def runner_settings(settings: Settings) -> RunnerSettings:
    """The first line that a runner gets."""
    properties = settings.properties
    if "bootstrap.servers" not in properties:
        raise ConfigError("bootstrap.servers is not set: give the address of a broker, host:port")
    return RunnerSettings(
        bootstrap_servers=properties["bootstrap.servers"],
        client={name: text for name, text in properties.items() if name.startswith(_CLIENT_PREFIXES)},
        registry=registry_of(settings),
        spark={name: text for name, text in properties.items() if name.startswith("spark.")},
        modules=tuple(settings.names("ksql.extension.modules")),
        processing_log_topic=processing_log_topic(settings),
        silence_ms=RUNNER_SILENCE_MS,
    )
