"""Settings from a file, from the environment, and from overrides, each stronger than the one before."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.config import ConfigError
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


def test_references_in_the_file_are_filled_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secrets.properties").write_text("key=s3cret\n")
    path = tmp_path / "server.properties"
    package = "org.apache.kafka.common.config.provider"
    path.write_text(
        "config.providers=file,env\n"
        f"config.providers.file.class={package}.FileConfigProvider\n"
        f"config.providers.file.param.allowed.paths={tmp_path}\n"
        f"config.providers.env.class={package}.EnvVarConfigProvider\n"
        f"listener.name.external.ssl.key.password=${{file:{tmp_path}/secrets.properties:key}}\n"
        "broker.rack=${env:ZONE}-1\n"
    )
    monkeypatch.setenv("ZONE", "north")
    config, warnings = load_config(path)
    assert config.get("listener.name.external.ssl.key.password") == "s3cret"
    assert config.get("broker.rack") == "north-1"
    assert warnings == []


def test_a_reference_that_cannot_be_filled_in_ends_the_start(tmp_path: Path) -> None:
    properties = {"config.providers": "vault", "config.providers.vault.class": "com.example.Vault"}
    with pytest.raises(ConfigError, match=r"config\.providers\.vault\.class is 'Vault'; there are FileConfigProvider"):
        load_config(None, properties)
    properties["config.providers.vault.class"] = "org.apache.kafka.common.config.provider.FileConfigProvider"
    with pytest.raises(ConfigError, match="cannot be read"):
        load_config(None, {**properties, "broker.rack": f"${{vault:{tmp_path}/none:key}}"})
