"""Every version of every API gives an answer that can be written, or hangs up with a reason, whatever it is asked.

Elements that are there or not, named once or twice, null, with the smallest and largest numbers; on the listener for
clients and on the one for controllers. A traceback in the broker's log fails the test: it stands for an answer that
nobody thought of.
"""

from __future__ import annotations

import re
import socket
import struct
from collections.abc import Iterator
from typing import Any

import pytest

from conformance.raw import RawConnection, batch
from hostile.hostile_broker import KNOWN, HostileBroker, answered
from riacho.base.errors import ErrorCode
from riacho.broker.handlers.table import CONTROLLER_TABLE, TABLE
from riacho.broker.requests.api import Api
from riacho.wire.apis import request_class
from support.hostile_requests import Names, array_paths, hostile_request, request_bytes

_BUGS = re.compile(r"Traceback|request failed|cannot be written")
# Ends its peer's part in the quorum, or this node's, which is what it is for; the core's own tests have them.
_QUORUM = {52, 53, 54, 59, 80, 81, 82}
WHOLE: tuple[str, ...] = ()
EXTREMES = (-(1 << 63), -7, -2, (1 << 63) - 1)


def requests(broker: HostileBroker, key: int, version: int) -> Iterator[Any]:
    unknown = Names("made-up", b"\x07" * 16)
    quorum = Names("__cluster_metadata", is_distinct=False)
    for path in (WHOLE, *array_paths(request_class(key), version)):
        for names in (broker.alike, unknown, quorum):
            yield hostile_request(key, version, path, 2, names)
            yield hostile_request(key, version, path, 2, names, others=0)
            yield hostile_request(key, version, path, 2, names, is_null=True)
    for number in EXTREMES:
        yield hostile_request(key, version, WHOLE, 1, broker.alike, integers=number)


def test_a_broker_that_lives_is_not_taken_off_the_record(broker: HostileBroker) -> None:
    with RawConnection(broker.address) as peer:
        refused = peer.ask("UnregisterBroker", 0, broker_id=1)
        assert refused.error_code == ErrorCode.INVALID_REQUEST
        assert "alive" in refused.error_message
        data = {"name": KNOWN, "partition_data": [{"index": 0, "records": batch(b"v")}]}
        [stored] = peer.ask("Produce", 9, acks=-1, timeout_ms=5_000, topic_data=[data]).responses
        assert stored.partition_responses[0].error_code == 0


def walk(broker: HostileBroker, port: int, api: Api) -> None:
    before = broker.output_size_bytes()
    for version in range(api.version_min, api.version_max + 1):
        peer = socket.create_connection((broker.address[0], port), timeout=10.0)
        with peer:
            for request in requests(broker, api.key, version):
                frame = request_bytes(request, api.key, version)
                peer.sendall(struct.pack(">i", len(frame)) + frame)
                if answered(peer, timeout_s=0.3) is None:
                    # Closed, or an answer that waits for others: a join, say.
                    peer.close()
                    peer = socket.create_connection((broker.address[0], port), timeout=10.0)
    broker.check()
    said = broker.output_from(before)
    bug = _BUGS.search(said)
    assert bug is None, said[max(0, bug.start() - 500) : bug.end() + 3_000]


@pytest.mark.parametrize("api", TABLE, ids=lambda api: api.name)
def test_clients_are_answered(broker: HostileBroker, api: Api) -> None:
    walk(broker, broker.process.port, api)


@pytest.mark.parametrize(
    "api",
    [api for api in CONTROLLER_TABLE if api.key not in _QUORUM],
    ids=lambda api: api.name,
)
def test_brokers_are_answered(broker: HostileBroker, api: Api) -> None:
    walk(broker, broker.controller_port, api)
