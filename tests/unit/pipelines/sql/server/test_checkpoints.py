from __future__ import annotations

from pathlib import Path

import pytest

from riacho.pipelines.sql.server.checkpoints import Checkpoints


def test_those_that_are_named_are_deleted_and_no_others(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    for name in ("CTAS_A_1-x", "CTAS_`b/c`_2-y"):
        Path(checkpoints.path(name)).mkdir()
    checkpoints.delete(["CTAS_`b/c`_2-y", "never there"])
    assert [each.name for each in tmp_path.iterdir()] == ["CTAS_A_1-x"]


@pytest.mark.parametrize("name", ["..", ".", "", "../outside", "/etc", "a/../../outside"])
def test_no_name_leads_out_of_the_directory(tmp_path: Path, name: str) -> None:
    inside, outside = tmp_path / "in", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    checkpoints = Checkpoints(inside)
    assert Path(checkpoints.path(name)).resolve().parent == inside.resolve()
    checkpoints.delete([name])
    assert outside.exists()
    assert inside.exists()
