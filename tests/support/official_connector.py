"""Spark's own Kafka connector, fetched once by Maven coordinates, to compare ours with.

The jars are no part of PySpark. `connector_jars()` gives their paths, or none where they cannot be had; `missing()`
says why. Without what they depend on: Spark's other jars are there already, and Maven would bring a second Spark.
"""

from __future__ import annotations

import fcntl
import functools
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from support.java import FETCH_TIMEOUT_S, cache_directory

# The newest that are published together; they work on the Spark that PySpark brings, though it is newer.
ARTIFACTS = (
    ("org.apache.spark", "spark-sql-kafka-0-10_2.13", "4.2.0"),
    ("org.apache.spark", "spark-token-provider-kafka-0-10_2.13", "4.1.0-preview1"),
    ("org.apache.kafka", "kafka-clients", "3.9.1"),
    ("org.apache.commons", "commons-pool2", "2.12.1"),
)
DIRECTORY = "spark-kafka-connector-4.2.0"


def connector_jars() -> list[Path]:
    return sorted(_directory().glob("*.jar")) if missing() is None else []


@functools.cache
def missing() -> str | None:
    """Why the official connector cannot be had here, or None when it can."""
    if _directory().is_dir():
        return None
    if shutil.which("mvn") is None:
        return "no mvn on the PATH to fetch Spark's Kafka connector with"
    target = _directory()
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{target}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.is_dir():
            return None
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as scratch:
            return _fetch(Path(scratch), target)


def _directory() -> Path:
    return cache_directory().parent / DIRECTORY


def _fetch(scratch: Path, target: Path) -> str | None:
    jars = scratch / "jars"
    (scratch / "pom.xml").write_text(_pom())
    command = ["mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={jars}", "-DincludeScope=runtime"]
    try:
        done = subprocess.run(
            command, cwd=scratch, capture_output=True, text=True, timeout=FETCH_TIMEOUT_S, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return f"mvn did not fetch Spark's Kafka connector within {FETCH_TIMEOUT_S} s"
    if done.returncode != 0:
        errors = re.findall(r"\[ERROR\] (.+)", done.stdout) or ["no error was told"]
        return f"mvn could not fetch Spark's Kafka connector: {errors[0]}"
    os.chmod(jars, 0o755)
    os.rename(jars, target)
    return None


def _pom() -> str:
    alone = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"
    wanted = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version>{alone}"
        "</dependency>"
        for group, name, version in ARTIFACTS
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>local</groupId><artifactId>fetch-connector</artifactId><version>1</version>"
        f"<packaging>pom</packaging><dependencies>{wanted}</dependencies></project>"
    )
