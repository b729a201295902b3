"""DESCRIBE and EXPLAIN: one stream, table, function or query, with what runs on it."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any

from riacho.pipelines.pipeline import Pipeline
from riacho.pipelines.sql.catalogue.queries import PersistentQuery
from riacho.pipelines.sql.catalogue.sources import Column, DataSource, Namespace
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.functions.registry import Registry
from riacho.pipelines.sql.plan.explain import execution_plan, topology
from riacho.pipelines.sql.plan.pipeline_of import pipeline_of
from riacho.pipelines.sql.plan.steps import SqlStep, StatementPlan
from riacho.pipelines.sql.server.command_state import CommandState
from riacho.pipelines.sql.server.entities import Entity, entity, type_schema
from riacho.pipelines.sql.server.function_description import function_description
from riacho.pipelines.sql.server.query_supervisor import Job, QuerySupervisor
from riacho.pipelines.sql.server.topics import Topics
from riacho.pipelines.sql.syntax.statements import Kind


@dataclass(slots=True)
class Describing:
    state: CommandState
    supervisor: QuerySupervisor
    topics: Topics
    functions: Registry
    processing_log: str
    """The topic of records that queries leave out, or empty."""

    def pipeline(self, plan: StatementPlan) -> Pipeline[SqlStep]:
        """What runs of it."""
        return pipeline_of(plan, self.processing_log, self.supervisor.trigger_ms)

    async def source(self, name: str, text: str, is_extended: bool) -> Entity:
        found = self.state.catalogue.find(name)
        if found is None:
            raise KsqlError(f"Could not find STREAM/TABLE '{name}' in the Metastore")
        described = await self._source(found, is_extended)
        return entity("sourceDescription", text, sourceDescription=described)

    async def all_of(self, kind: Kind, text: str) -> Entity:
        found = sorted(self.state.catalogue.sources.values(), key=lambda each: each.name)
        described = [await self._source(each, True) for each in found if each.kind is kind]
        return entity("source_descriptions", text, sourceDescriptions=described)

    def explain_query(self, query_id: str, text: str) -> Entity:
        known = next((each for each in self.state.catalogue.queries if each.upper() == query_id.upper()), None)
        if known is None:
            raise KsqlError(
                f"Query with id:{query_id} does not exist, use SHOW QUERIES to view the full set of queries."
            )
        return entity("queryDescription", text, queryDescription=self.query(known), overriddenProperties={})

    def explain_plan(self, plan: StatementPlan, source: DataSource, sink: DataSource | None, text: str) -> Entity:
        """Of a statement that does not run."""
        described: dict[str, Any] = {
            "id": "",
            "statementText": plan.statement,
            "windowType": None if sink is None or sink.window is None else sink.window.kind.value,
            "fields": [] if sink is None else _fields(sink),
            "sources": [source.name],
            "sinks": [],
            "topology": topology(plan, self.pipeline(plan)),
            "executionPlan": execution_plan(plan),
            "overriddenProperties": {},
            "ksqlHostQueryStatus": {},
            "queryType": "PUSH" if sink is None else "PERSISTENT",
            "queryErrors": [],
            "tasksMetadata": [],
            "state": None,
        }
        return entity("queryDescription", text, queryDescription=described)

    def query(self, query_id: str) -> dict[str, Any]:
        query = self.state.catalogue.queries[query_id]
        sink = self.state.catalogue.find(query.sink)
        job = self.supervisor.jobs.get(query_id)
        status = self.supervisor.status_of(query)
        return {
            "id": query_id,
            "statementText": query.text,
            "windowType": None if sink is None or sink.window is None else sink.window.kind.value,
            "fields": [] if sink is None else _fields(sink),
            "sources": list(query.reads),
            "sinks": [query.sink],
            "topology": topology(query.plan, self.pipeline(query.plan)),
            "executionPlan": execution_plan(query.plan),
            "overriddenProperties": {},
            "ksqlHostQueryStatus": {self.supervisor.host: status},
            "queryType": "PERSISTENT",
            "queryErrors": [] if job is None else _errors(job),
            "tasksMetadata": [],
            "state": status,
            "statistics": {} if job is None else _figures(job, self.supervisor.spark_ui),
        }

    def function(self, name: str, text: str) -> Entity:
        found = self.functions.find(name)
        if found is None:
            raise KsqlError(f"Can't find any functions with the name '{name}'")
        return entity("describe_function", text, **function_description(found))

    async def _source(self, source: DataSource, is_extended: bool) -> dict[str, Any]:
        catalogue = self.state.catalogue
        topic = await asyncio.to_thread(self.topics.find, source.topic) if is_extended else None
        jobs = [self.supervisor.jobs[each] for each in catalogue.writers(source.name) if each in self.supervisor.jobs]
        return {
            "name": source.name,
            "windowType": None if source.window is None else source.window.kind.value,
            "readQueries": [self._listed(catalogue.queries[each]) for each in catalogue.readers(source.name)],
            "writeQueries": [self._listed(catalogue.queries[each]) for each in catalogue.writers(source.name)],
            "fields": _fields(source),
            "type": source.kind.value,
            "timestamp": "" if source.timestamp is None else source.timestamp.name,
            "statistics": _statistics(jobs) if is_extended else "",
            "errorStats": _error_statistics(jobs) if is_extended else "",
            "extended": is_extended,
            "keyFormat": source.key_format.name,
            "valueFormat": source.value_format.name,
            "topic": source.topic,
            "partitions": topic.partitions if topic is not None else source.partitions if is_extended else 0,
            "replication": topic.replicas[0] if topic is not None else 0,
            "statement": source.sql,
            "queryOffsetSummaries": [_offsets(job) for job in jobs if job.progress is not None] if is_extended else [],
            "sourceConstraints": list(catalogue.derived_from(source.name)),
            "clusterStatistics": [],
            "clusterErrorStats": [],
        }

    def _listed(self, query: PersistentQuery) -> dict[str, Any]:
        status = self.supervisor.status_of(query)
        return {
            "queryString": query.text,
            "sinks": [query.sink],
            "sinkKafkaTopics": [query.plan.write.topic],
            "id": query.query_id,
            "statusCount": {status: 1},
            "queryType": "PERSISTENT",
            "state": status,
        }


def _fields(source: DataSource) -> list[dict[str, Any]]:
    return [_field(column) for column in source.schema]


def _field(column: Column) -> dict[str, Any]:
    field: dict[str, Any] = {"name": column.name, "schema": type_schema(column.type)}
    if column.namespace is Namespace.KEY:
        field["type"] = "KEY"
    elif column.namespace is Namespace.HEADERS:
        field |= {"type": "HEADER", "headerKey": column.header_key}
    return field


def _errors(job: Job) -> list[dict[str, Any]]:
    return [{"timestamp": each.at_ms, "errorMessage": each.sentence, "type": each.kind} for each in job.errors]


def _figures(job: Job, spark_ui: str | None) -> dict[str, Any]:
    progress = job.progress
    return {
        "rows": job.rows,
        "dropped": job.dropped,
        "lastBatchMs": None if progress is None else progress.batch_ms,
        "stateRows": None if progress is None else progress.state_rows,
        "stateBytes": None if progress is None else progress.state_bytes,
        "secondsSinceLastBatch": None if job.progress_at_s is None else round(time.monotonic() - job.progress_at_s, 1),
        "lag": None if progress is None else progress.lag,
        "sparkUi": spark_ui,
    }


def _statistics(jobs: list[Job]) -> str:
    rows = sum(job.rows for job in jobs)
    rates = [job.progress.rows_per_second for job in jobs if job.progress is not None]
    return f"messages-per-sec: {sum(rates):>9.2f}   total-messages: {rows:>9}" if jobs else ""


def _error_statistics(jobs: list[Job]) -> str:
    dropped = sum(job.dropped for job in jobs)
    failures = sum(len(job.errors) for job in jobs)
    return f"dropped-records: {dropped:>9}   failures: {failures:>9}" if jobs else ""


def _offsets(job: Job) -> dict[str, Any]:
    assert job.progress is not None, "it has been asked"
    lag = job.progress.lag or {}
    topics = [
        {
            "kafkaTopic": topic,
            "offsets": [
                {
                    "partition": int(part),
                    "logStartOffset": 0,
                    "logEndOffset": offset + lag.get(topic, {}).get(part, 0),
                    "consumerOffset": offset,
                }
                for part, offset in sorted(offsets.items())
            ],
        }
        for topic, offsets in sorted(job.progress.offsets.items())
    ]
    return {"groupId": job.query.query_id, "topicSummaries": topics}
