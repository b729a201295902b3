"""The guide of Connect is true: every ```bash block runs, in order, against one worker with one Spark.

On Apache Kafka, where `RIACHO_CONFORMANCE_PEER=only` asks for it, that is at the port of the page's broker already and
the commands that start and end brokers do nothing; everything else is as the page has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from spark.conftest import why_no_spark
from support.guides import ROOT, GuideShell
from support.spark_brokers import is_on_apache

# A JVM starts and some dozen first queries are planned, on a machine that may have much else to do.
TIMEOUT_S = 480
_NO_BROKERS = """#!/bin/sh
case "$1" in up | down) exit 0 ;; esac
exec "$0-itself" "$@"
"""


@contextmanager
def _brokers(shell: GuideShell, directory: Path) -> Iterator[None]:
    if not is_on_apache():
        # The page starts its own.
        yield
        return
    from support.apache_cluster import SMALL_JVM_FLAGS
    from support.apache_kafka import ApacheKafka

    command = shell.home / "bin" / "riacho"
    command.rename(f"{command}-itself")
    command.write_text(_NO_BROKERS)
    command.chmod(0o755)
    with ApacheKafka(directory, jvm_flags=SMALL_JVM_FLAGS, port=shell.first_port) as kafka:
        shell.environment["KAFKA_BOOTSTRAP_SERVERS"] = kafka.bootstrap
        yield


@pytest.mark.timeout(TIMEOUT_S + 100)
def test_every_command_of_the_guide_runs(tmp_path: Path) -> None:
    reason = why_no_spark()
    if reason is not None:
        pytest.skip(reason)
    shell = GuideShell(tmp_path)
    with _brokers(shell, tmp_path / "apache"):
        code, out, err = shell.run(ROOT / "docs" / "guides" / "connect.md", timeout_s=TIMEOUT_S)
    log = tmp_path / "worker.log"
    told = log.read_text()[-3000:] if log.exists() else ""
    assert code == 0, f"{out[-3000:]}\n{err[-3000:]}\n{told}"
    assert "Traceback" not in err
