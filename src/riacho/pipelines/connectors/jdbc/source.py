"""JDBC source: rows of tables, or of one query, as records. PostgreSQL and SQLite.

Confluent's settings and modes (`jdbc_range` says what each promises). The value is a struct of the table's columns as
they are when a micro-batch is planned: a column that is added meanwhile is in the next one. The key is null;
ValueToKey makes one. One micro-batch takes rows of one table, so tables take turns. `batch.max.rows` bounds a micro-
batch; its default is larger than Confluent's, since a micro-batch costs more than a poll.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, ClassVar

from riacho.base.config import at_least, one_of, one_of_any_case
from riacho.pipelines.config_def import ConfigDef, ConfigType, ConfigValue, Definition, Importance, with_errors
from riacho.pipelines.connectors.jdbc.connection import CONNECTION
from riacho.pipelines.connectors.jdbc.range import BOTH, BULK, INCREMENTING, MODES, TIMESTAMP
from riacho.pipelines.connectors.jdbc.relations import QUERY, JdbcSettings, check_relations
from riacho.pipelines.connectors.offset_values import check_count, check_keys
from riacho.pipelines.plugin import SourceConnector, SourceOffset

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_MAPPINGS = ("none", "precision_only", "best_fit", "best_fit_eager_double")


class JdbcSourceConnector(SourceConnector):
    CLASS: ClassVar[str] = "io.confluent.connect.jdbc.JdbcSourceConnector"
    DOC: ClassVar[str] = "Rows of tables or of a query, in bulk or as they come, from PostgreSQL and SQLite."
    CONFIG: ClassVar[ConfigDef] = CONNECTION + ConfigDef(
        Definition(
            "mode",
            ConfigType.STRING,
            doc="How new rows are found.",
            required=True,
            valid=one_of(*MODES),
            importance=Importance.HIGH,
            group="Mode",
            recommended=MODES,
        ),
        Definition(
            "incrementing.column.name",
            ConfigType.STRING,
            "",
            doc="The column whose values only grow; empty: the one that the table itself counts up.",
            group="Mode",
        ),
        Definition(
            "timestamp.column.name",
            ConfigType.LIST,
            "",
            doc="The column that says when a row changed; of several the first that is not null.",
            group="Mode",
        ),
        Definition(
            "timestamp.initial",
            ConfigType.LONG,
            doc="Where to begin in timestamp modes: milliseconds since 1970; without it, at the oldest row.",
            importance=Importance.LOW,
            group="Mode",
        ),
        Definition(
            "validate.non.null",
            ConfigType.BOOLEAN,
            "true",
            doc="Refuse tables in which the columns of the mode may be null.",
            importance=Importance.LOW,
            group="Mode",
        ),
        Definition("query", ConfigType.STRING, "", doc="A query to read instead of tables.", group="Mode"),
        Definition("table.whitelist", ConfigType.LIST, "", doc="Tables to read, and no others.", group="Database"),
        Definition("table.blacklist", ConfigType.LIST, "", doc="Tables to leave out.", group="Database"),
        Definition("table.types", ConfigType.LIST, "TABLE", doc="TABLE, VIEW and the like.", group="Database"),
        Definition("schema.pattern", ConfigType.STRING, doc="Only tables of these schemas (LIKE).", group="Database"),
        Definition(
            "topic.prefix",
            ConfigType.STRING,
            doc="What stands before the table's name in the topic's; with a query, the topic.",
            required=True,
            importance=Importance.HIGH,
            group="Connector",
        ),
        Definition(
            "poll.interval.ms",
            ConfigType.INT,
            "5000",
            doc="How often each table is looked at.",
            valid=at_least(0),
            importance=Importance.HIGH,
            group="Connector",
        ),
        Definition(
            "batch.max.rows",
            ConfigType.INT,
            "10000",
            doc="How many rows a micro-batch takes at most; rows of one moment stay together.",
            valid=at_least(1),
            group="Connector",
        ),
        Definition(
            "timestamp.delay.interval.ms",
            ConfigType.LONG,
            "0",
            doc="How old a row must be before it is read, so that slow transactions are not missed.",
            valid=at_least(0),
            group="Connector",
        ),
        Definition(
            "numeric.mapping",
            ConfigType.STRING,
            "none",
            doc="What NUMERIC becomes: a decimal (none), or a plainer number where it fits.",
            valid=one_of_any_case(*_MAPPINGS),
            group="Database",
            recommended=_MAPPINGS,
        ),
    )

    # Rows of the last micro-batch.
    _held: DataFrame | None = None

    @classmethod
    def check(cls, configs: Mapping[str, str]) -> list[ConfigValue]:
        return with_errors(super().check(configs), _spanning(configs))

    def jdbc_settings(self) -> JdbcSettings:
        given: Mapping[str, Any] = self.settings
        return JdbcSettings(
            url=given["connection.url"],
            user=given["connection.user"],
            password=given["connection.password"],
            quoting=given["quote.sql.identifiers"].lower(),
            mode=given["mode"],
            incrementing=given["incrementing.column.name"],
            timestamps=given["timestamp.column.name"],
            delay_ms=given["timestamp.delay.interval.ms"],
            zone=given["db.timezone"],
            query=given["query"],
            whitelist=given["table.whitelist"],
            blacklist=given["table.blacklist"],
            types=given["table.types"],
            schema=given["schema.pattern"],
            prefix=given["topic.prefix"],
            numeric_mapping=given["numeric.mapping"].lower(),
            poll_s=given["poll.interval.ms"] / 1000,
            batch_max_rows=given["batch.max.rows"],
            attempts=given["connection.attempts"],
            backoff_s=given["connection.backoff.ms"] / 1000,
        )

    def prepare(self) -> None:
        settings = self.jdbc_settings()
        with replace(settings, attempts=1).reached() as (database, connection):
            check_relations(settings, database, connection, bool(self.settings["validate.non.null"]))

    def open(self, spark: SparkSession, offsets: Sequence[SourceOffset] | None) -> DataFrame:
        from riacho.pipelines.connectors.jdbc.stream import FORMAT, SETTINGS, START, JdbcDataSource

        spark.dataSource.register(JdbcDataSource)
        settings = self.jdbc_settings()
        start = self._start(settings, offsets)
        stream = spark.readStream.format(FORMAT).option(SETTINGS, json.dumps(asdict(settings)))
        return stream.option(START, json.dumps(start)).load()

    def shape(self, batch: DataFrame) -> DataFrame:
        """The rows are kept until the next batch, so that the table is read once."""
        from riacho.pipelines.connectors.jdbc.chunks import unpacked

        self.close()
        self._held = batch.persist()
        return unpacked(self._held)

    def close(self) -> None:
        if self._held is not None:
            self._held.unpersist()
        self._held = None

    def _start(self, settings: JdbcSettings, offsets: Sequence[SourceOffset] | None) -> dict[str, Any]:
        start: dict[str, Any] = {}
        initial: Any = self.settings["timestamp.initial"]
        database = settings.database()
        if initial is not None and settings.mode in (TIMESTAMP, BOTH):
            moment = database.moment(initial, settings.zone)
            with settings.reached() as (found, connection):
                from riacho.pipelines.connectors.jdbc.relations import relations

                start = {each.name: {TIMESTAMP: moment} for each in relations(settings, found, connection)}
        for given in offsets or ():
            table = str(given.partition.get("table") or given.partition.get("query") or QUERY)
            if given.offset is not None:
                start[table] = _from_connect(given.offset, lambda ms: database.moment(ms, settings.zone))
        return start

    @classmethod
    def alter_offsets(cls, configs: Mapping[str, str], offsets: Sequence[SourceOffset]) -> None:
        kind = QUERY if configs.get("query") else "table"
        check_keys(offsets, [kind], [INCREMENTING, TIMESTAMP, "timestamp_nanos", "snapshot"])
        for each in offsets:
            value = None if each.offset is None else each.offset.get(TIMESTAMP)
            if value is not None and not isinstance(value, str):
                check_count({TIMESTAMP: value}, TIMESTAMP)

    def source_offsets(self, end: Mapping[str, Any]) -> list[SourceOffset]:
        """`table` is the name that offsets have inside; altered offsets come back by it."""
        shown = (INCREMENTING, TIMESTAMP, "snapshot")
        kind = QUERY if self.settings["query"] else "table"
        return [
            SourceOffset({"protocol": "1", kind: table}, {key: place[key] for key in shown if key in place})
            for table, place in end.items()
        ]


def _from_connect(offset: Mapping[str, Any], moment: Any) -> dict[str, Any]:
    """Confluent keeps timestamps as milliseconds, we as the database's own text: both are taken."""
    place = dict(offset)
    if isinstance(place.get(TIMESTAMP), int):
        place[TIMESTAMP] = moment(place[TIMESTAMP])
    place.pop("timestamp_nanos", None)
    return place


def _spanning(configs: Mapping[str, str]) -> dict[str, str]:
    """Rules that span settings, by the setting that is at fault."""
    wrong = {}
    mode = configs.get("mode", BULK)
    if mode in (TIMESTAMP, BOTH) and not configs.get("timestamp.column.name", "").strip():
        wrong["timestamp.column.name"] = f"timestamp.column.name must be set when mode is {mode}"
    if configs.get("query", "").strip():
        for name in ("table.whitelist", "table.blacklist"):
            if configs.get(name, "").strip():
                wrong[name] = f"{name} cannot be set together with query"
        if mode in (INCREMENTING, BOTH) and not configs.get("incrementing.column.name", "").strip():
            wrong["incrementing.column.name"] = "incrementing.column.name must be set when query is"
    elif configs.get("table.whitelist", "").strip() and configs.get("table.blacklist", "").strip():
        wrong["table.blacklist"] = "table.blacklist cannot be set together with table.whitelist"
    return wrong
