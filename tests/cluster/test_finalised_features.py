"""A node whose cluster has finalised what it does not know ends with a sentence, and leaves the data as they were."""

from __future__ import annotations

from pathlib import Path

from riacho.cli.kafka.bootstrap_checkpoint import bootstrap_checkpoint
from support.broker_command import assert_told_in_one_sentence, run_to_its_end


def test_a_node_on_storage_with_unknown_levels_writes_nothing(tmp_path: Path) -> None:
    """Formatted with Apache Kafka's defaults: it does not vote for itself, nor leave a record."""
    levels = {"metadata.version": 30, "streams.version": 1}
    (tmp_path / "bootstrap.checkpoint").write_bytes(bootstrap_checkpoint(levels, 0))
    done = run_to_its_end("--override", f"log.dirs={tmp_path}", "--override", "listeners=PLAINTEXT://127.0.0.1:0")
    assert_told_in_one_sentence(
        done,
        "the cluster has finalised streams.version at 1, this node supports 0 to 0",
        "kafka-features downgrade",
    )
    files = {path.name: path.stat().st_size for path in (tmp_path / "__cluster_metadata-0").iterdir()}
    assert files["00000000000000000000.log"] == 0
    assert "quorum-state" not in files
