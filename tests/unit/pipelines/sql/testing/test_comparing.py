"""What came out against what had to: where it differs, in lines."""

from __future__ import annotations

from riacho.pipelines.sql.formats.json_source import NumberText
from riacho.pipelines.sql.testing.case import CaseRecord, CaseWindow
from riacho.pipelines.sql.testing.comparing import DIFFERENCES_MAX, differences


def record(key: object, value: object, timestamp: int | None = None, window: CaseWindow | None = None) -> CaseRecord:
    return CaseRecord("R", key, value, timestamp, window)


def test_equal_records_have_no_differences() -> None:
    expected = [record(1, {"A": NumberText("1.50"), "B": [True, None]})]
    assert differences("R", expected, [record(1, {"A": NumberText("1.5"), "B": [True, None]}, 5)]) == []


def test_what_the_case_does_not_say_is_not_compared() -> None:
    actual = CaseRecord("R", 1, None, 7, CaseWindow(0, 10, "time"), (("h", b""),))
    assert differences("R", [record(1, None)], [actual]) == []


def test_order_counts_within_a_key() -> None:
    one, two, other = record("a", 1), record("a", 2), record("b", 1)
    assert differences("R", [one, two, other], [one, other, two]) == []
    assert differences("R", [one, two], [two, one]) == [
        "R[0] value: expected 1, got 2",
        "R[1] value: expected 2, got 1",
    ]


def test_keys_are_equal_whatever_their_digits() -> None:
    expected = [record(NumberText("1.0"), 1), record({"B": 2, "A": "x"}, 2)]
    actual = [record({"A": "x", "B": 2}, 2), record(1.0, 1)]
    assert differences("R", expected, actual) == []


def test_each_difference_has_a_line() -> None:
    expected = record("a", {"X": 1}, 5, CaseWindow(0, 10, "time"))
    actual = record("b", {"X": 2}, 6, CaseWindow(5, 15, "time"))
    assert differences("R", [expected], [actual]) == [
        'R[0] key: expected "a", got "b"',
        'R[0] value: expected {"X":1}, got {"X":2}',
        "R[0] timestamp: expected 5, got 6",
        "R[0] window: expected [0, 10], got [5, 15]",
    ]


def test_a_window_that_is_not_there_is_told() -> None:
    assert differences("R", [record(1, 1, None, CaseWindow(0, None, "time"))], [record(1, 1)]) == [
        "R[0] window: expected one, and there is none"
    ]


def test_headers_are_compared_where_the_case_has_some() -> None:
    expected = CaseRecord("R", 1, 1, headers=(("a", b"x"),))
    assert differences("R", [expected], [record(1, 1)]) == ["R[0] headers: expected [('a', b'x')], got []"]


def test_missing_and_spare_records_are_shown() -> None:
    wanted, found = record("a", 1, 5, CaseWindow(0, 10, "time")), record("a", 2)
    assert differences("R", [wanted], []) == [
        "R: 1 records expected, 0 came",
        'R[0]: expected "a" [0, 10] -> 1 @5, nothing came',
    ]
    assert differences("R", [], [found]) == ["R: 0 records expected, 1 came", 'R[0]: nothing expected, "a" -> 2 came']


def test_differences_are_bounded() -> None:
    lines = differences("R", [record(1, at) for at in range(50)], [record(1, at + 1) for at in range(50)])
    assert len(lines) == DIFFERENCES_MAX + 1
    assert lines[-1] == "R: 40 more differences"
