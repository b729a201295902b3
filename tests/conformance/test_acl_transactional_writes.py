"""A transactional write is asked about twice, by its transaction's coordinator and for its topic: neither is passed by
sending the next batch at once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.acl_broker import SecuredBroker, run_secured
from conformance.raw import RawConnection, batch, error_codes, wait_until_served
from conformance.running_broker import kinds
from conformance.waiting import eventually
from riacho.base.acl import AclOperation, AclResourceType
from riacho.base.errors import ErrorCode

USER = "u0"


@pytest.fixture(scope="module", params=[kind for kind in kinds() if kind != "running"])
def secured(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredBroker]:
    if request.param == "apache":
        from support.apache_kafka import available

        reason = available()
        if reason:
            pytest.skip(f"no Apache Kafka beside us: {reason}")
    with run_secured(request.param, tmp_path_factory.mktemp(f"acl-{request.param}")) as broker:
        yield broker


def test_no_write_gets_in_behind_one_that_was_refused(secured: SecuredBroker) -> None:
    with secured.connect() as admin:
        _prepare(admin, "closed")
    with secured.connect(USER) as connection:
        producer = eventually(lambda: _producer(connection))
        first = batch(b"first", base_sequence=0, transactional=True, **producer)
        for records in (first, batch(b"plain"), batch(b"plain"), first):
            assert _write(connection, bytearray(records)) == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    with secured.connect() as admin:
        topics = [{"name": "closed", "partitions": [{"partition_index": 0, "timestamp": -1}]}]
        found = admin.ask("ListOffsets", 7, topics=topics, replica_id=-1, isolation_level=0)
        assert found.topics[0].partitions[0].offset == 0


def test_a_topic_that_may_not_be_written_to_does_not_come_into_the_transaction(secured: SecuredBroker) -> None:
    """From v12 on a write adds its partition to the transaction (KIP-890): else the end of it would leave a marker."""
    with secured.connect() as admin:
        _prepare(admin, "shut")
    with secured.connect(USER) as connection:
        producer = eventually(lambda: _producer(connection))
        first = batch(b"first", base_sequence=0, transactional=True, **producer)
        assert _write(connection, first, topic="shut", version=12) == ErrorCode.TOPIC_AUTHORIZATION_FAILED
        ended = connection.ask("EndTxn", 5, transactional_id="mine", committed=True, **producer)
        # There is nothing to commit.
        assert ended.error_code == ErrorCode.INVALID_TXN_STATE


def _prepare(admin: RawConnection, topic: str) -> None:
    """The topic, and the right to the transactional id alone."""
    asked = {"name": topic, "num_partitions": 1, "replication_factor": 1}
    assert not any(error_codes(admin.ask("CreateTopics", 7, topics=[asked], timeout_ms=10_000)))
    wait_until_served(admin, topic)
    entry = {
        "resource_type": AclResourceType.TRANSACTIONAL_ID,
        "resource_name": "mine",
        "resource_pattern_type": 3,
        "principal": f"User:{USER}",
        "host": "*",
        "operation": AclOperation.WRITE,
        "permission_type": 3,
    }
    assert not any(error_codes(admin.ask("CreateAcls", 3, creations=[entry])))


def _producer(connection: RawConnection) -> dict[str, int] | None:
    # Being asked for it brings the coordinator into being.
    connection.ask("FindCoordinator", 4, key_type=1, coordinator_keys=["mine"])
    found = connection.ask("InitProducerId", 4, transactional_id="mine", transaction_timeout_ms=10_000)
    return None if found.error_code else {"producer_id": found.producer_id, "producer_epoch": found.producer_epoch}


def _write(connection: RawConnection, records: bytearray, topic: str = "closed", version: int = 11) -> int:
    data = {"name": topic, "partition_data": [{"index": 0, "records": records}]}
    answer = connection.ask("Produce", version, transactional_id="mine", acks=-1, timeout_ms=5_000, topic_data=[data])
    return int(answer.responses[0].partition_responses[0].error_code)
