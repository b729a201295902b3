"""Settings from a file, from the environment, and from overrides, each stronger than the one before."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.broker.config import load_config


def test_the_environment_beats_the_file_and_overrides_beat_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "server.properties"
    path.write_text("num.partitions=2\nlog.retention.ms=5\nnode.id=3\n")
    monkeypatch.setenv("KAFKA_NUM_PARTITIONS", "4")
    monkeypatch.setenv("KAFKA_LOG_RETENTION_MS", "6")
    config, warnings = load_config(path, {"log.retention.ms": "7"})
    assert (config.node_id, config.get("num.partitions"), config.get("log.retention.ms")) == (3, 4, 7)
    assert warnings == []


def test_the_cluster_id_of_the_container_images_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLUSTER_ID", "MkU3OEVBNTcwNTJENDM2Qk")
    assert load_config(None)[0].get("cluster.id") == "MkU3OEVBNTcwNTJENDM2Qk"
    monkeypatch.setenv("KAFKA_CLUSTER_ID", "another-id")
    assert load_config(None)[0].get("cluster.id") == "another-id"
