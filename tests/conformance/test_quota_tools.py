"""kafka-configs for users, clients and IPs, ours and Kafka's, on the same broker: the same words print the same lines.

Each tool works on names of its own, which are made equal afterwards, as is the order in which Java's hash tables give
entities and keys.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.running_broker import RunningBroker
from e2e.kafka_scripts import run_script, write_scripts
from support.java import available, java_tool

pytestmark = pytest.mark.timeout(300)
Tool = Callable[..., tuple[int, list[str], str]]

# {} is the tool's own name; {ip} an address of its own.
SETTING = [
    "--alter --entity-type users --entity-name {} --add-config producer_byte_rate=1024,request_percentage=12.5",
    "--alter --entity-type users --entity-name {} --entity-type clients --entity-name {} "
    "--add-config consumer_byte_rate=2048,controller_mutation_rate=1.5",
    "--alter --client {} --add-config producer_byte_rate=8192",
    "--alter --user {} --client-defaults --add-config producer_byte_rate=77",
    "--alter --ip {ip} --add-config connection_creation_rate=20",
]
ASKING = [
    "--describe --entity-type users --entity-name {}",
    "--describe --user {} --client {}",
    "--describe --entity-type users --entity-name {} --entity-type clients",
    "--describe --client {}",
    "--describe --user {} --client-defaults",
    "--describe --ip {ip}",
    "--describe --user nobody-{}",
]
REFUSED = [
    "--alter --user {} --delete-config consumer_byte_rate",
    "--alter --user {} --add-config foo=1",
    "--alter --user {} --add-config producer_byte_rate=abc",
    "--alter --user {} --add-config producer_byte_rate=77,SCRAM-SHA-256=[password=x]",
    "--alter --user-defaults --add-config SCRAM-SHA-256=[password=x]",
    "--alter --user {} --add-config SCRAM-SHA-256=[iterations=10,password=x]",
    "--alter --user {} --client {} --add-config SCRAM-SHA-256=[password=x]",
    "--alter --ip no.such.host.invalid --add-config connection_creation_rate=20",
    "--alter --ip {ip} --add-config producer_byte_rate=20",
    "--describe --entity-type ips --entity-type users",
]
SCRAM = [
    "--alter --user {} --add-config SCRAM-SHA-256=[iterations=8192,password=secret]",
    "--describe --user {}",
    "--alter --user {} --delete-config SCRAM-SHA-256",
    "--alter --user {} --delete-config request_percentage",
    "--describe --user {}",
]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    reason = available()
    if reason:
        pytest.skip(f"no Java tools here: {reason}")
    return write_scripts(tmp_path_factory.mktemp("bin"))


@pytest.fixture
def tools(broker: RunningBroker, scripts: Path, name: str) -> list[Tool]:
    def ours(words: list[str]) -> subprocess.CompletedProcess[str]:
        return run_script(scripts, ["kafka-configs", *words])

    def javas(words: list[str]) -> subprocess.CompletedProcess[str]:
        return java_tool("kafka-configs", words, timeout=90)

    def tool(run: Callable[[list[str]], subprocess.CompletedProcess[str]], own: str, ip: str) -> Tool:
        def act(line: str) -> tuple[int, list[str], str]:
            words = line.replace("{}", own).replace("{ip}", ip).split()
            done = run(["--bootstrap-server", broker.bootstrap, *words])
            assert "Traceback" not in done.stderr, done.stderr
            told = [_ordered(each.replace(own, "NAME").replace(ip, "ADDRESS")) for each in done.stdout.splitlines()]
            return done.returncode, sorted(told), done.stderr.strip().replace(own, "NAME")

        return act

    return [tool(ours, f"ours-{name}", "127.9.9.1"), tool(javas, f"java-{name}", "127.9.9.2")]


def _ordered(line: str) -> str:
    """With its values in the order of their keys."""
    found = re.fullmatch(r"(Quota configs for .* are )(.*)", line)
    return line if found is None else found[1] + ", ".join(sorted(found[2].split(", ")))


def test_both_tools_say_the_same(tools: list[Tool]) -> None:
    ours, javas = tools
    for line in [*SETTING, *ASKING, *REFUSED, *SCRAM]:
        expected = javas(line)
        assert ours(line) == expected, line
