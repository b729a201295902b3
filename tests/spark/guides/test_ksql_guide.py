"""The guide of KSQL is true: every ```bash block runs, in order, against one server with one Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.conftest import why_no_spark
from support.guides import ROOT, GuideShell

# A JVM starts, three first queries are planned, and the test runner starts another, on a machine that may have much
# else to do.
TIMEOUT_S = 480


@pytest.mark.timeout(TIMEOUT_S + 100)
def test_every_command_of_the_guide_runs(tmp_path: Path) -> None:
    reason = why_no_spark()
    if reason is not None:
        pytest.skip(reason)
    code, out, err = GuideShell(tmp_path).run(ROOT / "docs" / "guides" / "ksql.md", timeout_s=TIMEOUT_S)
    assert code == 0, f"{out[-3000:]}\n{err[-3000:]}"
    assert "Traceback" not in err
    # What statements say goes to standard output, and a refusal ends the guide; these are the results.
    for told in ("|Ana Lima ", "|AL ", "|GIFT ", '"isHealthy":true', "dropped-records"):
        assert told in out, f"{told} is not in {out[-6000:]}"
