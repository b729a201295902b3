"""`riacho.spark(master=...)`: the source and the exactly-once sink of a user's own program, on each master."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support import spark_masters_worker
from support.spark_masters import SOURCE
from support.topic_records import Sent, read, send

if TYPE_CHECKING:
    from riacho.testing import KafkaCluster

LIMIT_S = 600
RUN_S = 500


@pytest.mark.timeout(LIMIT_S)
def test_own_programs(master: tuple[str, dict[str, str]], masters_broker: KafkaCluster, tmp_path: Path) -> None:
    name, settings = master
    bootstrap, topic = masters_broker.bootstrap_servers, f"plain-{name}"
    for each in (topic, f"{topic}-stream", f"{topic}-counts"):
        masters_broker.create_topic(each, partitions=2)
    send(bootstrap, topic, [Sent(f"v{n}".encode(), f"k{n % 3}".encode(), n % 2) for n in range(60)])
    arguments = [json.dumps(settings), bootstrap, topic, str(tmp_path)]
    done = subprocess.run(
        [sys.executable, str(spark_masters_worker.__file__), *arguments],
        env=os.environ | {"PYTHONPATH": str(SOURCE), "RIACHO_CLASS_ARCHIVE": "use"},
        capture_output=True,
        text=True,
        timeout=RUN_S,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    written = sorted((each.key, each.value) for each in read(bootstrap, f"{topic}-stream"))
    assert written == sorted((f"k{n % 3}".encode(), f"V{n}".encode()) for n in range(60))
    counts = [(each.key, each.value) for each in read(bootstrap, f"{topic}-counts")]
    assert sorted(counts) == [(b"k0", b"20"), (b"k1", b"20"), (b"k2", b"20")]
