from __future__ import annotations

from riacho.pipelines.sql.serving.served_row import ServedRow
from riacho.pipelines.sql.serving.table_changes import TableChanges


def _row(key: str | None, value: int | None, start: int | None = None) -> ServedRow:
    return ServedRow(
        None if key is None else {"ID": key}, None if value is None else {"V": value}, 0, 0, 0, window_start=start
    )


def _large(row: ServedRow) -> bool:
    return bool(row.column("V") > 1)


def test_without_a_condition_every_tombstone_is_shown() -> None:
    changes = TableChanges(None)
    assert [changes.is_shown(_row(*each)) for each in (("a", 1), ("a", None), ("b", None), (None, 1))] == [
        True, False, False, None,
    ]  # fmt: skip


def test_with_a_condition_only_what_was_shown_goes() -> None:
    changes = TableChanges(_large)
    given = [("a", None), ("a", 0), ("a", 2), ("a", 0), ("a", 0), ("a", 3), ("a", None), ("a", None)]
    assert [changes.is_shown(_row(*each)) for each in given] == [None, None, True, False, None, True, False, None]


def test_windows_of_a_key_are_rows_of_their_own() -> None:
    changes = TableChanges(_large)
    assert changes.is_shown(_row("a", 2, 0)) is True
    assert changes.is_shown(_row("a", None, 10)) is None
    assert changes.is_shown(_row("a", None, 0)) is False


def test_past_the_bound_no_tombstone_is_missed() -> None:
    changes = TableChanges(_large, keys_max=1)
    assert [changes.is_shown(_row(key, 2)) for key in "aab"] == [True, True, True]
    assert changes.is_shown(_row("b", None)) is False
    assert changes.is_shown(_row("c", None)) is False
