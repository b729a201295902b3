"""What `tools/one_liners.py` takes from the README to run: both lines, and in Portuguese the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_both_readmes_have_the_lines_that_are_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    from one_liners import README, one_liners  # type: ignore[import-not-found]

    lines = one_liners(README.read_text(encoding="utf-8"))
    assert lines["pipx"][:2] == ["pipx", "install"]
    assert re.fullmatch(r"\.\[.*services.*\]", lines["pipx"][2])
    assert lines["uvx"][0:2] == ["uvx", "--from"]
    assert lines["uvx"][3:] == ["riacho", "up"]
    assert one_liners((ROOT / "README.pt-BR.md").read_text(encoding="utf-8")) == lines
