"""Kafka's client classes as the JVM keeps them in memory (class data sharing): a JVM that maps them starts in half the
time, and tests start many.

Made once, by a tool that administers, produces and consumes, on a broker in this process; kept in the user's cache
directory under a name made of the JVM's and the jars'. Where it cannot be made or used, JVMs start as without it.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from support.java import TOOLS, cache_directory, java_command

MAKING_TIMEOUT_S = 120
# The JVM would warn, among a tool's own output, of an archive that it cannot use.
SILENT = ("-Xlog:disable", "-Xlog:all=error:stderr")


@functools.cache
def archive_flags() -> tuple[str, ...]:
    """For a JVM whose class path begins with Kafka's jars; none where there is no archive."""
    told = subprocess.run(["java", "-version"], capture_output=True, timeout=60, check=False).stderr
    jars = "".join(sorted(path.name for path in cache_directory().glob("*.jar")))
    digest = hashlib.sha256(told + str(cache_directory()).encode() + jars.encode()).hexdigest()
    target = cache_directory().parent / f"java-classes-{digest[:16]}.jsa"
    if not target.exists():
        with open(f"{target}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not target.exists():
                _make(target)
    return (f"-XX:SharedArchiveFile={target}", *SILENT) if target.exists() else ()


def _make(target: Path) -> None:
    from riacho.testing import KafkaCluster

    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".archive-") as scratch, KafkaCluster() as cluster:
        made = Path(scratch) / "classes.jsa"
        words = ["--bootstrap-server", cluster.bootstrap_servers, "--topic", "archive", "--num-records", "1"]
        command = java_command(TOOLS["kafka-e2e-latency"], *words, "--producer-acks", "all", "--record-size", "10")
        command[1:1] = [f"-XX:ArchiveClassesAtExit={made}", *SILENT]
        try:
            subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=MAKING_TIMEOUT_S, check=False
            )
        except subprocess.TimeoutExpired:
            return
        if made.exists():
            os.rename(made, target)
