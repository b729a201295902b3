"""Checkpoint directories: each connector in its own, none outside of the root, whatever its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.pipelines.connect.records import Checkpoint
from riacho.pipelines.connect.stores.checkpoints import Checkpoints

ONE, OTHER = Checkpoint(1, "aa"), Checkpoint(2, "bb")


@pytest.mark.parametrize(
    "name", ["..", ".", "", "/", "/etc", "../../up", "a/b", "a\\b", "%2e%2e", "a b", "漢" * 100, "x" * 4_000, "\udcff"]
)
def test_every_name_has_a_home_right_under_the_root(tmp_path: Path, name: str) -> None:
    root = tmp_path / "checkpoints"
    checkpoints = Checkpoints(str(root))
    checkpoints.settle("beside", ONE)
    made = Path(checkpoints.settle(name, ONE))
    assert made.is_dir()
    assert made.resolve().parent.parent == root.resolve()
    checkpoints.settle(name, OTHER)
    assert not made.exists()
    checkpoints.put_aside(name)
    checkpoints.sweep()
    assert [found.name for found in root.iterdir()] == ["beside"]
    assert checkpoints.is_here("beside", ONE)
    assert [found.name for found in tmp_path.iterdir()] == ["checkpoints"]


def test_names_that_differ_in_little_have_different_homes() -> None:
    checkpoints = Checkpoints("/root")
    names = ["a", "A", "%41", "a.", "a/", "x" * 300, "x" * 301, "X" * 300, "", "%"]
    assert len({checkpoints.path(name, ONE).lower() for name in names}) == len(names)


def test_a_new_connector_may_begin_while_the_old_one_is_removed(tmp_path: Path) -> None:
    checkpoints = Checkpoints(str(tmp_path))
    old = Path(checkpoints.settle("a", ONE))
    (old / "offsets").write_text("old")
    checkpoints.put_aside("a")
    new = Path(checkpoints.settle("a", OTHER))
    (new / "offsets").write_text("new")
    checkpoints.sweep()
    assert (new / "offsets").read_text() == "new"
    assert [found.name for found in tmp_path.iterdir()] == ["a"]


def test_what_a_killed_worker_put_aside_goes_later(tmp_path: Path) -> None:
    Checkpoints(str(tmp_path)).settle("a", ONE)
    Checkpoints(str(tmp_path)).put_aside("a")
    assert list(tmp_path.iterdir())
    Checkpoints(str(tmp_path)).sweep_left()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("scheme", ["file://", "file:"])
def test_roots_may_be_urls_of_files(tmp_path: Path, scheme: str) -> None:
    checkpoints = Checkpoints(f"{scheme}{tmp_path}/deep")
    path = checkpoints.settle("a", ONE)
    assert path == f"{scheme}{tmp_path}/deep/a/1-aa"
    assert (tmp_path / "deep/a/1-aa").is_dir()


def test_elsewhere_nothing_is_touched() -> None:
    checkpoints = Checkpoints("s3a://bucket/checkpoints")
    assert checkpoints.settle("a", ONE) == "s3a://bucket/checkpoints/a/1-aa"
    assert checkpoints.is_here("a", ONE)
    checkpoints.put_aside("a")
    checkpoints.sweep_left()
