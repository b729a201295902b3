"""`riacho --version`: the release, the commit of a wheel or that there is none, and which form runs."""

from __future__ import annotations

from pathlib import Path

from riacho import KAFKA_VERSION, __version__
from riacho.cli.build import version_line

_START = f"riacho {__version__} (speaks Kafka {KAFKA_VERSION}; "


def test_a_wheel_tells_its_commit(tmp_path: Path) -> None:
    (tmp_path / "COMMIT").write_text("0123456789ab\n")
    assert version_line(tmp_path / "COMMIT") == f"{_START}commit 0123456789ab; pure Python)"


def test_a_clone_says_that_it_is_one() -> None:
    assert version_line() == f"{_START}from a clone; pure Python)"


def test_what_was_built_without_git_says_so(tmp_path: Path) -> None:
    assert "of no known commit" in version_line(tmp_path / "lib" / "site-packages" / "riacho" / "COMMIT")
