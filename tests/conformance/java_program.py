"""Our own Java programs, compiled at test time against Apache's kafka-clients and run with its jars.

The classes land in the cache directory under a name made of the sources' hash, so that a program is compiled once;
several processes may compile at the same time, since the finished directory appears by one rename.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from support.java import KAFKA_VERSION, available, cache_directory, java_command

SOURCES = sorted(Path(__file__).with_name("java").glob("*.java"))


def program(main_class: str, *arguments: str) -> list[str]:
    """The argv that runs one of our classes; skips the test, with the reason, where Java or the jars cannot be had."""
    reason = available()
    if reason:
        pytest.skip(f"no Java client here: {reason}")
    if shutil.which("javac") is None:
        pytest.skip("no Java client here: there is no javac")
    classes = _compiled()
    command = java_command(
        main_class, *arguments, jvm_flags=("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
    )
    at = command.index("-cp") + 1
    command[at] = f"{classes}{os.pathsep}{command[at]}"
    return command


def java_member() -> list[str]:
    return program("GroupMember")


def _compiled() -> Path:
    digest = hashlib.sha256(KAFKA_VERSION.encode() + b"".join(source.read_bytes() for source in SOURCES)).hexdigest()
    target = cache_directory().parent / f"conformance-java-{digest[:16]}"
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=target.parent))
    done = subprocess.run(
        ["javac", "-Xlint:all", "-d", str(scratch), "-cp", f"{cache_directory()}/*", *map(str, SOURCES)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    try:
        scratch.rename(target)
    except OSError:  # somebody else was first
        shutil.rmtree(scratch)
    return target
