"""Where a broker says it is, and the ways to tell it: files, the environment of the container images, overrides."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.raw import RawConnection, wait_for_coordinator
from riacho.broker.config import BrokerConfig
from support.broker_command import BrokerCommand, write_properties
from support.ports import free_port
from support.riacho_process import RiachoProcess

HOST = "127.0.0.1"
PLAIN = {"offsets.topic.num.partitions": "1", "riacho.metrics.port": "-1"}


def connect(port: int) -> RawConnection:
    return RawConnection((HOST, port))


def advertised(connection: RawConnection) -> set[tuple[str, int]]:
    """The broker's address by each API that tells it."""
    wait_for_coordinator(connection, "g")
    [broker] = connection.ask("Metadata", 9, topics=[]).brokers
    [described] = connection.ask("DescribeCluster", 0).brokers
    [coordinator] = connection.ask("FindCoordinator", 4, key_type=0, coordinator_keys=["g"]).coordinators
    return {(found.host, found.port) for found in (broker, described, coordinator)}


def test_each_listener_advertises_its_own_address(tmp_path: Path) -> None:
    inside, outside, plain = free_port(), free_port(), free_port()
    broker = RiachoProcess(
        tmp_path,
        PLAIN
        | {
            "listeners": f"INSIDE://{HOST}:{inside},OUTSIDE://{HOST}:{outside},PLAINTEXT://{HOST}:{plain}",
            "advertised.listeners": "INSIDE://broker-1.internal:29092,OUTSIDE://203.0.113.7:19092",
            "listener.security.protocol.map": "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "inter.broker.listener.name": "INSIDE",
        },
    )
    broker.port = plain
    broker.start()
    try:
        found = {}
        for port in (inside, outside, plain):
            with connect(port) as connection:
                found[port] = advertised(connection)
    finally:
        broker.stop()
    assert found == {
        inside: {("broker-1.internal", 29092)},
        outside: {("203.0.113.7", 19092)},
        plain: {(HOST, plain)},
    }


@pytest.mark.parametrize("bound", ["127.0.0.1", "0.0.0.0", ""])
def test_what_is_advertised_without_settings_leads_back_here(bound: str, tmp_path: Path) -> None:
    port = free_port()
    properties = PLAIN | {"listeners": f"PLAINTEXT://{bound}:{port}", "log.dirs": str(tmp_path / "data")}
    path = write_properties(tmp_path / "server.properties", properties)
    with BrokerCommand(tmp_path, str(path)) as running:
        running.wait_for(port)
        with connect(port) as connection:
            [(host, told_port)] = advertised(connection)
            [broker] = connection.ask("Metadata", 9, topics=[]).brokers
        assert told_port == port
        assert host not in ("", "0.0.0.0", "::")
        if bound == HOST:
            assert host == HOST
        with RawConnection((host, told_port)) as connection:
            [again] = connection.ask("Metadata", 9, topics=[]).brokers
        assert (again.node_id, again.host, again.port) == (broker.node_id, host, port)
        assert running.stop() == 0


def test_with_no_settings_at_all_it_is_node_1_on_localhost_9092() -> None:
    config = BrokerConfig()
    assert (config.node_id, config.advertised("PLAINTEXT", 9092)) == (1, (HOST, 9092))
    assert [(each.name, each.host, each.port) for each in config.broker_listeners] == [("PLAINTEXT", HOST, 9092)]


def test_the_environment_of_the_container_images_sets_a_broker_up(tmp_path: Path) -> None:
    port, controller = free_port(), free_port()
    env = {
        "KAFKA_NODE_ID": "7",
        "KAFKA_PROCESS_ROLES": "broker,controller",
        "KAFKA_LISTENERS": f"PLAINTEXT://{HOST}:{port},CONTROLLER://{HOST}:{controller}",
        "KAFKA_ADVERTISED_LISTENERS": f"PLAINTEXT://localhost:{port}",
        "KAFKA_CONTROLLER_LISTENER_NAMES": "CONTROLLER",
        "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
        "KAFKA_CONTROLLER_QUORUM_VOTERS": f"7@localhost:{controller}",
        "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR": "1",
        "KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS": "1",
        "KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS": "0",
        "KAFKA_NUM_PARTITIONS": "5",
        "KAFKA_LOG_DIRS": str(tmp_path / "data"),
        "KAFKA_RIACHO_METRICS_PORT": "-1",
        "KAFKA_HEAP_OPTS": "-Xmx1G",
        "KAFKA_JMX_PORT": "9101",
    }
    with BrokerCommand(tmp_path, env=env) as running:
        running.wait_for(port)
        with connect(port) as connection:
            assert advertised(connection) == {("localhost", port)}
            answer = connection.ask("Metadata", 9, topics=[{"name": "made"}], allow_auto_topic_creation=True)
            assert [broker.node_id for broker in answer.brokers] == [7]
            assert len(answer.topics[0].partitions) == 5
        assert running.stop() == 0
        assert "not known" not in running.stderr


def test_an_override_beats_the_environment_which_beats_the_file(tmp_path: Path) -> None:
    port = free_port()
    in_file = {"listeners": f"PLAINTEXT://{HOST}:{port}", "node.id": "1", "num.partitions": "1", "broker.rack": "a"}
    path = write_properties(tmp_path / "server.properties", PLAIN | in_file | {"log.dirs": str(tmp_path / "data")})
    env = {"KAFKA_NUM_PARTITIONS": "2", "KAFKA_BROKER_RACK": "b"}
    with BrokerCommand(tmp_path, str(path), "--override", "num.partitions=3", env=env) as running:
        running.wait_for(port)
        with connect(port) as connection:
            answer = connection.ask("Metadata", 9, topics=[{"name": "made"}], allow_auto_topic_creation=True)
        assert (len(answer.topics[0].partitions), answer.brokers[0].rack) == (3, "b")
        assert running.stop() == 0
