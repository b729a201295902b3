"""The `riacho` command as a person runs it: a process of its own, judged by what it prints and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from e2e.shell import TIMEOUT_S, Shell
from riacho.base.log_fields import fields
from riacho.cli.supervisor.process_mark import ProcessMark
from riacho.testing.cluster import KafkaCluster
from support.child_process import child_process
from support.ports import free_port

# The default port is one for the whole machine.
FREE_METRICS = ("--metrics-port", "0")


@pytest.fixture
def shell(kafka_cluster: KafkaCluster, tmp_path: Path) -> Shell:
    """A shell whose commands find a fresh broker by the environment."""
    return Shell(tmp_path, {"KAFKA_BOOTSTRAP_SERVERS": kafka_cluster.bootstrap_servers})


# Topics


def test_a_topics_life(shell: Shell) -> None:
    assert shell.run("topic", "create", "orders", "-p", "3", "-c", "retention.ms=60000") == (
        "Created topic orders with 3 partitions.\n"
    )
    assert shell.json("topic", "list", "-o", "json") == [
        {"name": "orders", "partitions": 3, "replicas": 1, "internal": False}
    ]
    assert "exists already" in shell.fail("topic", "create", "orders")
    shell.run("topic", "create", "orders", "--if-not-exists")
    shell.run("topic", "alter", "orders", "--set", "cleanup.policy=compact", "--unset", "retention.ms")
    shell.run("topic", "add-partitions", "orders", "--by", "2")
    (view,) = shell.json("topic", "describe", "orders", "-o", "json")
    assert view["configs"] == {"cleanup.policy": "compact"}
    assert [p["partition"] for p in view["partitions"]] == [0, 1, 2, 3, 4]
    assert all(p["leader"] == 1 and p["isr"] == [1] and p["records"] == 0 for p in view["partitions"])
    assert shell.run("topic", "delete", "orders") == "Deleted topic orders.\n"
    assert shell.json("topic", "list", "-o", "json") == []


def test_what_cannot_be_done_to_topics(shell: Shell) -> None:
    shell.run("topic", "create", "orders")
    assert "'nope' does not exist" in shell.fail("topic", "describe", "nope")
    assert "'nope' does not exist" in shell.fail("topic", "delete", "nope")
    assert "'nope' does not exist" in shell.fail("topic", "alter", "nope", "--set", "retention.ms=1")
    assert "retention.ms" in shell.fail("topic", "alter", "orders", "--set", "retention.ms=soon")
    assert "--set KEY=VALUE" in shell.misuse("topic", "alter", "orders")
    assert "either --to N" in shell.misuse("topic", "add-partitions", "orders")
    shell.fail("topic", "add-partitions", "orders", "--to", "1")
    shell.fail("topic", "create", "no/such/name")


# Records


def test_records_from_arguments_are_told_where_they_went(shell: Shell) -> None:
    shell.run("topic", "create", "orders")
    assert shell.run("produce", "orders", "a", "b") == "orders partition 0 offset 0\norders partition 0 offset 1\n"
    line = json.loads(shell.run("produce", "orders", "c", "-k", "ana", "-H", "x=1", "-o", "json"))
    assert line == {"topic": "orders", "partition": 0, "offset": 2}
    assert shell.run("consume", "orders") == "a\nb\nc\n"
    records = [json.loads(text) for text in shell.run("consume", "orders", "-o", "json").splitlines()]
    assert [(r["offset"], r["key"], r["value"]) for r in records] == [(0, None, "a"), (1, None, "b"), (2, "ana", "c")]
    assert records[2]["headers"] == [{"name": "x", "value": "1"}]


def test_lines_of_standard_input_and_of_a_file(shell: Shell, tmp_path: Path) -> None:
    shell.run("topic", "create", "numbers", "-p", "2")
    numbers = "".join(f"{i}\n" for i in range(2_000))
    done = shell.try_("produce", "numbers", given=numbers)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"Sent 2000 records to numbers.\n")
    (tmp_path / "lines.txt").write_text("k1=v1\nk2=v=2")
    shell.run("produce", "numbers", "--file", str(tmp_path / "lines.txt"), "-K", "=")
    shell.run("consume", "numbers", "--file", str(tmp_path / "copy.txt"))
    copied = (tmp_path / "copy.txt").read_text().splitlines()
    assert sorted(copied) == sorted([*numbers.split(), "v1", "v=2"])
    assert shell.run("consume", "numbers", "--grep", "^k2$", "-f", r"%k:%v\n") == "k2:v=2\n"


def test_a_topic_is_copied_byte_for_byte(shell: Shell) -> None:
    shell.run("topic", "create", "one", "-p", "2")
    shell.run("topic", "create", "two", "-p", "2")
    odd = (
        '{"key_base64": "/w==", "value_base64": "AP8=", "headers": [{"name": "h", "value": null}], "timestamp": 7000}\n'
    )
    shell.run(
        "produce", "one", "--json", given=odd + '{"value": {"a": 1}, "partition": 1}\n{"key": "k", "value": null}\n'
    )
    lines = shell.run("consume", "one", "-o", "json")
    shell.run("produce", "two", "--json", given=lines)
    assert sorted(shell.run("consume", "two", "-o", "json").replace('"two"', '"one"').splitlines()) == (
        sorted(lines.splitlines())
    )
    assert '"value_base64": "AP8="' in lines


@pytest.mark.parametrize(("key", "murmur2"), [("21", -973932308), ("foobar", -790332482)])
def test_keys_go_where_java_clients_would_put_them(shell: Shell, key: str, murmur2: int) -> None:
    shell.run("topic", "create", "orders", "-p", "7")
    _, partition, _ = shell.run("produce", "orders", "x", "-k", key, "-o", "raw").split("\t")
    assert int(partition) == (murmur2 & 0x7FFFFFFF) % 7


def test_where_to_start_and_where_to_stop(shell: Shell) -> None:
    shell.run("topic", "create", "log")
    lines = "".join(f'{{"value": "v{i}", "timestamp": {1_000_000 + i * 1_000}}}\n' for i in range(10))
    shell.run("produce", "log", "--json", given=lines)
    assert shell.run("consume", "log", "--from", "8") == "v8\nv9\n"
    assert shell.run("consume", "log", "--from", "-3") == "v7\nv8\nv9\n"
    assert shell.run("consume", "log", "--from", "@1005000", "--to", "@1007000") == "v5\nv6\n"
    assert shell.run("consume", "log", "-n", "2") == "v0\nv1\n"
    assert shell.run("consume", "log", "--from", "2", "--to", "-7") == "v2\n"
    assert shell.run("consume", "log", "--from", "1h ago") == ""
    assert "no place in a topic" in shell.misuse("consume", "log", "--from", "noon")
    assert "--follow" in shell.misuse("consume", "log", "--from", "end")
    assert "does not exist" in shell.fail("consume", "nope")
    assert "has partition 7" in shell.fail("consume", "log", "--partition", "7")
    assert "means nothing" in shell.misuse("consume", "log", "-f", "%z")
    assert "no regular expression" in shell.misuse("consume", "log", "--grep", "(")


def test_following_shows_what_comes_and_ends_with_ctrl_c(shell: Shell) -> None:
    shell.run("topic", "create", "log")
    shell.run("produce", "log", "before")
    words = shell.command("consume", "log", "--follow", "--from", "start")
    with child_process(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shell.environment) as follower:
        assert follower.stdout is not None
        assert follower.stdout.readline() == b"before\n"
        shell.run("produce", "log", "after")
        assert follower.stdout.readline() == b"after\n"
        follower.send_signal(signal.SIGINT)
        rest, told = follower.communicate(timeout=TIMEOUT_S)
    assert (follower.returncode, rest, told) == (0, b"", b"")


def test_what_is_no_record_is_told_with_its_line(shell: Shell) -> None:
    shell.run("topic", "create", "log")
    done = shell.try_("produce", "log", "--json", given='{"value": 1}\nwat\n')
    assert done.returncode == 1
    assert b"Error: Line 2 is no record: not JSON" in done.stderr
    assert b"Sent 1 record before that, and none after." in done.stderr
    assert "needs --key" in shell.misuse("produce", "log", "--tombstone")
    assert "not from both" in shell.misuse("produce", "log", "x", "--file", __file__)


def test_what_came_before_a_bad_line_is_sent_and_counted(shell: Shell) -> None:
    shell.run("topic", "create", "log")
    done = shell.try_("produce", "log", "-K", ":", given="ana:coffee\nbruno:bread\nnothing\ncarla:tea\n")
    assert done.returncode == 1
    told = "Error: Line 3 is no record: there is no ':' in it. Sent 2 records before that, and none after.\n"
    assert done.stderr.decode() == told
    assert sorted(shell.run("consume", "log", "-f", "%k=%v\\n").split()) == ["ana=coffee", "bruno=bread"]


def test_a_topic_that_the_broker_made_is_told(shell: Shell) -> None:
    first = shell.try_("produce", "nope", "hi")
    assert first.returncode == 0
    assert "There was no topic nope before: the broker made it." in first.stderr.decode()
    again = shell.try_("produce", "nope", "hi")
    assert again.stderr.decode() == "Sent 1 record to nope.\n"


def test_a_reader_that_goes_away_is_no_error(shell: Shell) -> None:
    shell.run("topic", "create", "log")
    shell.run("produce", "log", given="".join(f"{i} {'x' * 100}\n" for i in range(3_000)))
    with child_process(
        shell.command("consume", "log"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=shell.environment
    ) as reader:
        assert reader.stdout is not None
        assert reader.stderr is not None
        assert reader.stdout.readline().startswith(b"0 ")
        reader.stdout.close()
        assert reader.stderr.read() == b""
    assert reader.returncode == 141


def test_no_broker_at_all(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    address = f"127.0.0.1:{free_port()}"
    for words in (["topic", "list"], ["produce", "t", "x"], ["consume", "t"], ["consume", "t", "--group", "g"]):
        told = shell.fail(*words, "-b", address)
        assert f"{address}: connection refused" in told
        assert "riacho up" in told


# Groups


def test_a_group_goes_on_where_it_stopped(shell: Shell) -> None:
    shell.run("topic", "create", "orders")
    shell.run("produce", "orders", *"abcde")
    assert shell.run("consume", "orders", "--group", "billing", "-n", "2") == "a\nb\n"
    view = shell.json("group", "describe", "billing", "-o", "json")
    assert (view["state"], view["lag"]) == ("Empty", 3)
    assert [(p["committed"], p["end"], p["lag"]) for p in view["partitions"]] == [(2, 5, 3)]
    assert shell.run("consume", "orders", "--group", "billing") == "c\nd\ne\n"
    assert shell.json("group", "list", "-o", "json")[0]["group"] == "billing"
    assert shell.run("group", "reset", "billing", "--to", "-1", "-o", "raw") == "orders\t0\t5\t4\n"
    assert shell.run("consume", "orders", "--group", "billing") == "e\n"
    assert shell.run("group", "reset", "billing", "--to", "start", "--dry-run", "-o", "raw") == "orders\t0\t5\t0\n"
    assert shell.run("consume", "orders", "--group", "billing") == ""
    assert shell.run("group", "delete", "billing") == "Deleted group billing.\n"
    assert "does not exist" in shell.fail("group", "delete", "billing")
    assert "does not exist" in shell.fail("group", "describe", "billing")
    assert "has read nothing yet" in shell.fail("group", "reset", "billing", "--to", "start")
    assert "no partition 4" in shell.fail("group", "reset", "billing", "--topic", "orders:4", "--to", "start")


def test_a_group_that_reads_is_shown_and_left_alone(shell: Shell) -> None:
    shell.run("topic", "create", "orders")
    shell.run("produce", "orders", "a")
    words = shell.command("consume", "orders", "--group", "billing", "--follow")
    with child_process(words, stdout=subprocess.PIPE, env=shell.environment) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"a\n"
        view = shell.json("group", "describe", "billing", "-o", "json")
        assert view["state"] == "Stable"
        assert [m["partitions"] for m in view["members"]] == [[{"topic": "orders", "partition": 0}]]
        assert "stop its members first" in shell.fail("group", "reset", "billing", "--topic", "orders", "--to", "start")
        assert "still has members" in shell.fail("group", "delete", "billing")
        reader.send_signal(signal.SIGINT)
        reader.communicate(timeout=TIMEOUT_S)
    assert shell.json("group", "describe", "billing", "-o", "json")["lag"] == 0


def test_a_plan_is_measured_and_leaves_nothing_behind(shell: Shell) -> None:
    plan = shell.json(
        "plan", "partitions", "--rate", "5000000/s", "--seconds", "0.3", "--record-size", "100", "-o", "json"
    )
    p, c = (plan[side]["records_per_second"] for side in ("producer", "consumer"))
    assert plan["partitions"] == -(-5_000_000 // min(p, c))
    assert "key" in plan["warning"]
    assert shell.json("topic", "list", "-o", "json") == []
    assert "no rate" in shell.misuse("plan", "partitions", "--rate", "fast")


# up, status, down


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Shell]:
    """A home where nothing runs yet; what was left running is stopped."""
    shell = Shell(tmp_path, {"RIACHO_PORT": str(free_port())})
    yield shell
    shell.try_("down", "--timeout", "10")


def _wait_until(is_so: Any, timeout_s: float = 30.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.05)


def _pid_of(status: dict[str, Any]) -> int:
    return int(status["brokers"][0]["pid"])


def test_up_in_the_background_status_and_down(machine: Shell) -> None:
    port = machine.environment["RIACHO_PORT"]
    data = machine.home / ".local" / "share" / "riacho"
    assert "Riacho is not running" in machine.fail("status")
    told = machine.run("up", "--detach", *FREE_METRICS)
    assert f"127.0.0.1:{port}" in told
    assert str(data) in told
    status = machine.json("status", "--json")
    assert status["healthy"]
    assert status["data_dir"] == str(data)
    assert "already runs on" in machine.fail("up", "--detach")
    assert f"Port {port} on 127.0.0.1 is taken (a Kafka broker answers there)" in machine.fail("up", "--ephemeral")
    machine.run("topic", "create", "kept")
    machine.run("produce", "kept", "still here")
    with urllib.request.urlopen(status["brokers"][0]["metrics"], timeout=10) as answer:
        assert answer.status == 200
    assert machine.run("down") == "Riacho is down.\n"
    assert not (data / "riacho.json").exists()
    assert "not running" in machine.fail("down")
    assert "Cannot reach the cluster" in machine.fail("topic", "list", "-b", f"127.0.0.1:{port}")
    machine.run("up", "--detach", *FREE_METRICS)
    assert machine.run("consume", "kept") == "still here\n"
    names = {"access-1.log", "agent-1.log", "audit-1.log", "error-1.log", "referrer-1.log", "up.log"}
    assert {path.name for path in (data / "logs").iterdir()} == names


def test_status_is_watched_until_ctrl_c(machine: Shell) -> None:
    machine.run("up", "--detach", *FREE_METRICS)
    words = machine.command("status", "--watch", "--every", "0.1", "--json")
    with child_process(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=machine.environment) as watch:
        assert watch.stdout is not None
        looks = 0
        while looks < 2:
            looks += watch.stdout.readline() == b'  "healthy": true,\n'
        watch.send_signal(signal.SIGINT)
        _, told = watch.communicate(timeout=TIMEOUT_S)
    assert (watch.returncode, told) == (0, b"")
    assert "supervisor" in machine.run("logs", "--list")
    assert machine.run("logs", "broker-1", "-n", "3")


def test_logs_tell_who_came_and_are_followed_over_their_files(machine: Shell) -> None:
    machine.run(
        "up", "--detach", *FREE_METRICS, "-c", "riacho.log.file.max.bytes=4096", "-c", "riacho.log.file.backups=50"
    )
    status = machine.json("status", "--json")
    logs = Path(status["logs_dir"])
    admin = AdminClient({"bootstrap.servers": status["bootstrap"], "client.id": "maker \x1b[31m", "log_level": 0})
    # However many are written before it looks for the first time.
    words = machine.command("logs", "--access", "--api", "CreateTopics", "--follow", "-n", "60", "-o", "json")
    with child_process(words, stdout=subprocess.PIPE, env=machine.environment) as follow:
        assert follow.stdout is not None
        for number in range(60):
            for made in admin.create_topics([NewTopic(f"t{number}", 1, 1)]).values():
                made.result(TIMEOUT_S)
        told = [json.loads(follow.stdout.readline()) for _ in range(60)]
        follow.send_signal(signal.SIGINT)
        follow.communicate(timeout=TIMEOUT_S)
    assert {entry["fields"]["client_id"] for entry in told} == {"maker \x1b[31m"}
    assert {entry["fields"]["agent"].partition("/")[0] for entry in told} == {"confluent-kafka-python"}
    assert told == sorted(told, key=lambda entry: entry["time"])
    assert (logs / "access-1.log.1").exists()
    assert max(path.stat().st_size for path in logs.glob("access-1.log*")) <= 4096
    (agent,) = machine.run("logs", "--agent", "--grep", "first seen agent=confluent").splitlines()
    assert "agent=confluent-kafka-python/" in agent
    (referrer,) = machine.run("logs", "--referrer", "--client-id", "maker*").splitlines()
    assert 'listener=PLAINTEXT host=127.0.0.1 principal=User:ANONYMOUS client_id="maker \\u001b[31m"' in referrer
    machine.run("down")
    # A broker that stops has a last word on who asked.
    (seen,) = machine.run(
        "logs", "--data-dir", str(logs.parent), "--referrer", "--grep", "seen", "--client-id", "maker*", "-n", "1"
    ).splitlines()
    assert int(fields(seen.partition("referrer seen")[2])["requests"]) >= 60


def test_a_broker_that_crashes_is_started_again(machine: Shell) -> None:
    machine.run("up", "--detach", "--ephemeral", *FREE_METRICS)
    machine.run("topic", "create", "t")
    machine.run("produce", "t", "kept")
    before = machine.json("status", "--json")
    os.kill(_pid_of(before), signal.SIGKILL)

    def is_back() -> bool:
        done = machine.try_("status", "--json")
        return done.returncode == 0 and _pid_of(json.loads(done.stdout)) != _pid_of(before)

    _wait_until(is_back)
    assert machine.json("status", "--json")["brokers"][0]["restarts"] == 1
    assert machine.run("consume", "t") == "kept\n"
    log = Path(before["logs_dir"], "up.log").read_text()
    assert "broker 1 ended (killed by SIGKILL); starting it again" in log
    machine.run("down")
    assert not Path(before["data_dir"]).exists()


def test_a_broker_whose_supervisor_died_is_found_and_stopped(machine: Shell) -> None:
    machine.run("up", "--detach", *FREE_METRICS)
    status = machine.json("status", "--json")
    os.kill(status["supervisor"]["pid"], signal.SIGKILL)
    _wait_until(lambda: machine.try_("status").returncode == 1)
    assert "still has" in machine.fail("up")
    assert machine.run("down") == "Riacho is down.\n"
    assert not ProcessMark(_pid_of(status)).is_alive


def test_what_does_not_stop_in_time_is_killed_with_a_word(machine: Shell) -> None:
    machine.run("up", "--detach", *FREE_METRICS)
    status = machine.json("status", "--json")
    pids = [status["supervisor"]["pid"], _pid_of(status)]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    done = machine.try_("down", "--timeout", "0.3")
    assert (done.returncode, done.stdout) == (0, b"Riacho is down.\n")
    assert f"Killed after 0.3 s without an answer: pid {pids[0]}, {pids[1]}." in done.stderr.decode()
    assert not any(ProcessMark(pid).is_alive for pid in pids)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_up_in_the_foreground_ends_with_a_signal(machine: Shell, number: signal.Signals) -> None:
    words = machine.command("up", "--ephemeral", *FREE_METRICS)
    with child_process(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=machine.environment) as up:
        assert up.stdout is not None
        for line in up.stdout:
            if b"Ctrl-C" in line:
                break
        status = machine.json("status", "--json")
        up.send_signal(number)
        _, told = up.communicate(timeout=TIMEOUT_S)
    assert (up.returncode, told) == (0, b"Riacho is down.\n")
    assert not Path(status["data_dir"]).exists()
    assert not ProcessMark(_pid_of(status)).is_alive


def test_a_supervisor_that_made_room_still_ends_with_ctrl_c_and_cleans_up(machine: Shell) -> None:
    words = machine.command("up", "--ephemeral", *FREE_METRICS)
    with child_process(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=machine.environment) as up:
        assert up.stdout is not None
        while not up.stdout.readline().startswith(b"Stop it with"):
            pass
        before = machine.json("status", "--json")
        for _ in range(2):
            assert "The supervisor is back" in machine.run("restart")
        after = machine.json("status", "--json")
        assert after["supervisor"]["pid"] == before["supervisor"]["pid"] == up.pid
        up.send_signal(signal.SIGINT)
        _, told = up.communicate(timeout=TIMEOUT_S)
    assert up.returncode == 0
    assert told.decode().splitlines()[-1] == "Riacho is down."
    assert not Path(before["data_dir"]).exists()
    with pytest.raises(ProcessLookupError):
        os.kill(after["brokers"][0]["pid"], 0)


def test_a_broker_that_cannot_start_says_why(machine: Shell) -> None:
    assert "num.partitions" in machine.fail("up", "-c", "num.partitions=many")
    assert "num.partitions" in machine.fail("up", "--detach", "-c", "num.partitions=many")
    assert "not running" in machine.fail("status")


def test_the_demo_is_true(machine: Shell) -> None:
    # Settings that would ruin it, if it took them for its own.
    machine.environment |= {"KAFKA_PROCESS_ROLES": "wat", "KAFKA_NUM_PARTITIONS": "none"}
    told = machine.run("demo", "--broker")
    assert "All 10 steps were as promised" in told
    assert "nothing is lost" in told
    assert not list((machine.home / "tmp").glob("riacho-demo-*"))
