"""A write that still waits to be allowed."""

from __future__ import annotations

from pathlib import Path

from riacho.broker.logs import Logs
from riacho.broker.requests.later import Later
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from support.broker_fakes import FakeBroker, recorded_logs, request_frame
from support.hosted_replicas import hosted_of
from support.led_partition import host, state
from support.log_files import TOPIC_ID, make_batch
from support.produce_parts import serve_produce


def test_a_write_that_still_waits_to_be_allowed_opens_no_fast_path(tmp_path: Path) -> None:
    """A transactional batch is put before its coordinator first, and only then is its topic asked for: a fast path
    would take the next batch without any question."""
    broker = FakeBroker()
    broker.logs = Logs(recorded_logs(level=20)[0].access, broker.logs.error)
    hosted, _ = host(tmp_path, state((1,), replicas=(1,)), broker.clock)
    hosted_of(broker.replicas, "t", TOPIC_ID)[0] = hosted
    serve_produce(broker)
    ctx = broker.context(9)
    data = TopicProduceData(name="t", partition_data=[PartitionProduceData(index=0, records=bytes(make_batch([b"v"])))])
    request = ProduceRequest(transactional_id="x", acks=-1, timeout_ms=1, topic_data=[data])
    frame = bytearray(request_frame(request, 9))[4:]
    offers = broker.produce.fast_path_offers
    assert offers.offer(ctx, frame, request, Later(is_exclusive=True)) is None
    # One that was written and waits for its commit has been asked for.
    assert offers.offer(ctx, frame, request, Later()) is not None
    hosted.log.close(clean=False)
