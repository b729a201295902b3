"""A script with its assertions: ASSERT VALUES, NULL VALUES, STREAM and TABLE hold for what came before them.

Statements are carried out one by one. Before an assertion about rows, queries read what was inserted since.
"""

from __future__ import annotations

from typing import Any

import msgspec

from riacho.pipelines.sql.analysis.outcomes import RowOutcome, SourceOutcome
from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.analysis.statements import analyse
from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.plan.planner import decode
from riacho.pipelines.sql.records.record_decoder import RecordDecoder
from riacho.pipelines.sql.syntax import statements as syntax
from riacho.pipelines.sql.syntax.expressions import Location
from riacho.pipelines.sql.testing.case_run import ArmFailedError
from riacho.pipelines.sql.testing.engine import Engine
from riacho.pipelines.sql.testing.query_run import QueryRun
from riacho.pipelines.sql.testing.spark_arms import SparkArms


class AssertionFailedError(Exception):
    """One sentence."""


class ScriptRun:
    def __init__(self, arms: SparkArms) -> None:
        self._arms = arms
        self.engine = Engine({}, arms.evaluate, self._check)
        self._runs: dict[str, QueryRun] = {}
        self._asserted: dict[str, int] = {}

    def run(self, text: str) -> None:
        """KsqlError for a statement that is refused, AssertionFailedError for what does not hold."""
        self.engine.execute(text)

    def pump(self) -> None:
        """Queries read all that their topics have, until nothing is new."""
        while any([self._read(query.query_id) for query in self.engine.queries()]):
            pass

    def _read(self, query_id: str) -> bool:
        plan = self.engine.catalogue.queries[query_id].plan
        run = self._runs.setdefault(query_id, QueryRun(plan, self.engine.registry))
        has_read = False
        for read in plan.reads:
            position = run.positions.get(read.topic, 0)
            records = list(enumerate(self.engine.topics.records(read.topic)))[position:]
            if not records:
                continue
            has_read = True
            run.positions[read.topic] = position + len(records)
            steps = run.run(read, records)
            answer: Any = None
            while True:
                try:
                    arm = steps.send(answer)
                except StopIteration as end:
                    for written in end.value:
                        self.engine.topics.append(plan.write.topic, written)
                    break
                (answer,) = self._arms.run([arm])
                if isinstance(answer, ArmFailedError):
                    raise answer
        return has_read

    def _check(self, statement: syntax.Statement) -> None:
        match statement:
            case syntax.AssertValues():
                self.pump()
                self._check_values(statement)
            case syntax.AssertSource(wanted):
                self._check_source(wanted)
            case _:
                pass

    def _check_values(self, statement: syntax.AssertValues) -> None:
        source = self.engine.catalogue.source(statement.target)
        position = self._asserted.get(source.topic, 0)
        records = self.engine.topics.records(source.topic)
        if position >= len(records):
            raise AssertionFailedError(
                f"Expected another record, but all records have already been read from topic {source.topic}"
            )
        self._asserted[source.topic] = position + 1
        record = records[position]
        try:
            found = RecordDecoder(decode(source, {}), self.engine.registry).decode(
                record.key, record.value, record.timestamp_ms
            )
        except CodecError as error:
            raise AssertionFailedError(f"The record {position} of {source.topic} cannot be read: {error}") from None
        if statement.is_tombstone != (found.value is None):
            raise AssertionFailedError(f"The record {position} of {source.topic} is {found.key} -> {found.value}")
        actual = {**_row(found.key), **_row(found.value), "ROWTIME": found.timestamp_ms}
        for name, wanted in self._expected(statement, source).items():
            if actual.get(name) != wanted:
                raise AssertionFailedError(
                    f"Expected record does not match actual: column {name} of record {position} of {source.topic} is "
                    f"{actual.get(name)!r}, not {wanted!r}"
                )

    def _expected(self, statement: syntax.AssertValues, source: DataSource) -> dict[str, Any]:
        """The columns that the assertion names."""
        insert = syntax.Parsed(
            syntax.InsertValues(statement.target, statement.columns, statement.values), "", Location(1, 1)
        )
        outcome = analyse(insert, self.engine.catalogue, Settings(evaluate=self._arms.evaluate))
        assert isinstance(outcome, RowOutcome)
        row = {**(outcome.key or {}), **(outcome.value or {})}
        if outcome.timestamp_ms is not None:
            row["ROWTIME"] = outcome.timestamp_ms
        names = statement.columns or tuple(column.name for column in source.schema)
        return {name: row.get(name) for name in names}

    def _check_source(self, wanted: syntax.CreateSource) -> None:
        found = self.engine.catalogue.source(wanted.name)
        other = Engine({}, None, lambda statement: None)
        settings = Settings(registry={"schema.registry.url": "memory:"})
        outcome = analyse(syntax.Parsed(wanted, "", Location(1, 1)), other.catalogue, settings)
        if not isinstance(outcome, SourceOutcome):
            raise KsqlError(f"{wanted.name} cannot be compared")
        for name, one, two in (
            ("type", found.kind, outcome.source.kind),
            ("schema", found.schema, outcome.source.schema),
            ("topic", found.topic, outcome.source.topic),
            ("key format", found.key_format.name, outcome.source.key_format.name),
            ("value format", found.value_format.name, outcome.source.value_format.name),
        ):
            if one != two:
                raise AssertionFailedError(f"Expected {name} of {wanted.name} does not match actual")


def _row(text: str | None) -> dict[str, Any]:
    return {} if text is None else msgspec.json.decode(text, type=dict)
