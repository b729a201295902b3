"""The examples of the guide and of the reference, run as their readers would run them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_every_python_block_of_the_testing_guide_passes(tmp_path: Path) -> None:
    blocks = _tests(DOCS / "guides/testing.md")
    assert len(blocks) >= 8
    # What else is in the reference is run where there is Spark, by tests/spark/guides.
    blocks += _tests(DOCS / "reference/python-api.md")
    assert len(blocks) >= 9
    for number, block in enumerate(blocks):
        (tmp_path / f"test_block_{number}.py").write_text(block)
    outcome = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--strict-markers", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert f"{len(blocks)} passed" in outcome.stdout


def _tests(page: Path) -> list[str]:
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    return [block for block in blocks if "def test_" in block]
