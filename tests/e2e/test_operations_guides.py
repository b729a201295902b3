"""The operations guides are true: every ```bash block of docs/operations/*.md runs, in order, in one shell for each.

They start real clusters, break them and mend them. Ports are moved to free ones, see `support/guides.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.guides import ROOT, GuideShell, bash_blocks

GUIDES = sorted((ROOT / "docs" / "operations").glob("*.md"))
TIMEOUT_S = 240


@pytest.mark.timeout(TIMEOUT_S + 90)
@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_every_command_of_an_operations_guide_runs(guide: Path, tmp_path: Path) -> None:
    code, out, err = GuideShell(tmp_path).run(guide, timeout_s=TIMEOUT_S)
    assert code == 0, f"{out[-4000:]}\n{err[-4000:]}"
    assert "Traceback" not in err


def test_the_guides_are_there() -> None:
    names = {guide.stem for guide in GUIDES if len(bash_blocks(guide.read_text())) >= 4}
    assert names >= {"cluster", "add-a-broker", "remove-a-broker", "rolling-upgrade", "failures", "quorum"}
