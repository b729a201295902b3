"""JDBC sink: records as rows of tables, one database transaction for each Spark task. PostgreSQL and SQLite.

Exactly once: upserts, updates and deletes by key give the same rows however often they are done; inserts are recorded
in the database together with their rows (`jdbc_markers`). Within a task the changes happen in the order of the topic,
so the last change of a key wins, deletes included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from riacho.base.config import at_least, one_of_any_case
from riacho.pipelines.config_def import ConfigDef, ConfigType, ConfigValue, Definition, Importance, with_errors
from riacho.pipelines.connectors.jdbc.connection import CONNECTION
from riacho.pipelines.connectors.jdbc.markers import create_markers, forget_earlier
from riacho.pipelines.connectors.jdbc.tables import NONE, PK_MODES, RECORD_KEY, Layout, layout, ready_table
from riacho.pipelines.connectors.jdbc.writer import INSERT, INSERT_MODES, TaskWriter, WriterSettings
from riacho.pipelines.plugin import Rejected, SinkConnector

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class JdbcSinkConnector(SinkConnector):
    CLASS: ClassVar[str] = "io.confluent.connect.jdbc.JdbcSinkConnector"
    DOC: ClassVar[str] = "Rows in tables of PostgreSQL and SQLite: inserted, upserted, updated, deleted; exactly once."
    CONFIG: ClassVar[ConfigDef] = CONNECTION + ConfigDef(
        Definition(
            "insert.mode",
            ConfigType.STRING,
            INSERT,
            doc="What is done with a record.",
            valid=one_of_any_case(*INSERT_MODES),
            importance=Importance.HIGH,
            group="Writes",
            recommended=INSERT_MODES,
        ),
        Definition(
            "batch.size",
            ConfigType.INT,
            "3000",
            doc="How many rows one statement takes at most.",
            valid=at_least(1),
            group="Writes",
        ),
        Definition(
            "delete.enabled",
            ConfigType.BOOLEAN,
            "false",
            doc="Delete the row of a key whose value is null; needs pk.mode=record_key.",
            group="Writes",
        ),
        Definition(
            "table.name.format",
            ConfigType.STRING,
            "${topic}",
            doc="The table of a topic.",
            group="Data Mapping",
        ),
        Definition(
            "pk.mode",
            ConfigType.STRING,
            NONE,
            doc="Where the primary key comes from.",
            valid=one_of_any_case(*PK_MODES),
            importance=Importance.HIGH,
            group="Data Mapping",
            recommended=PK_MODES,
        ),
        Definition("pk.fields", ConfigType.LIST, "", doc="The columns of the primary key.", group="Data Mapping"),
        Definition(
            "fields.whitelist",
            ConfigType.LIST,
            "",
            doc="Fields of the value to write; empty: all.",
            group="Data Mapping",
        ),
        Definition(
            "auto.create", ConfigType.BOOLEAN, "false", doc="Create tables that are missing.", group="DDL Support"
        ),
        Definition(
            "auto.evolve", ConfigType.BOOLEAN, "false", doc="Add columns that are missing.", group="DDL Support"
        ),
        Definition(
            "max.retries", ConfigType.INT, "10", doc="How often a transaction is tried again.", valid=at_least(0)
        ),
        Definition("retry.backoff.ms", ConfigType.INT, "3000", doc="How long to wait before that.", valid=at_least(0)),
    )

    def __init__(self, settings: Mapping[str, Any], context: Any) -> None:
        super().__init__(settings, context)
        self._ready: tuple[Layout | None, set[str]] = (None, set())

    @classmethod
    def check(cls, configs: Mapping[str, str]) -> list[ConfigValue]:
        return with_errors(super().check(configs), _spanning(configs))

    def writer_settings(self) -> WriterSettings:
        given: Mapping[str, Any] = self.settings
        return WriterSettings(
            url=given["connection.url"],
            user=given["connection.user"],
            password=given["connection.password"],
            quoting=given["quote.sql.identifiers"].lower(),
            zone=given["db.timezone"],
            insert_mode=given["insert.mode"].lower(),
            may_delete=given["delete.enabled"],
            table_format=given["table.name.format"],
            batch_size=given["batch.size"],
            retries_max=given["max.retries"],
            backoff_s=given["retry.backoff.ms"] / 1000,
        )

    def prepare(self) -> None:
        settings = self.writer_settings()
        database = settings.database()
        connection = database.connect()
        try:
            if settings.insert_mode == INSERT:
                create_markers(database, connection)
            connection.commit()
        except database.errors as error:
            raise database.failure(error) from None
        finally:
            connection.close()

    def put(self, batch: DataFrame, batch_id: int) -> Sequence[Rejected]:
        given: Mapping[str, Any] = self.settings
        settings = self.writer_settings()
        kinds = {field.name: field.dataType for field in batch.schema.fields}
        pk_mode = given["pk.mode"].lower()
        needed = layout(kinds["key"], kinds["value"], pk_mode, given["pk.fields"], given["fields.whitelist"])
        topics = sorted(row[0] for row in batch.select("topic").distinct().collect())
        if not topics:
            return []
        self._ready_tables(settings, needed, [settings.table(topic) for topic in topics], batch_id)
        work = TaskWriter(settings, needed, self.context.name, batch_id)
        from riacho.pipelines.records import RAW_TOPIC, came_from

        rows = batch.select("topic", "partition", "offset", "key", "value", came_from(batch).alias(RAW_TOPIC))
        refused = rows.mapInArrow(work, "topic string, partition int, offset bigint, message string")
        return [Rejected(*row) for row in refused.collect()]

    def _ready_tables(self, settings: WriterSettings, needed: Layout, tables: Sequence[str], batch_id: int) -> None:
        """Tables and columns are looked at again only when the fields of the records have changed."""
        known, done = self._ready
        missing = [table for table in tables if known != needed or table not in done]
        if not missing and settings.insert_mode != INSERT:
            return
        database = settings.database()
        connection = database.connect()
        try:
            for table in missing:
                # Tombstones alone say nothing about columns.
                if needed.others or needed.keys:
                    create, evolve = bool(self.settings["auto.create"]), bool(self.settings["auto.evolve"])
                    ready_table(database, connection, table, needed, create, evolve)
            if settings.insert_mode == INSERT:
                forget_earlier(database, connection, self.context.name, batch_id)
            connection.commit()
        except database.errors as error:
            raise database.failure(error) from None
        finally:
            connection.close()
        self._ready = (needed, (done if known == needed else set()) | set(missing))


def _spanning(configs: Mapping[str, str]) -> dict[str, str]:
    """Rules that span settings, by the setting that is at fault."""
    wrong = {}
    pk_mode = configs.get("pk.mode", NONE).strip().lower()
    mode = configs.get("insert.mode", INSERT).strip().lower()
    fields = [name for name in configs.get("pk.fields", "").split(",") if name.strip()]
    if configs.get("delete.enabled", "").strip().lower() == "true" and pk_mode != RECORD_KEY:
        wrong["delete.enabled"] = "Deletes are only supported for pk.mode record_key"
    if mode != INSERT and pk_mode == NONE:
        wrong["pk.mode"] = f"insert.mode {mode} needs a primary key: pk.mode must not be none"
    if pk_mode == "kafka" and len(fields) not in (0, 3):
        wrong["pk.fields"] = "pk.mode kafka takes three pk.fields, for topic, partition and offset, or none"
    return wrong
