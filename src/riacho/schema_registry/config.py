"""The registry's settings, under Confluent's names; those that all services share are in `web/config.py`."""

from __future__ import annotations

from collections.abc import Mapping

from riacho.base.config import ConfigKey, ConfigType, at_least, one_of_any_case
from riacho.schema_registry.entities import CompatibilityLevel
from riacho.schema_registry.scopes import Defaults
from riacho.schema_registry.service import Limits
from riacho.web.config import Settings, load_settings, service_keys

PORT = 8081
_LEVELS = tuple(level.value for level in CompatibilityLevel)
# A write is a transaction: what is enough for one record of Confluent's is too little for it.
_WRITE_TIMEOUT_MS_MIN = 2_000


def registry_keys() -> tuple[ConfigKey, ...]:
    boolean, integer, text, names = ConfigType.BOOLEAN, ConfigType.INT, ConfigType.STRING, ConfigType.LIST
    level = one_of_any_case(*_LEVELS)
    return (
        ConfigKey("kafkastore.bootstrap.servers", names, "", "Brokers of the cluster that keeps the log."),
        ConfigKey("kafkastore.topic", text, "_schemas", "The topic that is the log."),
        ConfigKey("kafkastore.topic.replication.factor", integer, "3", "Its copies, if brokers suffice.", at_least(1)),
        ConfigKey("kafkastore.timeout.ms", integer, "10000", "How long a change of the log may take.", at_least(1)),
        ConfigKey("kafkastore.init.timeout.ms", integer, "60000", "How long reading it may take.", at_least(1)),
        ConfigKey("kafkastore.group.id", text, "", "Older name of schema.registry.group.id."),
        ConfigKey("schema.registry.group.id", text, "schema-registry", "The group by which instances elect a leader."),
        ConfigKey("leader.eligibility", boolean, "true", "Whether this instance may become the leader."),
        ConfigKey("master.eligibility", boolean, None, "Older name of leader.eligibility."),
        ConfigKey("leader.connect.timeout.ms", integer, "60000", "How long connecting to it may take.", at_least(1)),
        ConfigKey("leader.read.timeout.ms", integer, "60000", "How long the leader may take to answer.", at_least(1)),
        ConfigKey("inter.instance.protocol", text, "http", "http or https: which listener other instances use.",
                  one_of_any_case("http", "https")),
        ConfigKey("schema.compatibility.level", text, "backward", "What holds where no level is set.", level),
        ConfigKey("avro.compatibility.level", text, None, "Older name of schema.compatibility.level.", level),
        ConfigKey("schema.validate.fields", boolean, "false", "Whether reserved fields are checked."),
        ConfigKey("schema.normalize", boolean, "false", "Whether schemas are normalized where nothing is said."),
        ConfigKey("schema.incompatible.error.code", text, "409",
                  "error_code where a schema is incompatible with an earlier one.", one_of_any_case("409", "40901")),
        ConfigKey("mode.mutability", boolean, "true", "Whether modes may be changed."),
        ConfigKey("schema.cache.size", integer, "1000", "Parsed schemas and ready answers kept.", at_least(1)),
        ConfigKey("schema.search.default.limit", integer, "1000", "Schemas in a list.", at_least(1)),
        ConfigKey("schema.search.max.limit", integer, "1000", "Schemas in a list, at most.", at_least(1)),
        ConfigKey("subject.search.default.limit", integer, "20000", "Subjects in a list.", at_least(1)),
        ConfigKey("subject.search.max.limit", integer, "20000", "Subjects in a list, at most.", at_least(1)),
        ConfigKey("subject.version.search.default.limit", integer, "20000", "Versions in a list.", at_least(1)),
        ConfigKey("subject.version.search.max.limit", integer, "20000", "Versions in a list, at most.", at_least(1)),
        ConfigKey("context.search.default.limit", integer, "20000", "Contexts in a list.", at_least(1)),
        ConfigKey("context.search.max.limit", integer, "20000", "Contexts in a list, at most.", at_least(1)),
        ConfigKey("authorization.rules.file", text, "", "File of rules: who may do what with which subject."),
    )  # fmt: skip


def load_registry_settings(properties: Mapping[str, str]) -> Settings:
    """ConfigError. What begins with `kafkastore.` and is not ours is the Kafka client's."""
    passed_on = ("kafkastore.", "bootstrap.servers", "schema.providers", "schema.registry.", "confluent.")
    return load_settings(service_keys(PORT) + registry_keys(), properties, passed_on=passed_on)


def defaults_of(settings: Settings) -> Defaults:
    older = settings.is_set("avro.compatibility.level") and not settings.is_set("schema.compatibility.level")
    level = settings.text("avro.compatibility.level" if older else "schema.compatibility.level")
    return Defaults(
        compatibility_level=CompatibilityLevel[level.upper()],
        normalize=settings.flag("schema.normalize"),
        validate_fields=settings.flag("schema.validate.fields"),
        mode_mutability=settings.flag("mode.mutability"),
        incompatible_code=int(settings.text("schema.incompatible.error.code")),
    )


def is_eligible(settings: Settings) -> bool:
    older = settings.is_set("master.eligibility") and not settings.is_set("leader.eligibility")
    return settings.flag("master.eligibility" if older else "leader.eligibility")


def group_id_of(settings: Settings) -> str:
    older = settings.text("kafkastore.group.id")
    return (
        older
        if older and not settings.is_set("schema.registry.group.id")
        else settings.text("schema.registry.group.id")
    )


def write_timeout_ms(settings: Settings) -> int:
    return max(settings.integer("kafkastore.timeout.ms"), _WRITE_TIMEOUT_MS_MIN)


def limits_of(settings: Settings, what: str) -> Limits:
    maximum = settings.integer(f"{what}.search.max.limit")
    return Limits(min(settings.integer(f"{what}.search.default.limit"), maximum), maximum)
