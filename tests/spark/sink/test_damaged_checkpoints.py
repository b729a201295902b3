"""A checkpoint that a power failure or a full disk has damaged: the query says so, and nothing is lost or doubled."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from pyspark.errors import StreamingQueryException

from riacho.pipelines.spark.failures import failure
from riacho.testing import KafkaCluster
from support.spark_sink_reading import committed, text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = 5
DISK_SIZE = "256k"


class World:
    """Files that a query writes to a topic, a file for each micro-batch."""

    def __init__(self, spark: SparkSession, cluster: KafkaCluster, directory: Path, checkpoint: Path) -> None:
        self.checkpoint = checkpoint
        self._spark, self._bootstrap = spark, cluster.bootstrap_servers
        self._input = directory / "in"
        self._input.mkdir()
        self._topic = f"t-{uuid4().hex[:8]}"
        self._files = 0
        cluster.create_topic(self._topic, partitions=1)

    def add(self) -> None:
        (self._input / f"{self._files}.csv").write_text("".join(f"{self._files}-{row}\n" for row in range(ROWS)))
        self._files += 1

    def run(self) -> None:
        lines = self._spark.readStream.schema("value string").csv(str(self._input))
        options = {"kafka.bootstrap.servers": self._bootstrap, "topic": self._topic}
        stream = lines.writeStream.format("riacho").options(**options, checkpointLocation=str(self.checkpoint))
        assert stream.trigger(availableNow=True).start().awaitTermination(400)

    def trace(self) -> str:
        """What a connector would say when this run fails."""
        with pytest.raises(StreamingQueryException) as caught:
            self.run()
        return failure(caught.value).trace

    def found(self) -> list[str]:
        return sorted(text(m.value()) for m in committed(self._bootstrap, self._topic))

    def wanted(self, files: int) -> list[str]:
        return sorted(f"{file}-{row}" for file in range(files) for row in range(ROWS))


def test_files_that_are_cut_short(spark: SparkSession, kafka_cluster_session: KafkaCluster, tmp_path: Path) -> None:
    world = World(spark, kafka_cluster_session, tmp_path, tmp_path / "checkpoint")
    for _ in range(2):
        world.add()
        world.run()
    offsets, commits = (world.checkpoint / kind / "1" for kind in ("offsets", "commits"))
    whole = offsets.read_bytes()
    offsets.write_bytes(b"")
    offsets.with_name(".1.crc").unlink()
    world.add()
    trace = world.trace()
    assert trace.startswith(f"The checkpoint is damaged: {offsets} is missing, empty or cut short")
    assert "\n" not in trace
    # Removed by hand, as one reads everywhere: the number is given again, to more rows, and some of them are in the
    # topic under that number.
    offsets.unlink()
    noted = commits.read_bytes()
    commits.unlink()
    assert f"was written with other offsets than it has now, when {2 * ROWS} rows would be left out" in world.trace()
    assert world.found() == world.wanted(2)
    # From a copy it goes on.
    offsets.write_bytes(whole)
    commits.write_bytes(noted)
    for file in (offsets, commits):
        file.with_name(".1.crc").unlink(missing_ok=True)
    world.run()
    assert world.found() == world.wanted(3)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_SIZE}", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("a disk of a few pages cannot be mounted here")
    try:
        yield disk
    finally:
        # At once where nothing holds it, else when the last one lets go.
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_full_disk(
    spark: SparkSession, kafka_cluster_session: KafkaCluster, tmp_path: Path, small_disk: Path
) -> None:
    world = World(spark, kafka_cluster_session, tmp_path, small_disk / "checkpoint")
    world.add()
    world.run()
    filling = small_disk / "filling"
    with suppress(OSError), filling.open("wb", buffering=0) as file:
        while True:
            file.write(b"." * 4096)
    world.add()
    trace = world.trace()
    assert trace == (
        "The checkpoint cannot be written (No space left on device): make room there and start again, nothing is lost."
    )
    filling.unlink()
    world.run()
    assert world.found() == world.wanted(2)
