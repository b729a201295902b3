"""The guide of Connect is true: every ```bash block runs, in order, against one worker with one Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.conftest import why_no_spark
from support.guides import ROOT, GuideShell

# A JVM starts and some dozen first queries are planned, on a machine that may have much else to do.
TIMEOUT_S = 480


@pytest.mark.timeout(TIMEOUT_S + 100)
def test_every_command_of_the_guide_runs(tmp_path: Path) -> None:
    reason = why_no_spark()
    if reason is not None:
        pytest.skip(reason)
    code, out, err = GuideShell(tmp_path).run(ROOT / "docs" / "guides" / "connect.md", timeout_s=TIMEOUT_S)
    log = tmp_path / "worker.log"
    told = log.read_text()[-3000:] if log.exists() else ""
    assert code == 0, f"{out[-3000:]}\n{err[-3000:]}\n{told}"
    assert "Traceback" not in err
