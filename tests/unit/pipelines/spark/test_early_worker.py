"""A planning process says its secret before it loads PySpark, which then finds the connection open and known."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.child_process import child_process

pytest.importorskip("pyspark", reason="Spark is not installed")

SOURCE = Path(__file__).parents[4] / "src"
TIMEOUT_S = 120
SECRET = "a secret"
WORKER = """
import os
import pyspark.util

place = int(os.environ["PYTHON_WORKER_FACTORY_PORT"])
file, _ = pyspark.util.local_connect_and_auth(place, os.environ["PYTHON_WORKER_FACTORY_SECRET"])
file.write(b"begun")
file.flush()
"""


@contextmanager
def started(directory: Path) -> Iterator[tuple[subprocess.Popen[str], socket.socket]]:
    """The process, and Spark's end of its connection."""
    (directory / "small_worker.py").write_text(WORKER)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(TIMEOUT_S)
        environment = os.environ | {
            "PYTHONPATH": f"{SOURCE}{os.pathsep}{directory}",
            "PYTHON_WORKER_FACTORY_PORT": str(server.getsockname()[1]),
            "PYTHON_WORKER_FACTORY_SECRET": SECRET,
        }
        environment.pop("PYTHON_WORKER_FACTORY_SOCK_PATH", None)
        command = [sys.executable, "-m", "riacho.pipelines.spark.early_worker", "small_worker"]
        with child_process(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
            connected, _ = server.accept()
            connected.settimeout(TIMEOUT_S)
            with connected:
                yield process, connected


def test_the_secret_comes_first_and_once(tmp_path: Path) -> None:
    with started(tmp_path) as (process, connected), connected.makefile("rwb") as file:
        assert file.read(4 + len(SECRET)) == struct.pack("!i", len(SECRET)) + SECRET.encode()
        file.write(struct.pack("!i", 2) + b"ok")
        file.flush()
        assert file.read() == b"begun"
        assert process.wait(TIMEOUT_S) == 0


def test_a_refused_secret_is_one_sentence(tmp_path: Path) -> None:
    with started(tmp_path) as (process, connected), connected.makefile("rwb") as file:
        file.read(4 + len(SECRET))
        file.write(struct.pack("!i", 3) + b"err")
        file.flush()
        assert process.wait(TIMEOUT_S) == 1
        assert process.stderr is not None
        assert process.stderr.read() == "Spark does not know the secret of the process that it started.\n"


PLANNER = """
import sys
from riacho.pipelines.spark.early_worker import put_off_arrow

def loaded():
    return {"numpy", "pyarrow"} & set(sys.modules)

put_off_arrow()
import pyspark.sql.streaming.python_streaming_source_runner as runner
from riacho.pipelines.data_source import RiachoDataSource
RiachoDataSource({"kafka.bootstrap.servers": "127.0.0.1:9", "subscribe": "t"}).streamReader(None)
assert not loaded(), loaded()

from pyspark.sql.types import StructType
schema = StructType().add("number", "long")
[batch] = runner.records_to_arrow_batches(iter([(1,), (2,)]), 10, schema, None)
assert batch.column(0).to_pylist() == [1, 2]
import pyspark.sql.worker.plan_data_source_read as real
assert real.write_read_func_and_partitions
"""
OTHER_NAMES = """
from riacho.pipelines.spark.early_worker import put_off_arrow
put_off_arrow()
from pyspark.sql.worker.plan_data_source_read import records_to_arrow_batches, write_read_func_and_partitions
"""


@pytest.mark.parametrize("program", [PLANNER, OTHER_NAMES], ids=["planner", "other names"])
def test_arrow_is_loaded_when_a_planner_needs_it(program: str) -> None:
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=TIMEOUT_S)
