"""A leader that stands still (SIGSTOP): its runner is gone before another worker takes over, and when it wakes up it
starts nothing and writes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from riacho.testing import KafkaCluster
from support.connect_platform import is_alive
from support.connect_worker import ConnectWorker, topics_named
from support.topic_records import read


def _starts(log: Path) -> list[dict[str, Any]]:
    return [each for each in map(json.loads, log.read_text().splitlines()) if each["do"] == "start"]


def test_its_runner_ends_and_it_has_nothing_to_say_any_more(
    cluster: KafkaCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "commands"
    monkeypatch.setenv("RIACHO_FAKE_RUNNER_LOG", str(log))
    shared = {**topics_named("still"), "checkpoint.location": str(tmp_path / "checkpoints")}
    first, second = (ConnectWorker(cluster.bootstrap_servers, tmp_path / each, shared) for each in ("one", "two"))
    try:
        first.start()
        first.create("steady", fake_rows="5")
        first.until_state("steady", "RUNNING")
        second.start()
        second.until_state("steady", "RUNNING")
        runner = _starts(log)[0]["pid"]
        first.pause()
        second.until(lambda: is_alive(runner), lambda alive: not alive)
        here = f"127.0.0.1:{second.port}"
        running = {"state": "RUNNING", "worker_id": here}
        second.until(lambda: second.status("steady").get("connector"), lambda found: found == {**found, **running})
        first.resume()
        # It answers again, and as one that follows: what it shows is the other one's.
        first.until(lambda: first.status("steady").get("connector"), lambda found: found == {**found, **running})
        first.until(first.output, lambda text: "worker leads no longer" in text)
        assert len(_starts(log)) == 2
        assert {each["checkpoint"] for each in _starts(log)} == {_starts(log)[0]["checkpoint"]}
        status = [json.loads(each.value) for each in read(cluster.bootstrap_servers, "still-status") if each.value]
        told = [each["worker_id"] for each in status if "worker_id" in each and each["generation"] > 1]
        assert set(told) == {here}
        late = [each for each in status if each.get("worker_id") != here and each.get("state") == "RESTARTING"]
        assert late == []
    finally:
        for worker in (first, second):
            if worker.process is not None and worker.is_running:
                worker.resume()
                worker.stop()
