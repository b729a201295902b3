"""The settings that every connector has besides its own, with Kafka's names, groups, order and defaults.

`shared_config(is_sink, defaults)` is what a connector is validated against before its own definitions; `defaults` are
the worker's converters, which hold where a connector names none.
"""

from __future__ import annotations

from collections.abc import Mapping

from riacho.base.config import ConfigError, Validator, Value, at_least, one_of, one_of_any_case
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.errors import policy
from riacho.pipelines.pipeline import DEFAULT_TRIGGER_MS

COMMON = "Common"
TRANSFORMS = "Transforms"
PREDICATES = "Predicates"
TOPIC_CREATION = "Topic Creation"
EXACTLY_ONCE = "Exactly Once Support"
OFFSETS_TOPIC = "offsets.topic"
SPARK = "Spark"
SESSION = "riacho.session"
TRIGGER = "riacho.trigger.ms"
TOPICS_TIMEOUT = "riacho.topics.timeout.ms"

SIMPLE_HEADERS = "org.apache.kafka.connect.storage.SimpleHeaderConverter"
JSON_CONVERTER = "org.apache.kafka.connect.json.JsonConverter"
CONVERTERS = ("key.converter", "value.converter", "header.converter")

_text, _int, _long, _short = ConfigType.STRING, ConfigType.INT, ConfigType.LONG, ConfigType.SHORT
_list, _class, _flag = ConfigType.LIST, ConfigType.CLASS, ConfigType.BOOLEAN
_high, _medium, _low = Importance.HIGH, Importance.MEDIUM, Importance.LOW


def shared_config(is_sink: bool, defaults: Mapping[str, str]) -> ConfigDef:
    own = _SINK if is_sink else _SOURCE
    errors = policy.SINK_CONFIG if is_sink else policy.CONFIG
    return _common(defaults) + errors + own + _SPARK


def _common(defaults: Mapping[str, str]) -> ConfigDef:
    def row(
        name: str,
        kind: ConfigType,
        default: str | None,
        order: int,
        width: str,
        shown: str,
        doc: str,
        importance: Importance = _low,
        *,
        required: bool = False,
        valid: Validator | None = None,
    ) -> Definition:
        group = {"transforms": TRANSFORMS, "predicates": PREDICATES}.get(name, COMMON)
        return Definition(
            name,
            kind,
            default,
            doc,
            importance=importance,
            group=group,
            order=order,
            width=width,
            display_name=shown,
            required=required,
            valid=valid,
        )

    def converter(name: str, fallback: str, order: int) -> Definition:
        what = name.partition(".")[0]
        return row(
            name,
            _class,
            defaults.get(name, fallback),
            order,
            "SHORT",
            f"{what.capitalize()} converter class",
            f"The class that turns {what}s of records to bytes and back; the worker's where none is named.",
        )

    return ConfigDef(
        row("name", _text, None, 1, "MEDIUM", "Connector name", "The connector's name, unique in the cluster.", _high,
            required=True, valid=_connector_name),
        row("connector.class", _text, None, 2, "LONG", "Connector class",
            "The connector's class by its full name, its simple name or an alias of these.", _high, required=True),
        row("tasks.max", _int, "1", 4, "SHORT", "Tasks max", "How many tasks may work at once.", _high,
            valid=at_least(1)),
        row("tasks.max.enforce", _flag, "true", 5, "SHORT", "Enforce tasks max",
            "Whether more tasks than that are refused."),
        converter("key.converter", JSON_CONVERTER, 6),
        converter("value.converter", JSON_CONVERTER, 8),
        converter("header.converter", SIMPLE_HEADERS, 10),
        row("transforms", _list, "", 12, "LONG", "Transforms", "Names of the transforms, in the order they apply in.",
            valid=_aliases),
        row("predicates", _list, "", 13, "LONG", "Predicates", "Names of the predicates that transforms may ask.",
            valid=_aliases),
        row("config.action.reload", _text, "restart", 14, "MEDIUM", "Reload Action",
            "What a changed secret of a config provider does to a connector: 'restart' or 'none'.",
            valid=one_of("none", "restart")),
    )  # fmt: skip


def _connector_name(name: str, value: Value) -> None:
    text = str(value or "")
    if not text.strip():
        raise ConfigError(f"Invalid value {text} for configuration {name}: String may not be empty")
    found = [f"{ord(letter)}" for letter in text if ord(letter) < 32 or ord(letter) == 127]
    if found:
        raise ConfigError(f"Invalid value {text!r} for configuration {name}: String may not contain control sequences")


def _aliases(name: str, value: Value) -> None:
    if isinstance(value, list) and len(set(value)) != len(value):
        raise ConfigError(f"Invalid value [{', '.join(value)}] for configuration {name}: Duplicate alias provided.")


_SINK = ConfigDef(
    Definition("topics", _list, "", "Topics to read, separated by commas.", importance=_high, group=COMMON, order=4,
               width="LONG", display_name="Topics"),
    Definition("topics.regex", _text, "", "A pattern of the topics to read; either this or topics.", importance=_high,
               group=COMMON, order=4, width="LONG", display_name="Topics regex"),
    Definition(TOPICS_TIMEOUT, _long, "120000", "How long a topic that is named and missing is waited for.",
               importance=_low, group=SPARK, order=3, width="SHORT", display_name="Wait for topics",
               valid=at_least(0)),
)  # fmt: skip

_SOURCE = ConfigDef(
    Definition("topic.creation.groups", _list, "", "Groups of rules by which topics are created.", importance=_low,
               group=TOPIC_CREATION, order=1, width="LONG", display_name="Topic Creation Groups"),
    Definition("topic.creation.default.replication.factor", _short, None,
               "Copies of the topics that are created; -1 is the cluster's default.", importance=_low,
               group=TOPIC_CREATION, order=2, width="LONG", display_name="Replication Factor for Topics"),
    Definition("topic.creation.default.partitions", _int, None,
               "Partitions of the topics that are created; -1 is the cluster's default.", importance=_low,
               group=TOPIC_CREATION, order=3, width="LONG", display_name="Partition Count for Topics"),
    Definition("exactly.once.support", _text, "requested",
               "Whether exactly-once delivery is 'requested' or 'required'; it is always given.", group=EXACTLY_ONCE,
               order=2, width="SHORT", display_name="Exactly once support",
               valid=one_of_any_case("requested", "required"),
               recommended=("requested", "required")),
    Definition("transaction.boundary", _text, "poll", "When transactions end: here with each micro-batch.",
               group=EXACTLY_ONCE, order=3, width="SHORT", display_name="Transaction Boundary",
               valid=one_of_any_case("poll", "interval", "connector")),
    Definition("transaction.boundary.interval.ms", _long, None, "How often, for the boundary 'interval'.",
               importance=_low, group=EXACTLY_ONCE, order=4, width="SHORT",
               display_name="Transaction boundary interval"),
    Definition("offsets.storage.topic", _text, None, "Known for its name; offsets are kept in the worker's topic.",
               importance=_low, group=OFFSETS_TOPIC, order=1, width="LONG", display_name="Offsets topic"),
)  # fmt: skip

_SPARK = ConfigDef(
    Definition(SESSION, _text, "shared",
               "Whether the connector runs on the 'shared' Spark session or on its 'own', in a process of its own.",
               importance=_low, group=SPARK, order=1, width="SHORT", display_name="Spark session",
               valid=one_of("shared", "own"), recommended=("shared", "own")),
    Definition(TRIGGER, _long, str(DEFAULT_TRIGGER_MS), "Milliseconds from one micro-batch to the next.",
               importance=_low, group=SPARK, order=2, width="SHORT", display_name="Trigger interval",
               valid=at_least(0)),
)  # fmt: skip
