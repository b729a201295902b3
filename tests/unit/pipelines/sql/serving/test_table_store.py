"""The rows of tables in SQLite: with their positions or not at all, rebuilt where the file is damaged."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from riacho.pipelines.sql.serving.table_store import NO_WINDOW, RowChange, StoreDamaged, StoreError, TableStore
from support.small_disk import small_disk


@pytest.fixture
def store(tmp_path: Path) -> Iterator[TableStore]:
    opened = TableStore(tmp_path / "tables.db")
    yield opened
    opened.close()


def _row(key: str, value: str | None, offset: int, start: int = NO_WINDOW, end: int = NO_WINDOW) -> RowChange:
    return RowChange(key, start, end, value, 1_000 + offset, 0, offset)


def _keys(store: TableStore, table: int) -> list[tuple[str, int, str]]:
    return [tuple(each) for each in store.read(f"SELECT key, ws, row FROM rows_{table} ORDER BY key, ws", ())]  # type: ignore[misc]


def test_rows_of_a_key_and_a_window_take_each_others_place_and_tombstones_delete_them(store: TableStore) -> None:
    table = store.materialise("T", "t")
    store.apply(table, [_row("a", "1", 0), _row("b", "2", 1), _row("a", "3", 2)], {0: 3})
    store.apply(table, [_row("b", None, 3), _row("w", "4", 4, 0, 10), _row("w", "5", 5, 10, 20)], {0: 6})
    store.apply(table, [_row("w", None, 6, 0, 10), _row("nobody", None, 7)], {0: 8})
    assert _keys(store, table) == [("a", NO_WINDOW, "3"), ("w", 10, "5")]
    assert store.positions(table) == {0: 8}


def test_after_a_restart_it_goes_on_where_it_was(tmp_path: Path) -> None:
    first = TableStore(tmp_path / "tables.db")
    table = first.materialise("T", "t")
    first.apply(table, [_row("a", "1", 0)], {0: 1, 1: 7})
    first.close()
    second = TableStore(tmp_path / "tables.db")
    assert second.materialise("T", "t") == table
    assert second.positions(table) == {0: 1, 1: 7}
    second.close()


def test_a_table_that_is_something_else_begins_anew(store: TableStore) -> None:
    table = store.materialise("T", "topic 1")
    store.apply(table, [_row("a", "1", 0)], {0: 1})
    other = store.materialise("T", "topic 2")
    assert other != table
    assert (_keys(store, other), store.positions(other)) == ([], {})


def test_names_of_tables_are_never_part_of_a_statement(store: TableStore) -> None:
    name = "T'; DROP TABLE tables; --"
    table = store.materialise(name, "x")
    store.apply(table, [_row("k'\"`\0;", "v'", 0)], {0: 1})
    assert store.names() == [name]
    assert _keys(store, table) == [("k'\"`\0;", NO_WINDOW, "v'")]
    store.forget(name)
    assert store.names() == []


@pytest.mark.parametrize("content", [b"no database at all" * 500, b"SQLite format 3\0" + b"\xff" * 8_000])
def test_a_file_that_is_no_store_is_made_anew_when_it_is_opened(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "tables.db").write_bytes(content)
    store = TableStore(tmp_path / "tables.db")
    assert store.names() == []
    store.close()


def test_a_file_that_is_damaged_while_it_is_open_is_told_of_and_rebuilt(tmp_path: Path) -> None:
    store = TableStore(tmp_path / "tables.db")
    table = store.materialise("T", "t")
    store.apply(table, [_row(f"{number:06d}", "x" * 500, number) for number in range(2_000)], {0: 2_000})
    store.close()
    with (tmp_path / "tables.db").open("r+b") as file:
        file.seek(40_000)
        file.write(b"\xff" * 500_000)
    store = TableStore(tmp_path / "tables.db")
    with pytest.raises(StoreDamaged, match="The store of tables cannot be read"):
        store.read(f"SELECT count(row) FROM rows_{table}", ())
    assert store.is_damaged
    store.rebuild()
    assert not store.is_damaged
    assert store.names() == []
    assert store.materialise("T", "t") != table
    store.close()


def test_two_processes_of_one_directory_have_a_file_each(tmp_path: Path) -> None:
    first, second = TableStore(tmp_path / "tables.db"), TableStore(tmp_path / "tables.db")
    assert (first.path.name, second.path.name) == ("tables.db", "tables-2.db")
    first.close()
    second.close()
    third = TableStore(tmp_path / "tables.db")
    assert third.path.name == "tables.db"
    third.close()


def test_whoever_writes_waits_for_who_writes(store: TableStore) -> None:
    failed: list[Exception] = []

    def write(number: int) -> None:
        try:
            for each in range(20):
                table = store.materialise(f"T{number}", f"{each}")
                store.apply(table, [_row("a", "1", 0)], {0: 1})
        except StoreError as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_a_full_disk_is_one_sentence_and_leaves_what_was_there(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 2 * 1024 * 1024) as disk:
        store = TableStore(disk.path / "tables.db")
        table = store.materialise("T", "t")
        store.apply(table, [_row("a", "1", 0)], {0: 1})
        disk.fill()
        with pytest.raises(StoreError, match=r"^The store of tables cannot be written: .*\.$"):
            store.apply(table, [_row(f"{number}", "x" * 1_000, number) for number in range(2_000)], {0: 2_000})
        assert store.positions(table) == {0: 1}
        disk.free()
        store.apply(table, [_row("b", "2", 1)], {0: 2})
        assert [key for key, _, _ in _keys(store, table)] == ["a", "b"]
        store.close()


def test_readers_cannot_write(store: TableStore) -> None:
    store.materialise("T", "t")
    with pytest.raises(StoreError, match="readonly"):
        store.read("DELETE FROM tables", ())
    assert sqlite3.sqlite_version_info >= (3, 24)
