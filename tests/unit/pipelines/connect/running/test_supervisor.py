"""A worker as it runs: runners that come, go and die; secrets on their way; what is in the topics; restarts."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, TopicPartition

from riacho.testing import KafkaCluster
from support.connect_worker import ConnectWorker, running_connect, topics_named


def _start(cluster: KafkaCluster, directory: Path, name: str, **more: str) -> ConnectWorker:
    return ConnectWorker(cluster.bootstrap_servers, directory, {**topics_named(name), **more})


def _commands(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _records(cluster: KafkaCluster, topic: str) -> dict[str, Any]:
    """The last value of each key."""
    consumer = Consumer(
        {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "look", "enable.auto.commit": False}
    )
    try:
        partitions = [TopicPartition(topic, at, 0) for at in consumer.list_topics(topic, 60).topics[topic].partitions]
        ends = {each.partition: consumer.get_watermark_offsets(each, 60)[1] for each in partitions}
        consumer.assign(partitions)
        found: dict[str, Any] = {}
        while any(each.offset < ends[each.partition] for each in consumer.position(partitions)) and any(ends.values()):
            message = consumer.poll(0.1)
            if message is not None and message.error() is None:
                key = (message.key() or b"").decode()
                found[key] = None if message.value() is None else json.loads(message.value())
            elif all(
                each.offset >= ends[each.partition] or not ends[each.partition]
                for each in consumer.position(partitions)
            ):
                break
        return found
    finally:
        consumer.close()


def test_a_runner_that_dies_is_replaced_and_the_others_go_on(
    cluster: KafkaCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "commands"
    monkeypatch.setenv("RIACHO_FAKE_RUNNER_LOG", str(log))
    with running_connect(cluster.bootstrap_servers, tmp_path, topics_named("dying")) as connect:
        assert _commands(log) == []  # no connector, no runner
        connect.create("steady", fake_rows="5")
        connect.until_state("steady", "RUNNING")
        connect.create("apart", riacho_session="own", fake_die_once=str(tmp_path / "died"))
        connect.until_state("apart", "RUNNING")
        starts = [each for each in _commands(log) if each["do"] == "start"]
        assert [each["name"] for each in starts] == ["steady", "apart", "apart"]
        assert len({each["pid"] for each in starts}) == 3
        assert starts[1]["generation"] < starts[2]["generation"]
        assert starts[1]["checkpoint"] == starts[2]["checkpoint"]
        shared = starts[0]["pid"]
        os.kill(shared, 9)
        connect.until(lambda: [each["name"] for each in _commands(log)].count("steady"), lambda count: count == 2)
        connect.until_state("steady", "RUNNING")
        again = _commands(log)[-1]
        assert again["offsets"] == [{"partition": {"filename": "f"}, "offset": {"position": 5}}]
        assert _is_alive(starts[2]["pid"])
        assert connect.call("DELETE", "/connectors/apart")[0] == 204
        connect.until(lambda: _is_alive(starts[2]["pid"]), lambda alive: not alive)
    connect.until(lambda: _is_alive(again["pid"]), lambda alive: not alive)


def test_secrets_are_filled_in_for_the_runner_and_seen_by_nobody_else(
    cluster: KafkaCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "commands"
    (tmp_path / "db.properties").write_text("password=t0p-s3cret\n")
    monkeypatch.setenv("RIACHO_FAKE_RUNNER_LOG", str(log))
    settings = {
        "config.providers": "file",
        "config.providers.file.class": "org.apache.kafka.common.config.provider.FileConfigProvider",
    }
    with running_connect(cluster.bootstrap_servers, tmp_path, {**topics_named("secret"), **settings}) as connect:
        place = f"${{file:{tmp_path}/db.properties:password}}"
        made = connect.create("safe", password=place, fake_fail=f"no login with {place}", fake_log=f"tried {place}")
        assert made["config"]["password"] == place
        failed = connect.until_state("safe", "FAILED")
        assert failed["connector"]["trace"] == "no login with [hidden]"
        assert connect.get("/connectors/safe/config")[1]["password"] == place
        connect.until(connect.output, lambda text: "tried [hidden]" in text)
        connect.create("plain", password="0ther-s3cret", fake_fail="no login with 0ther-s3cret")
        assert connect.until_state("plain", "FAILED")["connector"]["trace"] == "no login with [hidden]"
        connect.create("lost", password=f"${{file:{tmp_path}/db.properties:none}}")
        assert "has no key 'none'" in connect.until_state("lost", "FAILED")["connector"]["trace"]
        assert _commands(log)[0]["configs"]["password"] == "t0p-s3cret"
        assert "t0p-s3cret" not in connect.output()
        assert "s3cret" not in json.dumps(_records(cluster, "secret-status"))


@pytest.mark.parametrize("line", ['{"event":"dancing"}', "nonsense", '{"event":"stopped","name":"odd"}'])
def test_a_runner_that_is_not_understood_is_ended_and_what_it_ran_starts_again(
    cluster: KafkaCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    log = tmp_path / "commands"
    monkeypatch.setenv("RIACHO_FAKE_RUNNER_LOG", str(log))
    with running_connect(cluster.bootstrap_servers, tmp_path, topics_named(f"odd{len(line)}")) as connect:
        connect.create("odd", fake_say=line)
        starts = connect.until(
            lambda: [each for each in _commands(log) if each["do"] == "start"], lambda all: len(all) > 1
        )
        assert starts[0]["pid"] != starts[1]["pid"]
        connect.until(lambda: _is_alive(starts[0]["pid"]), lambda alive: not alive)
        connect.until(connect.output, lambda text: "The runner was ended. An event could not be read" in text)


def test_everything_is_there_after_a_restart(
    cluster: KafkaCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "commands"
    monkeypatch.setenv("RIACHO_FAKE_RUNNER_LOG", str(log))
    connect = _start(cluster, tmp_path, "again").start()
    try:
        connect.create("on", fake_rows="4", tasks_max="2", fake_tasks="2")
        connect.until_state("on", "RUNNING")
        connect.create("off")
        assert connect.call("PUT", "/connectors/off/stop")[0] == 204
        moved = {"offsets": [{"partition": {"filename": "g"}, "offset": {"position": 1}}]}
        assert connect.call("PATCH", "/connectors/off/offsets", moved)[0] == 200
        connect.until(lambda: connect.get("/connectors/on/offsets")[1]["offsets"], bool)
        connect.until(lambda: connect.get("/connectors/on/tasks")[1], bool)
        connect.stop()
        first = next(each for each in _commands(log) if each["name"] == "on")
        connect.start()
        assert sorted(connect.get("/connectors")[1]) == ["off", "on"]
        connect.until_state("on", "RUNNING")
        connect.until_state("off", "STOPPED")
        again = [each for each in _commands(log) if each["do"] == "start"][-1]
        assert (again["name"], again["checkpoint"]) == ("on", first["checkpoint"])
        assert again["generation"] > first["generation"]
        assert connect.get("/connectors/off/offsets") == (200, moved)
        # The offsets were moved by hand: another directory, from these offsets.
        assert connect.call("PUT", "/connectors/off/resume")[0] == 202
        connect.until_state("off", "RUNNING")
        resumed = [each for each in _commands(log) if each["do"] == "start"][-1]
        assert (resumed["name"], resumed["offsets"]) == ("off", moved["offsets"])
    finally:
        if connect.is_running:
            connect.stop()
    configs = _records(cluster, "again-configs")
    assert configs["connector-on"]["properties"]["name"] == "on"
    assert configs["commit-on"] == {"tasks": 2}
    assert configs["target-state-off"] == {"state": "STARTED", "state.v2": "STARTED"}
    assert _records(cluster, "again-offsets") == {
        '["on",{"filename":"f"}]': {"position": 4},
        '["off",{"filename":"g"}]': {"position": 1},
    }
    status = _records(cluster, "again-status")
    assert status["status-connector-on"].keys() == {"state", "trace", "worker_id", "generation", "version"}
    assert status["status-topic-t:connector-on"]["topic"]["name"] == "t"


def test_a_second_worker_sends_calls_on_and_takes_over(
    cluster: KafkaCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "commands"
    monkeypatch.setenv("RIACHO_FAKE_RUNNER_LOG", str(log))
    first = _start(cluster, tmp_path / "one", "both").start()
    second = _start(cluster, tmp_path / "two", "both")
    try:
        first.create("shared", fake_rows="6")
        first.until_state("shared", "RUNNING")
        first.until(lambda: first.get("/connectors/shared/offsets")[1]["offsets"], bool)
        second.start()
        second.until_state("shared", "RUNNING")
        assert second.create("sent")["name"] == "sent"
        first.until_state("sent", "RUNNING")
        assert second.call("GET", "/pipelines/shared")[1]["rows"] == 6
        assert second.call("POST", "/connectors", {"name": "sent", "config": {}})[0] == 400
        runner = _commands(log)[0]["pid"]
        first.kill()
        second.until(lambda: _is_alive(runner), lambda alive: not alive)
        url = f"127.0.0.1:{second.port}"
        for name in ("shared", "sent"):
            second.until(
                lambda name=name: second.status(name)["connector"],
                lambda found: found == {**found, "state": "RUNNING", "worker_id": url},
            )
        over = [each for each in _commands(log) if each["name"] == "shared"]
        # Another machine has not the directory: it begins one from the offsets.
        assert over[-1]["checkpoint"].startswith(str(tmp_path / "two"))
        assert over[-1]["offsets"] == [{"partition": {"filename": "f"}, "offset": {"position": 6}}]
        assert "/shared/2-" in over[-1]["checkpoint"]
        assert second.create("later")["name"] == "later"
    finally:
        for worker in (first, second):
            if worker.process is not None and worker.is_running:
                worker.stop()


def test_a_pipeline_is_shown_with_what_the_worker_gives_its_connectors(cluster: KafkaCluster, tmp_path: Path) -> None:
    given = {"value.converter": "org.apache.kafka.connect.storage.StringConverter"}
    with running_connect(cluster.bootstrap_servers, tmp_path, {**topics_named("shown"), **given}) as connect:
        connect.create("shown")
        assert "[StringConverter]" in connect.get("/pipelines/shown")[1]["picture"]
        assert "encode    value: StringConverter" in connect.get("/pipelines/shown")[1]["explanation"]
