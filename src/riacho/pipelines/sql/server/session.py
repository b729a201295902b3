"""What one request's statements share: its properties, which SET changes, and its variables, which DEFINE does."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from riacho.pipelines.sql.analysis.settings import refuse_fixed
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.parsing.variables import Variables

# What a request may set. Everything else is the operator's, in the server's file: a setting must not load code, reach
# other hosts or files, or change who is believed.
_SETTABLE = frozenset(
    {
        "auto.offset.reset",
        "cache.max.bytes.buffering",
        "statestore.cache.max.bytes",
        "commit.interval.ms",
        "processing.guarantee",
        "max.task.idle.ms",
        "num.stream.threads",
        "request.timeout.ms",
        "buffered.records.per.partition",
        "ksql.cast.strings.preserve.nulls",
        "ksql.error.classifier.regex",
        "ksql.functions.collect_list.limit",
        "ksql.functions.collect_set.limit",
        "ksql.headers.columns.enabled",
        "ksql.insert.into.values.enabled",
        "ksql.json_sr.converter.deserializer.enabled",
        "ksql.lambdas.enabled",
        "ksql.output.topic.name.prefix",
        "ksql.persistence.default.format.key",
        "ksql.persistence.default.format.value",
        "ksql.persistence.wrap.single.values",
        "ksql.query.native.aggregation.enabled",
        "ksql.query.pull.consistency.token.enabled",
        "ksql.query.pull.max.allowed.offset.lag",
        "ksql.query.pull.table.scan.enabled",
        "ksql.query.push.v2.enabled",
        "ksql.query.push.v2.continuation.tokens.enabled",
        "ksql.query.retry.backoff.initial.ms",
        "ksql.query.retry.backoff.max.ms",
        "ksql.rowpartition.rowoffset.enabled",
        "ksql.runtime.feature.shared.enabled",
        "ksql.schema.registry.convert.enabled",
        "ksql.source.table.materialization.enabled",
        "ksql.streams.max.task.idle.ms",
        "ksql.suppress.enabled",
        "ksql.suppress.buffer.size.bytes",
        "ksql.timestamp.throw.on.invalid",
        "ksql.transient.prefix",
        "ksql.variable.substitution.enable",
    }
)
_STREAMS = "ksql.streams."
_CHOICES = {
    "auto.offset.reset": ("earliest", "latest"),
    "processing.guarantee": ("exactly_once", "exactly_once_v2", "exactly_once_beta", "at_least_once"),
    "ksql.query.native.aggregation.enabled": ("true", "false"),
    "ksql.timestamp.throw.on.invalid": ("true", "false"),
}


def is_settable(name: str, denied: Collection[str] = ()) -> bool:
    """`denied` are the names that the operator has withdrawn (`ksql.properties.overrides.denylist`)."""
    plain = name.removeprefix(_STREAMS)
    return (name in _SETTABLE or plain in _SETTABLE) and not {name, plain} & set(denied)


def check_property(name: str, denied: Collection[str] = ()) -> None:
    """KsqlError where a request may not set it."""
    if is_denied(name, denied):
        raise KsqlError(
            "One or more properties overrides set locally are prohibited by the KSQL server (use UNSET to reset their "
            f"default value): [{name}]"
        )
    if not is_settable(name):
        raise KsqlError(
            f"Cannot override property '{name[:200]}': it is unknown, or only the server's own settings can set it."
        )


def is_denied(name: str, denied: Collection[str]) -> bool:
    return name in denied or name.removeprefix(_STREAMS) in denied


@dataclass(slots=True)
class Session:
    properties: dict[str, str] = field(default_factory=dict)
    variables: Variables = field(default_factory=Variables)
    denied: Collection[str] = ()

    @classmethod
    def of(cls, properties: Mapping[str, str], variables: Mapping[str, str], denied: Collection[str] = ()) -> Session:
        for name, value in properties.items():
            check_property(name, denied)
            _check_value(name, value)
        return cls(dict(properties), Variables(variables), denied)

    def set(self, name: str, value: str) -> None:
        check_property(name, self.denied)
        _check_value(name, value)
        self.properties[name] = value

    def unset(self, name: str) -> None:
        check_property(name)
        self.properties.pop(name, None)


def _check_value(name: str, value: str) -> None:
    refuse_fixed(name.removeprefix(_STREAMS), value)
    choices = _CHOICES.get(name.removeprefix(_STREAMS))
    if choices is not None and value.lower() not in choices:
        raise KsqlError(
            f"Invalid value {value[:200]} for configuration {name}: String must be one of: {', '.join(choices)}"
        )
