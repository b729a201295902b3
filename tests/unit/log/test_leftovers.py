"""Every state that a crash may leave of a swap, made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.log.leftovers import resolve
from support.log_files import TOPIC_ID, append, make_batch, open_log

SUFFIXES = (".log", ".index", ".timeindex")


def put(
    directory: Path, base_offset: int, suffix: str, *, kinds: tuple[str, ...] = SUFFIXES, text: bytes = b""
) -> None:
    for kind in kinds:
        data = make_batch([text, text], base_offset=base_offset, leader_epoch=0) if kind == ".log" else b""
        (directory / f"{base_offset:020d}{kind}{suffix}").write_bytes(data)


def run(directory: Path) -> set[str]:
    names = resolve(str(directory), [path.name for path in directory.iterdir()])
    assert set(names) == {path.name for path in directory.iterdir()}
    return set(names)


def files(*base_offsets: int) -> set[str]:
    return {f"{base:020d}{kind}" for base in base_offsets for kind in SUFFIXES}


def test_nothing_to_do(tmp_path: Path) -> None:
    put(tmp_path, 0, "")
    assert run(tmp_path) == files(0)


def test_deleted_files_go(tmp_path: Path) -> None:
    put(tmp_path, 0, ".deleted")
    put(tmp_path, 2, "")
    assert run(tmp_path) == files(2)


def test_cleaned_files_go_and_the_old_segments_stay(tmp_path: Path) -> None:
    put(tmp_path, 0, "")
    put(tmp_path, 2, "")
    put(tmp_path, 0, ".cleaned")
    assert run(tmp_path) == files(0, 2)


def test_a_half_renamed_swap_goes_too(tmp_path: Path) -> None:
    put(tmp_path, 0, "", text=b"old")
    put(tmp_path, 0, ".swap", kinds=(".log",), text=b"new")
    put(tmp_path, 0, ".cleaned", kinds=(".index", ".timeindex"))
    assert run(tmp_path) == files(0)
    assert b"old" in (tmp_path / f"{0:020d}.log").read_bytes()


@pytest.mark.parametrize("old_gone", [(), (0,), (0, 1)])
def test_a_complete_swap_takes_the_place_of_all_it_covers(tmp_path: Path, old_gone: tuple[int, ...]) -> None:
    for base in (0, 1, 2):
        put(tmp_path, base, ".deleted" if base in old_gone else "", text=b"old")
    put(tmp_path, 0, ".swap", text=b"new")
    assert run(tmp_path) == files(0, 2)
    assert b"new" in (tmp_path / f"{0:020d}.log").read_bytes()


@pytest.mark.parametrize("renamed", [1, 2])
def test_a_swap_half_way_to_its_final_names(tmp_path: Path, renamed: int) -> None:
    put(tmp_path, 0, ".deleted", text=b"old")
    put(tmp_path, 0, "", kinds=SUFFIXES[:renamed], text=b"new")
    put(tmp_path, 0, ".swap", kinds=SUFFIXES[renamed:])
    put(tmp_path, 2, "")
    assert run(tmp_path) == files(0, 2)
    assert b"new" in (tmp_path / f"{0:020d}.log").read_bytes()


def test_a_finished_group_is_kept_while_a_later_one_is_not_done(tmp_path: Path) -> None:
    put(tmp_path, 0, ".deleted")
    put(tmp_path, 0, ".swap", text=b"new")
    put(tmp_path, 2, "", text=b"old")
    put(tmp_path, 2, ".cleaned")
    assert run(tmp_path) == files(0, 2)
    assert b"new" in (tmp_path / f"{0:020d}.log").read_bytes()
    assert b"old" in (tmp_path / f"{2:020d}.log").read_bytes()


def test_temporary_files_go(tmp_path: Path) -> None:
    (tmp_path / "leader-epoch-checkpoint.tmp").write_text("half")
    (tmp_path / "leader-epoch-checkpoint").write_text("0\n0\n")
    assert run(tmp_path) == {"leader-epoch-checkpoint"}


def test_an_id_that_was_not_given_its_name_does_not_keep_a_log_from_opening(tmp_path: Path) -> None:
    log = open_log(tmp_path / "t-0")
    append(log, b"a")
    log.close(clean=False)
    (tmp_path / "t-0" / "partition.metadata").rename(tmp_path / "t-0" / "partition.metadata.tmp")
    again = open_log(tmp_path / "t-0")
    assert (again.log_end_offset, again.topic_id) == (1, TOPIC_ID)
    assert not (tmp_path / "t-0" / "partition.metadata.tmp").exists()
