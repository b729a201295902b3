"""Tables in ksqlDB's two forms: lists with a line above and below, and rows of a query in boxes that fill the width."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

_COLUMN_MIN = 8


def list_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [[str(head) for head in heads], *([cell(value) for value in row] for row in rows)]
    widths = [max(len(line[index]) for line in lines) for index in range(len(heads))]
    texts = [
        " " + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) + " " for line in lines
    ]
    rule = "-" * len(texts[0])
    return "\n".join([texts[0], rule, *texts[1:], rule])


def cell(value: object) -> str:
    """A value as ksqlDB shows it: nothing is null, structures are JSON."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


class RowTable:
    """Rows in columns of equal width, a value that is longer going on below."""

    def __init__(self, names: Sequence[str], width: int) -> None:
        self._names = list(names)
        count = max(len(self._names), 1)
        self._column = max((width - 1) // count - 1, _COLUMN_MIN)

    @property
    def _rule(self) -> str:
        return "+" + "+".join("-" * self._column for _ in self._names) + "+"

    def head(self) -> str:
        return "\n".join([self._rule, self.row(self._names), self._rule])

    def row(self, values: Sequence[object]) -> str:
        pieces = [_pieces(cell(value), self._column) for value in values]
        height = max(map(len, pieces), default=1)
        return "\n".join(
            "|" + "|".join((each[line] if line < len(each) else "").ljust(self._column) for each in pieces) + "|"
            for line in range(height)
        )

    def foot(self) -> str:
        return self._rule


def _pieces(text: str, width: int) -> list[str]:
    return [
        part[start : start + width]
        for part in text.splitlines() or [""]
        for start in range(0, max(len(part), 1), width)
    ]
