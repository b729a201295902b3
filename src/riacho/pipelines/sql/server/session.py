"""What one request's statements share: its properties, which SET changes, and its variables, which DEFINE does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
        "ksql.properties.overrides.denylist",
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


def settable_names() -> frozenset[str]:
    return _SETTABLE


def is_settable(name: str) -> bool:
    return name in _SETTABLE or name.removeprefix(_STREAMS) in _SETTABLE


def check_property(name: str) -> None:
    """KsqlError where a request may not set it."""
    if not is_settable(name):
        raise KsqlError(
            f"Cannot override property '{name[:200]}': it is unknown, or only the server's own settings can set it."
        )


@dataclass(slots=True)
class Session:
    properties: dict[str, str] = field(default_factory=dict)
    variables: Variables = field(default_factory=Variables)

    @classmethod
    def of(cls, properties: Mapping[str, str], variables: Mapping[str, str]) -> Session:
        for name in properties:
            check_property(name)
        return cls(dict(properties), Variables(variables))

    def set(self, name: str, value: str) -> None:
        check_property(name)
        self.properties[name] = value

    def unset(self, name: str) -> None:
        check_property(name)
        self.properties.pop(name, None)
