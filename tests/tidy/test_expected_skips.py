"""A run in which a test was left out for no known reason is not green."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from support.expected_skips import is_expected

TESTS = Path(__file__).parents[1]
KNOWN = "no Apache Kafka beside us: no java on the PATH"


def test_known_reasons_are_those_that_were_written_down() -> None:
    assert is_expected(f"Skipped: {KNOWN}")
    assert not is_expected("Skipped: it does not work any more")
    assert not is_expected("Skipped: ")


def test_a_test_that_is_left_out_for_another_reason_fails_the_run(tmp_path: Path) -> None:
    tests = {"known": KNOWN, "unknown": "it does not work any more"}
    for name, reason in tests.items():
        (tmp_path / f"test_{name}.py").write_text(f"import pytest\ndef test_it():\n    pytest.skip({reason!r})\n")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "support.expected_skips", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1, ran.stdout
    assert [line.split(": ")[1] for line in ran.stdout.splitlines() if line.startswith("LEFT OUT")] == [
        "test_unknown.py::test_it"
    ]
