"""Functions of a user, for the tests of how they are found and run."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal

from riacho.ksql import udaf, udf, udtf


@udf("DOUBLED", "(INT) -> INT", "(DECIMAL(6, 2)) -> DECIMAL(6, 2)")
def doubled(value: int | Decimal | None) -> int | Decimal | None:
    """Twice the value.

    Null for null.
    """
    return None if value is None else 2 * value


@udf("JOINED", "(STRING...) -> STRING")
def joined(*texts: str | None) -> str:
    return "-".join(text or "?" for text in texts)


@udf("NEXT_DAY", "(DATE) -> DATE")
def next_day(day: date) -> date:
    return day + timedelta(days=1)


@udf("POINT", "(STRUCT<X INT, TAGS MAP<STRING, INT>>) -> STRUCT<X INT, NAMES ARRAY<STRING>>")
def point(value: dict[str, object]) -> dict[str, object]:
    tags = value["TAGS"]
    assert isinstance(tags, dict)
    return {"X": value["X"], "NAMES": sorted(tags)}


@udf("FAILING", "(INT) -> STRING")
def failing(value: int) -> object:
    return 1 / value if value == 0 else value


@udtf("WORDS", "(STRING) -> STRING")
def words(text: str | None) -> Iterator[str]:
    yield from (text or "").split()


@udaf("LONGEST", "(STRING) -> STRING", about="The longest text.")
class Longest:
    def init(self) -> str:
        return ""

    def add(self, state: str, text: str | None) -> str:
        return max(state, text or "", key=len)

    def merge(self, left: str, right: str) -> str:
        return max(left, right, key=len)

    def result(self, state: str) -> str:
        return state


@udaf("TOTAL", "(DECIMAL(6, 2)) -> DECIMAL(8, 2)")
class Total:
    def init(self) -> str:
        return "0"

    def add(self, state: str, amount: Decimal) -> str:
        return str(Decimal(state) + amount)

    def undo(self, state: str, amount: Decimal) -> str:
        return str(Decimal(state) - amount)

    def merge(self, left: str, right: str) -> str:
        return str(Decimal(left) + Decimal(right))

    def result(self, state: str) -> Decimal:
        return Decimal(state)
