"""The results as text: an aligned table for the terminal, the same as Markdown for the page."""

from __future__ import annotations

from itertools import groupby

from bench.peers import RIACHO
from bench.summary import Line, Spread

NOISE = 1.3  # on shared cores, nothing smaller can be told from chance
FOOTNOTE = "* the load client itself was busy: the broker may be faster than this shows."


def terminal_table(lines: list[Line]) -> str:
    """One table for each that Riacho is compared with."""
    tables = groupby(lines, key=lambda line: line.beside)
    return "\n\n".join(_terminal_table(_head(name), list(chosen)) for name, chosen in tables)


def _head(other: str) -> tuple[str, ...]:
    return ("load", "unit", RIACHO, other, "ratio")


def _terminal_table(head: tuple[str, ...], lines: list[Line]) -> str:
    rows = [head, *(_cells(line) for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    out = []
    for number, row in enumerate(rows):
        out.append("  ".join(_aligned(column, cell, widths[column]) for column, cell in enumerate(row)).rstrip())
        if number == 0:
            out.append("  ".join("-" * width for width in widths))
    return "\n".join(out)


def markdown_table(lines: list[Line]) -> str:
    rows = ["| " + " | ".join(_head(lines[0].beside)) + " |", "|---|---|--:|--:|--:|"]
    rows += ["| " + " | ".join(_cells(line)) + " |" for line in lines]
    return "\n".join(rows)


def _cells(line: Line) -> tuple[str, ...]:
    figure = line.figure
    name = figure.name + (" *" if line.client_bound else "")
    return (name, figure.unit, _spread(line.riacho), _spread(line.other), _ratio(line))


def _ratio(line: Line) -> str:
    if line.ratio is None or line.times_better is None:
        return "-"
    if 1 / NOISE < line.times_better < NOISE:
        return f"{line.ratio:.2f} level"
    return f"{line.ratio:.2f} {'better' if line.times_better > 1 else 'worse'}"


def _spread(spread: Spread | None) -> str:
    if spread is None:
        return "-"
    if spread.count == 1:
        return number_text(spread.median)
    return f"{number_text(spread.median)} ({number_text(spread.low)}..{number_text(spread.high)})"


def number_text(value: float) -> str:
    """Three figures are what such a measurement can bear."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _aligned(column: int, cell: str, width: int) -> str:
    return cell.ljust(width) if column < 2 else cell.rjust(width)
