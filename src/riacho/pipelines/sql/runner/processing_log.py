"""Records that a query had to leave out, written to the processing log topic with what was wrong with each.

They are counted where the query commits; here they are only written, at least once, by whichever worker met them, in
the form that ksqlDB gives them. A processing log that cannot be written must not stop a query: the count stays true.
"""

from __future__ import annotations

import base64
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

_log = logging.getLogger("riacho.ksql")
_WAITING_MAX = 500
_PAYLOAD_BYTES_MAX = 256 * 1024
DESERIALIZATION, RECORD, SERIALIZATION = 0, 1, 4


@dataclass(slots=True)
class ProcessingLog:
    """One a task of Spark's. `topic` empty: nothing is written."""

    topic: str
    options: Mapping[str, str]
    logger: str
    _waiting: list[bytes] = field(default_factory=list)

    def undecodable(self, topic: str, target: str, payload: bytes | None, problem: str) -> None:
        payload = None if payload is None else payload[:_PAYLOAD_BYTES_MAX]
        detail: dict[str, Any] = {
            "target": target,
            "errorMessage": problem,
            "recordB64": None if payload is None else base64.b64encode(payload).decode(),
            "cause": [],
            "topic": topic,
        }
        self._add({"type": DESERIALIZATION, "deserializationError": detail})

    def left_out(self, row: str, problem: str) -> None:
        self._add({"type": RECORD, "recordProcessingError": {"errorMessage": problem, "record": row, "cause": []}})

    def unencodable(self, topic: str, row: str | None, problem: str) -> None:
        detail: dict[str, Any] = {"target": "value", "errorMessage": problem, "record": row, "topic": topic}
        detail["cause"] = []
        self._add({"type": SERIALIZATION, "serializationError": detail})

    def flush(self) -> None:
        if not self._waiting:
            return
        import pyarrow as pa

        from riacho.pipelines.sink.errors import SinkError
        from riacho.pipelines.sink.options import parse_options
        from riacho.pipelines.sink.task import write_at_least_once

        rows, self._waiting = self._waiting, []
        batch = pa.record_batch({"value": pa.array(rows, pa.binary())})
        try:
            write_at_least_once(parse_options({**self.options, "topic": self.topic}), [batch], 0)
        except (SinkError, OSError) as error:
            _log.warning("processing log could not be written topic=%s: %s", self.topic, error)

    def _add(self, message: Mapping[str, Any]) -> None:
        if not self.topic:
            return
        line = {"level": "ERROR", "logger": self.logger, "time": int(time.time() * 1000), "message": message}
        self._waiting.append(msgspec.json.encode(line))
        if len(self._waiting) >= _WAITING_MAX:
            self.flush()
