"""The broker as a process: how it stops, what it refuses to start with, and what it writes about itself."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.raw import RawConnection, batch, wait_for_coordinator
from support.broker_command import (
    BrokerCommand,
    assert_told_in_one_sentence,
    run_to_its_end,
    write_properties,
)
from support.ports import free_port
from support.riacho_process import RiachoProcess

HOST = "127.0.0.1"
PLAIN = {"offsets.topic.num.partitions": "1", "riacho.metrics.port": "-1"}


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RiachoProcess]:
    process = RiachoProcess(tmp_path, PLAIN)
    process.start()
    yield process
    if process.is_running:
        process.stop()


def connect(port: int) -> RawConnection:
    return RawConnection((HOST, port))


def create_topic(connection: RawConnection, name: str, partitions: int = 1) -> None:
    wanted = {"name": name, "num_partitions": partitions, "replication_factor": 1}
    [result] = connection.ask("CreateTopics", 7, topics=[wanted], timeout_ms=5_000).topics
    assert result.error_code == 0, result


def produce(connection: RawConnection, topic: str, *values: bytes) -> int:
    data = {"name": topic, "partition_data": [{"index": 0, "records": batch(*values)}]}
    [stored] = connection.ask("Produce", 9, acks=-1, timeout_ms=5_000, topic_data=[data]).responses
    assert stored.partition_responses[0].error_code == 0, stored
    return int(stored.partition_responses[0].base_offset)


def end_offset(connection: RawConnection, topic: str) -> int:
    asked = [{"name": topic, "partitions": [{"partition_index": 0, "timestamp": -1}]}]
    [found] = connection.ask("ListOffsets", 5, replica_id=-1, topics=asked).topics
    assert found.partitions[0].error_code == 0, found
    return int(found.partitions[0].offset)


# Stopping


def park_fetch(connection: RawConnection, topic: str, offset: int) -> int:
    partition = {"partition": 0, "fetch_offset": offset, "partition_max_bytes": 1_000}
    asked = [{"topic": topic, "partitions": [partition]}]
    return connection.send(
        "Fetch", 11, max_wait_ms=60_000, min_bytes=1, max_bytes=1_000, session_epoch=-1, replica_id=-1, topics=asked
    )


def park_join(connection: RawConnection, group: str) -> int:
    return connection.send(
        "JoinGroup",
        3,
        group_id=group,
        session_timeout_ms=30_000,
        rebalance_timeout_ms=60_000,
        protocol_type="consumer",
        protocols=[{"name": "range", "metadata": b""}],
    )


def see_parked(port: int) -> None:
    """Two answers to another connection: what was sent to the broker before them has been read by then."""
    with connect(port) as other:
        other.ask("ApiVersions", 0)
        other.ask("ApiVersions", 0)


def test_a_stopping_broker_answers_whoever_waits(tmp_path: Path) -> None:
    broker = RiachoProcess(tmp_path, PLAIN | {"group.initial.rebalance.delay.ms": "60000"})
    broker.start()
    with connect(broker.port) as fetcher, connect(broker.port) as joiner:
        create_topic(fetcher, "orders")
        assert produce(fetcher, "orders", b"one", b"two") == 0
        wait_for_coordinator(joiner, "waiters")
        fetch, join = park_fetch(fetcher, "orders", 2), park_join(joiner, "waiters")
        see_parked(broker.port)
        assert broker.process is not None
        broker.process.terminate()
        [topic] = fetcher.receive("Fetch", 11, fetch).responses
        answered = (topic.partitions[0].error_code, topic.partitions[0].high_watermark, topic.partitions[0].records)
        assert answered == (0, 2, b"")
        assert joiner.receive("JoinGroup", 3, join).error_code != 0
        assert fetcher.is_closed()
        assert broker.process.wait(20) == 0
    assert (tmp_path / "data" / ".kafka_cleanshutdown").exists()
    assert "Traceback" not in broker.output_tail()


def test_a_clean_stop_spares_the_next_start_its_recovery(broker: RiachoProcess, tmp_path: Path) -> None:
    """A damaged batch is found by a recovery, which cuts the log there, and by nothing else at start."""
    with connect(broker.port) as connection:
        create_topic(connection, "orders")
        for value in (b"first", b"second", b"third"):
            produce(connection, "orders", value)
    assert broker.stop() == 0
    segment = tmp_path / "data" / "orders-0" / "00000000000000000000.log"
    whole = segment.read_bytes()
    segment.write_bytes(whole.replace(b"second", b"sEcond"))
    broker.start()
    with connect(broker.port) as connection:
        assert end_offset(connection, "orders") == 3
    broker.kill()
    (tmp_path / "data" / "recovery-point-offset-checkpoint").unlink()
    assert not (tmp_path / "data" / ".kafka_cleanshutdown").exists()
    broker.start()
    with connect(broker.port) as connection:
        assert end_offset(connection, "orders") == 1
    assert "torn tail cut off partition=orders-0" in broker.output_tail()


def test_ctrl_c_stops_as_cleanly_as_sigterm(tmp_path: Path) -> None:
    port = free_port()
    properties = PLAIN | {"listeners": f"PLAINTEXT://{HOST}:{port}", "log.dirs": str(tmp_path / "data")}
    path = write_properties(tmp_path / "server.properties", properties)
    with BrokerCommand(tmp_path, str(path)) as running:
        running.wait_for(port)
        running.process.send_signal(2)
        assert running.process.wait(20) == 0
        assert "Traceback" not in running.stderr
    assert (tmp_path / "data" / ".kafka_cleanshutdown").exists()


# Refusing to start


def test_a_second_broker_on_the_same_data_is_told_so(broker: RiachoProcess, tmp_path: Path) -> None:
    listeners = f"listeners=PLAINTEXT://{HOST}:{free_port()}"
    done = run_to_its_end("--override", f"log.dirs={tmp_path / 'data'}", "--override", listeners)
    assert_told_in_one_sentence(done, "in use by another broker", str(tmp_path / "data"))
    with connect(broker.port) as connection:
        create_topic(connection, "still-here")


def test_a_second_broker_on_the_same_port_is_told_so(broker: RiachoProcess, tmp_path: Path) -> None:
    other = tmp_path / "other"
    listeners = f"listeners=PLAINTEXT://{HOST}:{broker.port}"
    done = run_to_its_end("--override", f"log.dirs={other}", "--override", listeners)
    assert_told_in_one_sentence(done, f"PLAINTEXT://{HOST}:{broker.port}", "in use")
    assert not other.exists(), "a broker that cannot start leaves nothing behind"


def test_a_taken_metrics_port_that_was_asked_for_is_told(tmp_path: Path) -> None:
    port = free_port()
    with socket.create_server((HOST, port)):
        done = run_to_its_end(
            *("--override", f"listeners=PLAINTEXT://{HOST}:{free_port()}"),
            *("--override", f"log.dirs={tmp_path / 'data'}"),
            *("--override", f"riacho.metrics.port={port}", "--log-level", "ERROR"),
        )
    assert_told_in_one_sentence(done, "metrics", "in use", str(port))
    assert not (tmp_path / "data").exists()


BAD = {
    "a number that is none": ({"node.id": "first"}, ["node.id", "first"]),
    "a listener that is none": ({"listeners": "9092"}, ["listeners", "9092"]),
    "a protocol nobody knows": ({"listener.security.protocol.map": "PLAINTEXT:MORSE"}, ["MORSE"]),
    "encryption without a key": (
        {"listeners": f"SSL://{HOST}:9092", "security.inter.broker.protocol": "SSL"},
        ["listener SSL", "ssl.keystore.location"],
    ),
    "Kerberos, which is not served": (
        {"listeners": f"SASL_PLAINTEXT://{HOST}:9092", "security.inter.broker.protocol": "SASL_PLAINTEXT"},
        ["GSSAPI"],
    ),
    "an advertised listener that does not listen": (
        {"advertised.listeners": "PUBLIC://h:1", "listener.security.protocol.map": "PUBLIC:PLAINTEXT"},
        ["listener", "security"],
    ),
    "an address no client can reach": ({"advertised.listeners": "PLAINTEXT://0.0.0.0:1"}, ["0.0.0.0", "reach"]),
    "two ids": ({"node.id": "1", "broker.id": "2"}, ["node.id", "broker.id"]),
    "a role nobody knows": ({"process.roles": "waiter"}, ["process.roles", "waiter"]),
    "a number too small": ({"num.partitions": "0"}, ["num.partitions"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_properties_are_told_in_one_sentence(case: str, tmp_path: Path) -> None:
    properties, words = BAD[case]
    path = write_properties(tmp_path / "server.properties", {"log.dirs": str(tmp_path / "data")} | properties)
    assert_told_in_one_sentence(run_to_its_end(str(path), cwd=tmp_path), *words)
    assert not (tmp_path / "data").exists()


def test_a_properties_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"broker.rack=S\xe3o Paulo\n")
    assert_told_in_one_sentence(run_to_its_end(str(tmp_path / "latin")), "latin")
    missing = run_to_its_end(str(tmp_path / "missing"))
    assert missing.returncode in (1, 2)
    assert "missing" in missing.stderr
    assert "Traceback" not in missing.stderr


def test_data_of_another_node_is_not_touched(broker: RiachoProcess, tmp_path: Path) -> None:
    broker.stop()
    before = {path.name: path.read_bytes() for path in (tmp_path / "data").iterdir() if path.is_file()}
    done = run_to_its_end(
        *("--override", f"log.dirs={tmp_path / 'data'}", "--override", "node.id=2"),
        *("--override", f"listeners=PLAINTEXT://{HOST}:{free_port()}"),
    )
    assert_told_in_one_sentence(done, "node 1", "node 2")
    assert {path.name: path.read_bytes() for path in (tmp_path / "data").iterdir() if path.is_file()} == before


# What it writes about itself


def test_access_and_error_log_are_two_files(tmp_path: Path) -> None:
    port = free_port()
    properties = PLAIN | {"listeners": f"PLAINTEXT://{HOST}:{port}", "log.dirs": str(tmp_path / "data")}
    path = write_properties(tmp_path / "server.properties", properties)
    access, error = tmp_path / "access.log", tmp_path / "error.log"
    with BrokerCommand(tmp_path, str(path), "--access-log", str(access), "--error-log", str(error)) as running:
        running.wait_for(port)
        with connect(port) as connection:
            create_topic(connection, "orders")
            produce(connection, "orders", b"x")
        with socket.create_connection((HOST, port)) as stranger:
            stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
            stranger.settimeout(10)
            assert stranger.recv(1) == b""
        assert running.stop() == 0
        assert (running.stdout, running.stderr) == ("", "")
    asked, happened = access.read_text(), error.read_text()
    assert "api=CreateTopics" in asked
    assert "api=Produce" not in asked, "the data path is quiet unless DEBUG is asked for"
    assert "api=" not in happened
    for event in ("broker started node_id=1", "connection refused", "broker stopped"):
        assert event in happened
        assert event not in asked


def test_the_audit_log_may_have_a_file_of_its_own(tmp_path: Path) -> None:
    port = free_port()
    properties = PLAIN | {"listeners": f"PLAINTEXT://{HOST}:{port}", "log.dirs": str(tmp_path / "data")}
    path = write_properties(tmp_path / "server.properties", properties)
    audit = tmp_path / "audit.log"
    with BrokerCommand(tmp_path, str(path), "--audit-log", str(audit), "--log-level", "ERROR") as running:
        running.wait_for(port)
        with connect(port) as connection:
            create_topic(connection, "orders")
            produce(connection, "orders", b"x")
        assert running.stop() == 0
        assert running.stdout == ""
    (line,) = audit.read_text().splitlines()
    assert " change principal=User:ANONYMOUS host=127.0.0.1 " in line
    assert line.endswith(" target=orders outcome=ok")


def test_without_files_the_logs_are_the_two_streams_and_debug_tells_every_request(tmp_path: Path) -> None:
    port = free_port()
    properties = PLAIN | {"listeners": f"PLAINTEXT://{HOST}:{port}", "log.dirs": str(tmp_path / "data")}
    path = write_properties(tmp_path / "server.properties", properties)
    with BrokerCommand(tmp_path, str(path), "--log-level", "DEBUG") as running:
        running.wait_for(port)
        with RawConnection((HOST, port), client_id="two\nlines") as connection:
            create_topic(connection, "orders")
            produce(connection, "orders", b"x")
        assert running.stop() == 0
        assert "api=Produce" in running.stdout
        assert r'"two\nlines"' in running.stdout
        assert "broker started" in running.stderr
        assert "broker started" not in running.stdout
        assert "api=" not in running.stderr


def test_secrets_reach_neither_log(tmp_path: Path) -> None:
    port = free_port()
    secrets = {
        "ssl.keystore.password": "hunter-one",
        "sasl.jaas.config": 'org.example.Login required password="hunter-two";',
        "my.own.token": "hunter-three",
    }
    properties = PLAIN | secrets | {"listeners": f"PLAINTEXT://{HOST}:{port}", "log.dirs": str(tmp_path / "data")}
    path = write_properties(tmp_path / "server.properties", properties)
    env = {"KAFKA_SSL_TRUSTSTORE_PASSWORD": "hunter-four"}
    with BrokerCommand(tmp_path, str(path), "--log-level", "DEBUG", env=env) as running:
        running.wait_for(port)
        with connect(port) as connection:
            change = {"name": "ssl.key.password", "config_operation": 0, "value": "hunter-five"}
            resource = {"resource_type": 4, "resource_name": "1", "configs": [change]}
            connection.ask("IncrementalAlterConfigs", 1, resources=[resource])
            asked = {"resource_type": 4, "resource_name": "1", "configuration_keys": None}
            [described] = connection.ask("DescribeConfigs", 4, resources=[asked]).results
        assert running.stop() == 0
        assert "hunter" not in running.stdout
        assert "hunter" not in running.stderr
        assert "my.own.token is not known" in running.stderr
    configs = {entry.name: (entry.value, entry.is_sensitive) for entry in described.configs}
    assert configs["ssl.keystore.password"] == (None, True)
    assert not any("hunter" in (value or "") for value, _ in configs.values())


# Metrics and health


def get(port: int, path: str) -> tuple[int, str, str]:
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}{path}", timeout=5) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers["Content-Type"], error.read().decode()


def is_hung_up(peer: socket.socket) -> bool:
    try:
        return peer.recv(1) == b""
    except ConnectionError:
        return True


def test_metrics_and_health_are_served(tmp_path: Path) -> None:
    metrics = free_port()
    broker = RiachoProcess(tmp_path, PLAIN | {"riacho.metrics.port": str(metrics)})
    broker.start()
    try:
        with connect(broker.port) as connection:
            create_topic(connection, "orders", 3)
            produce(connection, "orders", b"one", b"two")
            status, kind, text = get(metrics, "/metrics")
            assert (status, kind.split(";")[0]) == (200, "text/plain")
            lines = set(text.splitlines())
            assert {
                "riacho_messages_in_total 2",
                "riacho_partitions 3",
                "riacho_connections 1",
                "riacho_offline_log_dirs 0",
                'riacho_request_seconds_count{api="Produce"} 1',
            } <= lines
            status, kind, text = get(metrics, "/health")
            assert (status, kind, text) == (200, "application/json", '{"status":"UP"}\n')
            assert get(metrics, "/")[0] == 404
            assert get(metrics, "/../../etc/passwd")[0] == 404
        with socket.create_connection((HOST, metrics), timeout=5) as peer:
            peer.sendall(b"x" * 20_000)
            assert is_hung_up(peer), "a request without an end is not listened to for ever"
    finally:
        assert broker.stop() == 0
