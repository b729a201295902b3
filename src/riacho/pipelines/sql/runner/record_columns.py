"""Codecs in Spark's workers: frames of records to frames of rows, and back.

What cannot be decoded or encoded stays in the frame as a row that says why (`dropped`), so that the query counts it
with the micro-batch that it commits, and goes to the processing log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from riacho.pipelines.late_pandas import put_off_pandas
from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.formats.registry_access import registry_of
from riacho.pipelines.sql.plan.steps import Decode, Encode
from riacho.pipelines.sql.records.record_decoder import RecordDecoder
from riacho.pipelines.sql.records.record_encoder import RecordEncoder
from riacho.pipelines.sql.runner.processing_log import ProcessingLog
from riacho.pipelines.worker_heap import settle


@dataclass(frozen=True, slots=True)
class Logged:
    """Where what is left out is logged: sent to the workers, which open a log of their own."""

    topic: str
    options: Mapping[str, str]
    query_id: str

    def open(self, part: str) -> ProcessingLog:
        return ProcessingLog(self.topic, self.options, f"processing.{self.query_id}.{part}")


@dataclass(frozen=True, slots=True)
class DecodeRecords:
    """What `mapInArrow` calls with the rows of the source."""

    steps: Mapping[str, Decode]
    """By topic."""
    registry: Mapping[str, str]
    logged: Logged

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from riacho.pipelines.sql.runner.frame_schemas import DECODED_ARROW

        put_off_pandas()
        settle("decode")
        access = registry_of(self.registry)
        decoders = {topic: RecordDecoder(step, access) for topic, step in self.steps.items()}
        log = self.logged.open("KsqlTopic.Source.deserializer")
        for batch in batches:
            yield pa.RecordBatch.from_arrays(self._decoded(batch, decoders, log), schema=DECODED_ARROW)
        log.flush()

    def _decoded(
        self, batch: pa.RecordBatch, decoders: Mapping[str, RecordDecoder], log: ProcessingLog
    ) -> list[pa.Array]:
        topics, keys, values = (batch.column(name).to_pylist() for name in ("topic", "key", "value"))
        times = batch.column("timestamp").cast(pa.timestamp("ms", tz="UTC"), safe=False).cast(pa.int64()).to_pylist()
        decoded: list[tuple[str | None, str | None, int, int | None, int | None, str | None]] = []
        for topic, key, value, time_ms in zip(topics, keys, values, times, strict=True):
            try:
                decoded.append((*decoders[topic].decode(key, value, time_ms), None))
            except CodecError as error:
                log.undecodable(topic, "value", value, str(error))
                decoded.append((None, None, time_ms, None, None, str(error)))
        columns = list(zip(*decoded, strict=True)) if decoded else [()] * 6
        offsets = batch.column("offset")
        return [
            pa.array(columns[0], pa.string()),
            pa.array(columns[1], pa.string()),
            pa.array(columns[2], pa.int64()),
            batch.column("partition"),
            offsets,
            batch.column("headers"),
            pa.array(columns[3], pa.int64()),
            pa.array(columns[4], pa.int64()),
            offsets,
            pa.array(columns[5], pa.string()),
        ]


@dataclass(frozen=True, slots=True)
class EncodeRecords:
    """What `mapInArrow` calls with the rows of a result (k, v, ts, headers, ws, we)."""

    step: Encode
    registry: Mapping[str, str]
    logged: Logged

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from riacho.pipelines.sql.runner.frame_schemas import RECORDS_ARROW

        put_off_pandas()
        settle("encode")
        encoder = RecordEncoder(self.step, registry_of(self.registry))
        log = self.logged.open(f"{self.step.sink}.serializer")
        for batch in batches:
            yield pa.RecordBatch.from_arrays(self._encoded(batch, encoder, log), schema=RECORDS_ARROW)
        log.flush()

    def _encoded(self, batch: pa.RecordBatch, encoder: RecordEncoder, log: ProcessingLog) -> list[pa.Array]:
        given = [batch.column(name).to_pylist() for name in ("k", "v", "ts", "ws", "we")]
        encoded: list[tuple[bytes | None, bytes | None, int, str | None]] = []
        for key, value, time_ms, start, end in zip(*given, strict=True):
            try:
                encoded.append((*encoder.encode(key, value, time_ms, start, end), None))
            except CodecError as error:
                log.unencodable(self.step.topic, value, str(error))
                encoded.append((None, None, time_ms, str(error)))
        columns = list(zip(*encoded, strict=True)) if encoded else [()] * 4
        from riacho.pipelines.sql.runner.frame_schemas import RECORDS_ARROW

        return [
            pa.array([self.step.topic] * batch.num_rows, pa.string()),
            pa.array(columns[0], pa.binary()),
            pa.array(columns[1], pa.binary()),
            pa.array([time_ms * 1000 for time_ms in columns[2]], RECORDS_ARROW.field("timestamp").type),
            batch.column("headers").cast(RECORDS_ARROW.field("headers").type),
            pa.array(columns[3], pa.string()),
        ]
