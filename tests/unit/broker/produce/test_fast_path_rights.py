"""A write that still waits to be allowed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from riacho.broker.produce.produce_fast_path import offer_fast_path
from riacho.broker.requests.later import Later
from riacho.broker.requests.request_context import RequestContext
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from riacho.wire.records import Record, build_batch
from support.broker_fakes import FakeBroker, request_frame


def test_a_write_that_still_waits_to_be_allowed_opens_no_fast_path() -> None:
    """A transactional batch is put before its coordinator first, and only then is its topic asked for: a fast path
    would take the next batch without any question."""
    broker: Any = FakeBroker()
    kept: list[object] = []
    hosted = SimpleNamespace(is_internal=False, rules=SimpleNamespace(appends_time=False), topic="t", index=0)
    broker.replicas = SimpleNamespace(known=lambda topic, index: hosted)
    broker.logs.logs_data_path = False
    connection: Any = SimpleNamespace(
        broker=broker, context=RequestContext(broker, "", ""), keep_fast_path=kept.append, listener=None
    )
    connection.context.version = 9
    records = bytes(build_batch([Record(offset_delta=0, timestamp_delta=0, key=None, value=b"v")], base_timestamp=0))
    data = TopicProduceData(name="t", partition_data=[PartitionProduceData(index=0, records=records)])
    request = ProduceRequest(transactional_id="x", acks=-1, timeout_ms=1, topic_data=[data])
    frame = bytearray(request_frame(request, 9))[4:]
    offer_fast_path(connection, frame, request, Later(is_exclusive=True))
    assert kept == []
    # One that was written and waits for its commit has been asked for.
    offer_fast_path(connection, frame, request, Later())
    assert len(kept) == 1
