"""Files that connectors may reach: under an allowed folder, whatever links and dots say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.reach.limits import Limits, default_paths
from riacho.pipelines.reach.paths import folder_refusal, open_within, path_refusal


@pytest.fixture
def world(tmp_path: Path) -> Path:
    for folder in ("allowed/deep", "allowed/data/files", "allowed/.ssh", "outside"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "outside" / "passwd").write_text("root")
    (tmp_path / "allowed" / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "allowed" / "file-link").symlink_to(tmp_path / "outside" / "passwd")
    (tmp_path / "way-in").symlink_to(tmp_path / "allowed")
    return tmp_path


def limits_of(world: Path) -> Limits:
    allowed = world / "allowed"
    return Limits(paths=(str(allowed), str(allowed / "data" / "files")), kept=(str(allowed / "data"),))


@pytest.mark.parametrize("path", ["a.txt", "deep/a.txt", "deep/../a.txt", "not/there/yet", ".", "data/files/a"])
def test_what_is_under_an_allowed_folder(world: Path, path: str) -> None:
    limits = limits_of(world)
    assert path_refusal(str(world / "allowed" / path), limits) is None
    assert path_refusal(str(world / "way-in" / path), limits) is None
    assert folder_refusal(str(world / "allowed" / path), limits) is None
    assert folder_refusal(f"file:{world}/allowed/{path}", limits) is None
    assert folder_refusal(f"file://{world}/allowed/{path}", limits) is None


@pytest.mark.parametrize(
    "path",
    [
        "../outside/passwd",
        "link/passwd",
        "link",
        "file-link",
        "link/../../x",
        "../allowedly",
        ".ssh/authorized_keys",
        "deep/.git/hooks/x",
        "data",
        "data/log",
        "data/files/../log",
        "../../../../../../../../etc/passwd",
    ],
)
def test_what_is_not(world: Path, path: str) -> None:
    limits = limits_of(world)
    trouble = path_refusal(str(world / "allowed" / path), limits)
    assert trouble is not None
    assert "riacho.connectors.allowed.paths" in trouble
    assert folder_refusal(str(world / "allowed" / path), limits) is not None
    assert folder_refusal(f"file:{world}/allowed/{path}", limits) is not None


def test_a_refusal_tells_hidden_names_from_other_folders(world: Path) -> None:
    limits = limits_of(world)
    assert "is hidden, or Riacho's own" in (path_refusal(str(world / "allowed" / ".ssh" / "x"), limits) or "")
    assert "is hidden, or Riacho's own" in (path_refusal(str(world / "allowed" / "data"), limits) or "")
    assert "is not under one of" in (path_refusal(str(world / "outside"), limits) or "")


def test_urls_of_storage_must_be_named(world: Path) -> None:
    limits = Limits(paths=(str(world),), kept=(), urls=("s3a://mine/in",))
    assert folder_refusal("s3a://mine/in/orders", limits) is None
    for url in (
        "s3a://mine/other",
        "s3a://mine/in/../other",
        "s3a://mine/in/%2e%2e/x",
        "s3a://other/in",
        "hdfs://h/in",
    ):
        trouble = folder_refusal(url, limits)
        assert trouble is not None
        assert "riacho.connectors.allowed.urls" in trouble
    for url in (
        f"file://other{world}",
        f"file:{world}/%2e%2e/x",
        "FILE:///etc/passwd",
        "jar:file:/x!/y",
        "viewfs:///x",
    ):
        assert folder_refusal(url, limits) is not None
    queried = folder_refusal("s3a://mine/in/x#endpoint_override=169.254.169.254", limits)
    assert queried is not None
    assert folder_refusal("s3a://mine/in/x?endpoint_override=169.254.169.254", limits) is not None
    azure = Limits(paths=(), kept=(), urls=("abfs://in@acc.dfs.core.windows.net",))
    assert folder_refusal("abfs://in@acc.dfs.core.windows.net/x", azure) is None
    assert folder_refusal("abfs://other@acc.dfs.core.windows.net/x", azure) is not None
    assert folder_refusal(f"{world}/{{a,../../etc}}/passwd", limits) is not None
    assert folder_refusal(f"{world}/*", limits) is not None


def test_a_folder_that_is_overwritten_is_neither_the_allowed_one_nor_around_what_is_kept(world: Path) -> None:
    limits = limits_of(world)
    for path in ("allowed", "allowed/data", "way-in"):
        assert folder_refusal(str(world / path), limits, is_replaced=True) is not None
    assert folder_refusal(str(world / "allowed" / "deep"), limits, is_replaced=True) is None
    around = Limits(paths=(str(world),), kept=(str(world / "allowed" / "data"),))
    assert folder_refusal(str(world / "allowed"), around, is_replaced=True) is not None
    assert folder_refusal(str(world / "allowed"), around) is None


def test_without_bounds_everything_may_be_reached(world: Path) -> None:
    limits = Limits(paths=("*",), kept=(str(world),))
    assert path_refusal("/etc/passwd", limits) is None
    assert folder_refusal("/data/*", limits) is None


def test_a_link_that_is_made_after_the_check_leads_nowhere(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = limits_of(world)
    target = world / "allowed" / "deep" / "a.txt"
    os.close(open_within(str(target), limits, os.O_WRONLY | os.O_CREAT))
    resolved = str(target)
    # As if the link came between the look and the opening.
    monkeypatch.setattr("os.path.realpath", lambda path: resolved if path == resolved else os.path.abspath(path))
    (world / "allowed" / "deep").rename(world / "allowed" / "was-deep")
    (world / "allowed" / "deep").symlink_to(world / "outside")
    with pytest.raises(NotADirectoryError):
        open_within(resolved, limits, os.O_WRONLY | os.O_CREAT)
    assert not (world / "outside" / "a.txt").exists()


def test_what_is_opened_is_an_ordinary_file(world: Path) -> None:
    limits = limits_of(world)
    os.mkfifo(world / "allowed" / "pipe")
    with pytest.raises(ConnectError, match="no ordinary file"):
        open_within(str(world / "allowed" / "pipe"), limits, os.O_RDONLY)
    with pytest.raises(ConnectError, match=r"riacho\.connectors\.allowed\.paths"):
        open_within(str(world / "outside" / "passwd"), limits, os.O_RDONLY)
    with pytest.raises(FileNotFoundError):
        open_within(str(world / "allowed" / "none"), limits, os.O_RDONLY)


def test_a_working_directory_that_is_gone_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert not any("gone" in each for each in default_paths())


def test_a_service_that_was_started_at_the_root_has_not_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    assert "/" not in default_paths()
    monkeypatch.setenv("HOME", "/home/ann")
    monkeypatch.setattr(Path, "cwd", lambda: Path("/home"))
    assert "/home" not in default_paths(Path("/data/files"))
    assert "/data/files" in default_paths(Path("/data/files"))
