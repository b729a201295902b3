"""`riacho up --brokers 3` as a person runs it: processes of their own, judged by what the commands print."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from riacho.cli.supervisor.process_mark import ProcessMark
from support.child_process import child_process
from support.ports import free_port_run

SOURCE = Path(__file__).parents[2] / "src"
TIMEOUT_S = 100
pytestmark = pytest.mark.timeout(240)


class Machine:
    """Runs `riacho` with a home of its own; what was left running is stopped."""

    def __init__(self, home: Path) -> None:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("KAFKA_", "RIACHO_", "XDG_"))}
        (home / "tmp").mkdir(parents=True, exist_ok=True)
        self.port = free_port_run(10)
        self.data = home / "data"
        self.environment = kept | {
            "HOME": str(home),
            "PYTHONPATH": str(SOURCE),
            "TMPDIR": str(home / "tmp"),
            "NO_COLOR": "1",
            "RIACHO_PORT": str(self.port),
            "RIACHO_ONLY": "broker",
            "RIACHO_DATA_DIR": str(self.data),
        }

    def try_(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "riacho", *words],
            input=given,
            capture_output=True,
            text=True,
            env=self.environment,
            timeout=TIMEOUT_S,
            check=False,
        )

    def run(self, *words: str, given: str = "") -> str:
        done = self.try_(*words, given=given)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    def fail(self, *words: str) -> str:
        done = self.try_(*words)
        assert done.returncode == 1, f"{words} ended with {done.returncode}: {done.stdout}{done.stderr}"
        assert done.stderr.startswith("Error: ")
        assert done.stderr.count("\n") == 1
        return done.stderr

    def up(self, brokers: int, *words: str) -> str:
        return self.run("up", "--brokers", str(brokers), "--detach", "--metrics-port", "0", *words)

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.try_("status", "--json").stdout)
        return found

    def wait_well(self) -> dict[str, Any]:
        _wait_until(lambda: self.try_("status").returncode == 0)
        return self.status()

    def leaders(self, topic: str) -> list[int]:
        (found,) = json.loads(self.run("topic", "describe", topic, "-o", "json"))
        return sorted(p["leader"] for p in found["partitions"])

    def records(self, topic: str) -> list[str]:
        return sorted(self.run("consume", topic).split(), key=int)


def _wait_until(is_so: Callable[[], bool], timeout_s: float = 60.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.1)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path)
    yield machine
    machine.try_("down", "--timeout", "20")


NUMBERS = [str(i) for i in range(200)]
LINES = "".join(f"{number}\n" for number in NUMBERS)


def test_three_brokers_one_cluster(machine: Machine) -> None:
    told = machine.up(3)
    addresses = [f"127.0.0.1:{machine.port + step}" for step in (0, 2, 4)]
    assert ",".join(addresses) in told
    machine.run("topic", "create", "orders", "-p", "6")
    (topic,) = json.loads(machine.run("topic", "describe", "orders", "-o", "json"))
    assert all(sorted(p["replicas"]) == sorted(p["isr"]) == [1, 2, 3] for p in topic["partitions"])
    status = machine.wait_well()
    assert [broker["bootstrap"] for broker in status["brokers"]] == addresses
    assert [(broker["leaders"], broker["in_sync"]) for broker in status["brokers"]] == [(2, 6)] * 3
    assert [broker["node_id"] for broker in status["brokers"] if broker["is_active_controller"]] == [
        status["controller"]
    ]
    assert len({broker["pid"] for broker in status["brokers"]}) == 3
    machine.run("produce", "orders", given=LINES)
    assert machine.records("orders") == NUMBERS
    assert "already runs on" in machine.fail("up", "--brokers", "3")
    assert machine.run("down") == "Riacho is down.\n"
    assert not any(ProcessMark(broker["pid"]).is_alive for broker in status["brokers"])
    # As it was, without being told how many.
    machine.run("up", "--detach", "--metrics-port", "0")
    assert len(machine.wait_well()["brokers"]) == 3
    assert machine.records("orders") == NUMBERS
    _wait_until(lambda: machine.leaders("orders") == [1, 1, 2, 2, 3, 3])


def test_one_broker_down_and_back(machine: Machine) -> None:
    machine.up(3)
    machine.run("topic", "create", "orders", "-p", "3")
    before = machine.wait_well()
    assert machine.run("down", "--broker", "2") == "Broker 2 is down.\n"
    assert not ProcessMark(before["brokers"][1]["pid"]).is_alive
    status = machine.status()
    assert not status["healthy"]
    assert status["brokers"][1]["trouble"] == "stopped by `riacho down`"
    assert status["out_of_sync"] == ["orders-0", "orders-1", "orders-2"]
    assert status["leaderless"] == []
    machine.run("produce", "orders", given=LINES)
    assert "Broker 2 is down" in machine.fail("restart", "--broker", "1")
    assert machine.run("up") == "Broker 2 is up.\n"
    status = machine.wait_well()
    assert status["brokers"][1]["restarts"] == 0
    assert machine.records("orders") == NUMBERS


def test_a_broker_that_crashes_is_started_again_while_others_serve(machine: Machine) -> None:
    machine.up(3)
    machine.run("topic", "create", "orders", "-p", "3")
    before = machine.wait_well()
    os.kill(before["brokers"][2]["pid"], signal.SIGKILL)
    machine.run("produce", "orders", given=LINES)
    _wait_until(lambda: machine.status()["brokers"][2]["restarts"] == 1)
    after = machine.wait_well()
    assert [broker["pid"] for broker in after["brokers"][:2]] == [broker["pid"] for broker in before["brokers"][:2]]
    assert machine.records("orders") == NUMBERS
    log = (machine.data / "logs" / "up.log").read_text()
    assert "broker 3 ended (killed by SIGKILL); starting it again" in log
    assert "broker 3 is back" in log


def test_a_rolling_restart_under_load(machine: Machine) -> None:
    told = machine.up(3)
    machine.run("topic", "create", "orders", "-p", "3")
    before = machine.wait_well()
    bootstrap = told.split("bootstrap")[1].split()[0]
    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "linger.ms": 0, "log_level": 0})
    errors: list[object] = []
    sent = 0
    words = [sys.executable, "-m", "riacho", "restart", "--rolling"]
    with child_process(words, env=machine.environment, stdout=subprocess.PIPE, text=True) as restart:
        while restart.poll() is None:
            producer.produce("orders", str(sent), on_delivery=lambda error, message: errors.append(error))
            sent += 1
            producer.poll(0.01)
        assert restart.stdout is not None
        lines = restart.stdout.read().splitlines()
    assert restart.returncode == 0
    assert producer.flush(30) == 0
    assert [error for error in errors if error is not None] == []
    assert lines.pop().startswith("The supervisor is back")
    assert sorted(line.split(" is back")[0] for line in lines) == ["Broker 1", "Broker 2", "Broker 3"]
    assert lines[-1].startswith(f"Broker {before['controller']} is back"), "the active controller is the last"
    after = machine.wait_well()
    assert not {b["pid"] for b in after["brokers"]} & {b["pid"] for b in before["brokers"]}
    assert [broker["leaders"] for broker in after["brokers"]] == [1, 1, 1]
    assert machine.records("orders") == [str(i) for i in range(sent)]


def test_a_single_broker_grows_to_three_and_keeps_its_data(machine: Machine) -> None:
    machine.run("up", "--detach", "--metrics-port", "0")
    machine.run("topic", "create", "old")
    machine.run("produce", "old", given=LINES)
    machine.run("down")
    machine.up(3)
    status = machine.wait_well()
    assert [broker["is_controller"] for broker in status["brokers"]] == [True, False, False]
    assert machine.records("old") == NUMBERS
    machine.run("produce", "old", "200")
    machine.run("topic", "create", "new")
    (topic,) = json.loads(machine.run("topic", "describe", "new", "-o", "json"))
    assert sorted(topic["partitions"][0]["replicas"]) == [1, 2, 3]
    machine.run("down")
    assert "has the data of 3 brokers" in machine.fail("up", "--brokers", "1")


def test_an_ephemeral_cluster_on_free_ports_leaves_nothing(machine: Machine) -> None:
    del machine.environment["RIACHO_DATA_DIR"]
    machine.up(2, "--ephemeral", "--port", "0")
    status = machine.wait_well()
    assert [broker["is_controller"] for broker in status["brokers"]] == [True, False]
    assert Path(status["data_dir"], "broker-2").is_dir()
    machine.run("down")
    assert not Path(status["data_dir"]).exists()


def test_a_cluster_that_cannot_start_says_why_and_leaves_nothing_running(machine: Machine) -> None:
    assert "num.partitions" in machine.fail("up", "--brokers", "3", "--detach", "-c", "num.partitions=many")
    assert "not running" in machine.fail("status")
