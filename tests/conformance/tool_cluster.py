"""A cluster of three for the tools, ours and Kafka's, to talk to; and how their outputs are compared.

Riacho's cluster always, Apache Kafka's too when `RIACHO_CONFORMANCE_PEER` asks for it (`only`: that one alone).
"""

from __future__ import annotations

import difflib
import re
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from conformance.running_broker import kinds
from e2e.kafka_scripts import run_script, write_scripts
from support.cluster_processes import Node, ProcessCluster
from support.java import available, java_tool

Done = subprocess.CompletedProcess[str]

_STACK_TRACE = re.compile(
    r"\n[\w.]+(?:Exception|Error)\b[^\n]*\n(?:\tat [^\n]*\n|Caused by[^\n]*\n|\t\.\.\.[^\n]*\n|\n)+"
)
_CLASS_NAME = re.compile(r"org\.apache\.kafka\.[\w.]+Exception: ")
# Kafka's tool prints a topic's configs in the order of a hash table.
_CONFIGS = re.compile(r"Configs: (.+)")
_BETWEEN_CONFIGS = re.compile(r",(?=[a-z][a-z.]*=)")
# Numbers that move while nobody does anything: the controller writes a record twice a second.
_MOVING = (
    (re.compile(r"(Epoch: )\d+"), r"\1E"),
    (re.compile(r"(HighWatermark: +)\d+"), r"\1N"),
    (re.compile(r"(MaxFollowerLag(?:TimeMs)?: +)-?\d+"), r"\1N"),
    (re.compile(r"TopicId: [\w-]{22}"), "TopicId: -"),
)


@dataclass(frozen=True, slots=True)
class ToolCluster:
    cluster: ProcessCluster
    scripts: Path

    @property
    def bootstrap(self) -> str:
        return ",".join(node.bootstrap for node in self.cluster.brokers if node.is_running)

    @property
    def controllers(self) -> str:
        voters = [node for node in self.cluster.voters if node.is_running]
        return ",".join(f"{node.controller_host}:{node.controller_port}" for node in voters)

    def ours(self, line: str, **names: object) -> Done:
        words = self._words(line, names)
        done = run_script(self.scripts, words, timeout=90)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def theirs(self, line: str, **names: object) -> Done:
        words = self._words(line, names)
        return java_tool(words[0], words[1:], timeout=90)

    def _words(self, line: str, names: dict[str, object]) -> list[str]:
        """`@B` and `@C` stand for the brokers' and controllers' addresses, `{name}` for what the test calls it."""
        known = {"@B": f"--bootstrap-server {self.bootstrap}", "@C": f"--bootstrap-controller {self.controllers}"}
        for short, words in known.items():
            line = line.replace(short, words)
        return [word.format(**names) for word in line.split()]

    def same(self, line: str, **names: object) -> str:
        """Both tools with the same words: the same stdout and exit code. Gives the output."""
        ours, theirs = self.ours(line, **names), self.theirs(line, **names)
        compare(line, plain(ours.stdout), plain(theirs.stdout))
        assert ours.returncode == theirs.returncode, line
        return ours.stdout

    def twins(self, line: str, mine: dict[str, object], other: dict[str, object]) -> str:
        """Each tool on things of its own, whose names are made equal."""
        ours, theirs = self.ours(line, **mine), self.theirs(line, **other)
        compare(line, called(ours.stdout, mine), called(theirs.stdout, other))
        assert ours.returncode == theirs.returncode, line
        return ours.stdout


def compare(line: str, ours: str, theirs: str) -> None:
    rows = (text.splitlines(keepends=True) for text in (theirs, ours))
    assert ours == theirs, f"{line}\n" + "".join(difflib.ndiff(*rows))


def called(text: str, names: dict[str, object]) -> str:
    text = plain(text)
    for name, value in names.items():
        text = text.replace(str(value), name)
    return text


def plain(text: str) -> str:
    """Without what only Java has, stack traces and class names, and without what moves by itself."""
    text = _CLASS_NAME.sub("", _STACK_TRACE.sub("\n", text))
    for pattern, replacement in _MOVING:
        text = pattern.sub(replacement, text)
    return _CONFIGS.sub(lambda found: f"Configs: {','.join(sorted(_BETWEEN_CONFIGS.split(found[1])))}", text)


@contextmanager
def tool_cluster(kind: str, directory: Path, properties: dict[str, str] | None = None) -> Iterator[ToolCluster]:
    reason = available()
    if reason:
        pytest.skip(f"no Java tools here: {reason}")
    settings = {
        "auto.leader.rebalance.enable": "false",
        "broker.session.timeout.ms": "3000",
        "broker.heartbeat.interval.ms": "1000",
        "min.insync.replicas": "1",
        **(properties or {}),
    }
    cluster: ProcessCluster
    if kind == "apache":
        cluster = apache_cluster()(directory, properties=settings, of_node=several_directories(directory))
    else:
        from support.riacho_cluster import RiachoCluster

        cluster = RiachoCluster(directory, properties=settings, of_node=several_directories(directory))
    with cluster:
        yield ToolCluster(cluster, write_scripts(directory / "bin"))


def apache_cluster() -> type[ProcessCluster]:
    """Apache's storage has to be formatted, the second directory of each node like its first."""
    from riacho.log.meta_properties import read_meta_properties, write_meta_properties
    from support.apache_cluster import ApacheCluster

    class WithTwoDirectories(ApacheCluster):
        def prepare(self, node: Node) -> None:
            super().prepare(node)
            more = node.directory / "more"
            if (more / "meta.properties").exists():
                return
            more.mkdir()
            shutil.copy(node.log_dir / "bootstrap.checkpoint", more)
            first = read_meta_properties(str(node.log_dir))
            assert first is not None
            write_meta_properties(str(more), replace(first, directory_id=uuid.uuid4().bytes))

    return WithTwoDirectories


def several_directories(directory: Path) -> dict[int, dict[str, str]]:
    """Two log directories on each broker, so that replicas can move between them."""
    return {
        node_id: {"log.dirs": f"{directory}/node-{node_id}/data,{directory}/node-{node_id}/more"}
        for node_id in (1, 2, 3)
    }


CLUSTER_KINDS = [kind for kind in kinds() if kind != "running"]
