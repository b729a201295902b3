"""Spark starts a process of its own to make a writer and another to end an epoch: they load no more than they need."""

from __future__ import annotations

import subprocess
import sys

TIMEOUT_S = 60
PROGRAM = """
import sys
from pyspark.sql.types import StructType
from riacho.pipelines.sink.writer import batch_writer
options = {"kafka.bootstrap.servers": "127.0.0.1:1", "topic": "t"}
made = batch_writer(options, StructType().add("value", "string"), False)
made.commit([])
print(sorted({"pyarrow", "numpy", "pandas"} & set(sys.modules)))
"""


def test_who_makes_a_writer_or_ends_an_epoch_needs_no_arrow() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert done.stdout.strip() == "[]", done.stderr
