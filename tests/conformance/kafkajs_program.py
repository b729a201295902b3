"""KafkaJS from the npm registry, and our scripts that use it."""

from __future__ import annotations

from pathlib import Path

from conformance import node_packages

SCRIPTS = Path(__file__).with_name("node")


def program(script: str, *arguments: str) -> list[str]:
    """The argv that runs one of our scripts; skips the test, with the reason, without node or npm's registry."""
    return node_packages.program(SCRIPTS, "kafkajs", script, *arguments)


def kafkajs_member() -> list[str]:
    return program("group_member.js")
