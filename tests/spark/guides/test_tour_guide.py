"""The tour is true with its connector too; without it `tests/e2e/test_guides.py` runs the page."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spark.conftest import why_no_spark
from support.guides import ROOT, GuideShell

TIMEOUT_S = 240


@pytest.mark.timeout(TIMEOUT_S + 100)
@pytest.mark.skipif(
    not os.environ.get("RIACHO_PROOFS"), reason="a JVM for one more connector; RIACHO_PROOFS=1 starts it"
)
def test_every_command_of_the_tour_runs(tmp_path: Path) -> None:
    reason = why_no_spark()
    if reason is not None:
        pytest.skip(reason)
    code, out, err = GuideShell(tmp_path).run(ROOT / "docs" / "guides" / "tour.md", timeout_s=TIMEOUT_S)
    assert code == 0, f"{out[-3000:]}\n{err[-3000:]}"
    assert "Traceback" not in err
