"""Transactions and producers as brokers tell of them, and ending one that hangs."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaException, Producer

from riacho.client.connection import Connection
from riacho.testing import KafkaCluster
from riacho.wire.schema import Message
from support.control_center import CLUSTER, ControlCenterService

TRANSACTIONS = f"{CLUSTER}/transactions"
ID = "console/tx 1"
PATH = f"{TRANSACTIONS}/console%2Ftx%201"


@pytest.fixture
def hanging(brokers: KafkaCluster, console: ControlCenterService) -> Producer:
    if console.get(f"{CLUSTER}/topics/transacted").status_code == 404:
        made = console.post(f"{CLUSTER}/topics", {"name": "transacted", "partitions": 2, "replication": 1})
        assert made.status_code == 201, made.text
    producer = Producer({"bootstrap.servers": brokers.bootstrap_servers, "transactional.id": ID})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce("transacted", b"x", partition=1)
    assert producer.flush(30) == 0
    return producer


def test_a_transaction_that_hangs_is_seen_and_aborted(console: ControlCenterService, hanging: Producer) -> None:
    page = console.get(f"{TRANSACTIONS}?q=console/tx&state=Ongoing").json()
    [row] = page["items"]
    assert (row["id"], row["state"], page["total"]) == (ID, "Ongoing", 1)
    assert row["started_ms"] > 0
    one = console.get(PATH).json()
    assert one["partitions"] == [{"topic": "transacted", "partition": 1}]
    assert (one["producer_id"], one["coordinator"]) == (row["producer_id"], row["coordinator"])
    producers = console.get(f"{CLUSTER}/topics/transacted/producers").json()
    [open_one] = [each for each in producers["items"] if each["transaction_start_offset"] is not None]
    assert (open_one["partition"], open_one["producer_id"]) == (1, one["producer_id"])
    assert console.post(f"{PATH}/abort").status_code == 204
    with pytest.raises(KafkaException):
        hanging.commit_transaction(10)
    assert console.get(PATH).json()["state"] != "Ongoing"
    entry = console.get("/api/v1/audit?q=abort").json()["items"][0]
    assert (entry["about"]["id"], entry["outcome"]) == (ID, "done")


def test_many_that_are_open_are_described_at_once(
    console: ControlCenterService, brokers: KafkaCluster, hanging: Producer, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [
        Producer({"bootstrap.servers": brokers.bootstrap_servers, "transactional.id": f"many-{n}"}) for n in range(5)
    ]
    for each in others:
        each.init_transactions(30)
        each.begin_transaction()
        each.produce("transacted", b"x", partition=0)
        assert each.flush(30) == 0
    asked: list[str] = []
    send = Connection.send

    def noted(self: Connection, request: Message, version: int | None = None) -> object:
        asked.append(request.NAME)
        return send(self, request, version)

    monkeypatch.setattr(Connection, "send", noted)
    page = console.get(f"{TRANSACTIONS}?state=Ongoing").json()
    assert len([row for row in page["items"] if row["started_ms"]]) == 6
    coordinators = {row["coordinator"] for row in page["items"]}
    assert asked.count("DescribeTransactionsRequest") == len(coordinators) <= 2
    for each in (*others, hanging):
        each.abort_transaction(30)


def test_one_that_is_not_there_is_not_made_by_aborting_it(console: ControlCenterService) -> None:
    for _ in range(2):
        answer = console.post(f"{TRANSACTIONS}/nobodys/abort")
        assert (answer.status_code, answer.json()["message"]) == (404, "There is no transactional id nobodys.")
    assert console.get(f"{TRANSACTIONS}/nobodys").status_code == 404
    assert console.get(f"{CLUSTER}/topics/no-such-topic/producers").status_code == 404
