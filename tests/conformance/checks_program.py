"""Run a program that makes many checks in one process and prints "PASS name" or "FAIL name reason" for each."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path


def names(source: Path, pattern: str) -> list[str]:
    """The names of the checks, read out of the program's source, so that each becomes a test of its own."""
    found = re.findall(pattern, source.read_text(), re.MULTILINE)
    assert found, f"no checks in {source.name}"
    return found


def run(command: Sequence[str], timeout_s: float) -> dict[str, str]:
    """Each check's outcome: "" for passed, else the reason. A program that stops early leaves its last words."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, check=False)
        output, errors = done.stdout, done.stderr
    except subprocess.TimeoutExpired as expired:
        output, errors = _text(expired.stdout), f"still running after {timeout_s} s {_text(expired.stderr)}"
    outcome = {"": errors[-2_000:]}
    for line in output.splitlines():
        verdict, _, rest = line.partition(" ")
        if verdict in ("PASS", "FAIL"):
            name, _, reason = rest.partition(" ")
            outcome[name] = "" if verdict == "PASS" else reason or "failed"
    return outcome


def verdict(outcome: dict[str, str], name: str) -> None:
    assert name in outcome, f"the program ended before this check: {outcome['']}"
    assert outcome[name] == "", outcome[name]


def _text(output: bytes | str | None) -> str:
    return output.decode(errors="replace") if isinstance(output, bytes) else output or ""
