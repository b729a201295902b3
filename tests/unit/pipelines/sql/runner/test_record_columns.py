"""Records that are left out in Spark's workers: counted in their place, and told to the processing log."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest

from riacho.pipelines.source.row_schema import HEADERS_TYPE, TIMESTAMP_TYPE
from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.analysis.statements import analyse
from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.parsing.parser import parse_script
from riacho.pipelines.sql.plan.planner import decode
from riacho.pipelines.sql.runner.processing_log import ProcessingLog
from riacho.pipelines.sql.runner.record_columns import DecodeRecords, Logged

TABLE = "CREATE TABLE t (k STRING PRIMARY KEY, v INT) WITH (kafka_topic='t', format='json', partitions=1);"


def _batch(*records: tuple[bytes | None, bytes | None]) -> pa.RecordBatch:
    count = len(records)
    return pa.record_batch(
        {
            "topic": ["t"] * count,
            "key": pa.array([key for key, _ in records], pa.binary()),
            "value": pa.array([value for _, value in records], pa.binary()),
            "timestamp": pa.array([datetime(2024, 1, 1, tzinfo=UTC)] * count, TIMESTAMP_TYPE),
            "partition": pa.array([0] * count, pa.int32()),
            "offset": pa.array(range(count), pa.int64()),
            "headers": pa.array([[]] * count, HEADERS_TYPE),
        }
    )


def test_records_of_a_table_without_a_key_are_counted_and_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    (parsed,) = parse_script(TABLE)
    source = Catalogue().apply_all(analyse(parsed, Catalogue(), Settings(), 0).changes).source("T")
    told: list[dict[str, Any]] = []
    monkeypatch.setattr(ProcessingLog, "_add", lambda self, message: told.append({self.logger: message}))
    decoding = DecodeRecords({"t": decode(source, {})}, {}, Logged("log", {}, "CTAS_X_1"))
    (decoded,) = decoding(iter([_batch((b'"a"', b'{"V":1}'), (None, b'{"V":2}'), (b"null", None))]))
    assert decoded.column("k").to_pylist() == ['{"K":"a"}', None, None]
    assert decoded.column("dropped").to_pylist() == [None, *["A record of a table has no key"] * 2]
    assert [json.loads(json.dumps(each)).popitem() for each in told] == [
        (
            "processing.CTAS_X_1.KsqlTopic.Source.deserializer",
            {
                "type": 0,
                "deserializationError": {
                    "target": "value",
                    "errorMessage": "A record of a table has no key",
                    "recordB64": payload,
                    "cause": [],
                    "topic": "t",
                },
            },
        )
        for payload in ("eyJWIjoyfQ==", None)
    ]
