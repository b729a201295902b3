"""Riacho on its usual ports whatever else this machine runs: in a network namespace of its own where that is allowed.

Commands join it through `prefix`. Where namespaces are not allowed, the usual ports are used if they are free.
"""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from e2e.kafka_scripts import SOURCES

_BROKER = f"""
import sys

sys.path.insert(0, {str(SOURCES)!r})
from riacho.testing import KafkaCluster

with KafkaCluster({{"listeners": "PLAINTEXT://localhost:9092"}}):
    print("ready", flush=True)
    sys.stdin.read()
"""
_OWN_LOOPBACK = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]


@dataclass(frozen=True)
class LocalBroker:
    # Put before a command's words so that it sees the broker's loopback.
    prefix: list[str]


@contextlib.contextmanager
def broker_on_9092() -> Iterator[LocalBroker]:
    with running_on_usual_ports(_BROKER, [9092]) as running:
        yield running


@contextlib.contextmanager
def running_on_usual_ports(program: str, ports: list[int]) -> Iterator[LocalBroker]:
    """`program` is Python text that prints "ready" and goes on until its standard input is closed."""
    isolated = namespaces_are_allowed()
    taken = [] if isolated else [port for port in ports if not port_is_free(port)]
    if taken:
        pytest.skip(f"no network namespace can be made here, and port {taken[0]} is taken")
    command = [*(_OWN_LOOPBACK if isolated else []), sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as broker:
        try:
            assert broker.stdout is not None
            assert broker.stdout.readline() == "ready\n"
            yield LocalBroker(["nsenter", "--target", str(broker.pid), "--net", "--"] if isolated else [])
        finally:
            assert broker.stdin is not None
            broker.stdin.close()
            broker.wait(30)


def namespaces_are_allowed() -> bool:
    if not all(shutil.which(program) for program in ("unshare", "nsenter", "ip")):
        return False
    return subprocess.run([*_OWN_LOOPBACK, "true"], capture_output=True, check=False).returncode == 0


def port_is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0
