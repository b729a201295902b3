"""Our own Java programs of the conformance tests, run with Apache's jars."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.java import java_command
from support.java_archive import archive_flags
from support.java_sources import compiled, unavailable

SOURCES = sorted(Path(__file__).with_name("java").glob("*.java"))
JVM_FLAGS = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


def program(main_class: str, *arguments: str) -> list[str]:
    """The argv that runs one of our classes; skips the test, with the reason, where Java or the jars cannot be had."""
    reason = unavailable()
    if reason:
        pytest.skip(f"no Java client here: {reason}")
    classes = compiled("conformance-java", SOURCES)
    command = java_command(main_class, *arguments, jvm_flags=(*JVM_FLAGS, *archive_flags()))
    at = command.index("-cp") + 1
    command[at] = f"{command[at]}{os.pathsep}{classes}"
    return command


def java_member() -> list[str]:
    return program("GroupMember")
