"""Three (or more) Apache Kafka processes as one KRaft cluster: the peer that test bodies and benches run on, too.

    with ApacheCluster(tmp_path) as cluster:
        java_tool("kafka-topics", ["--bootstrap-server", cluster.bootstrap, "--list"])

One node's storage is formatted by Kafka's own tool; the others get a copy with their ids, which spares a JVM each.
"""

from __future__ import annotations

import shutil
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.cluster_processes import Node, ProcessCluster
from support.java import available, java_command, java_tool, log4j_config

__all__ = ["ApacheCluster", "available"]

# Three brokers share a small machine with a test: modest heaps, and the collector that costs least there.
SMALL_JVM_FLAGS = ("-Xmx400M", "-Xms200M", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")


class ApacheCluster(ProcessCluster):
    kind = "apache"
    start_timeout_s = 90.0

    def __init__(
        self,
        directory: Path,
        brokers: int = 3,
        properties: Mapping[str, str] | None = None,
        *,
        jvm_flags: tuple[str, ...] = SMALL_JVM_FLAGS,
        features: Mapping[str, int] | None = None,
        **options: Any,
    ) -> None:
        """`features`: levels to format with, in place of Kafka's own choice."""
        super().__init__(directory, brokers, properties, **options)
        self._jvm_flags = jvm_flags
        self._features = dict(features or {})
        self.cluster_id = random_id()

    def command(self, node: Node) -> list[str]:
        log4j = str(node.directory / "log4j2.properties")
        return java_command("kafka.Kafka", str(node.properties_file), jvm_flags=self._jvm_flags, log4j=log4j)

    def prepare(self, node: Node) -> None:
        (node.directory / "log4j2.properties").write_text(log4j_config(target="SYSTEM_OUT", level="INFO"))
        if (node.log_dir / "meta.properties").exists():
            return
        first = self.voters[0]
        if self.quorum == "dynamic":
            self._format(node, "--standalone" if node is first else "--no-initial-controllers")
        elif not (first.log_dir / "meta.properties").exists():
            self._format(node)
        else:
            self._copy_format(first, node)

    def _format(self, node: Node, *flags: str) -> None:
        args = ["format", "-t", self.cluster_id, "-c", str(node.properties_file), *flags]
        for name, level in self._features.items():
            args += ["--feature", f"{name}={level}"]
        done = java_tool("kafka-storage", args, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"could not format storage: {done.stdout}{done.stderr}")

    def _copy_format(self, formatted: Node, node: Node) -> None:
        node.log_dir.mkdir(parents=True, exist_ok=True)
        shutil.copy(formatted.log_dir / "bootstrap.checkpoint", node.log_dir)
        lines = {
            "version": "1",
            "cluster.id": self.cluster_id,
            "node.id": str(node.node_id),
            "directory.id": random_id(),
        }
        text = "".join(f"{name}={value}\n" for name, value in lines.items())
        (node.log_dir / "meta.properties").write_text(text)


def random_id() -> str:
    """A uuid as Kafka writes it. The first byte is fixed: an id that began with a dash would be taken for a flag."""
    return urlsafe_b64encode(b"K" + uuid.uuid4().bytes[1:]).decode().rstrip("=")
