"""How commands tell: tables for people, JSON and tab-separated lines for programs.

Results go to standard output, remarks to standard error, so that a pipe carries results only. On a terminal tables are
drawn by rich; elsewhere they are plain aligned text that stays the same from run to run. `NO_COLOR` turns colours off.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar

import click

TABLE, JSON, RAW = "table", "json", "raw"
# On a terminal: what a fact gets however narrow it is, and the longest word that a column makes room for.
_ROOM_MIN = 20
_WORD_MAX = 40
Row = Mapping[str, object]
F = TypeVar("F", bound=Callable[..., Any])


def output_option(function: F) -> F:
    return click.option(
        "-o",
        "--output",
        type=click.Choice([TABLE, JSON, RAW]),
        default=TABLE,
        help="table for people, json for programs, raw for tab-separated lines without a header.",
    )(function)


def yes_option(function: F) -> F:
    return click.option("-y", "--yes", is_flag=True, help="Do not ask; go ahead.")(function)


def show_rows(rows: Sequence[Row], columns: Sequence[str], output: str, *, empty: str = "") -> None:
    """A list of like things. `empty` is the remark when there are none."""
    if output == JSON:
        click.echo(json.dumps([dict(row) for row in rows], indent=2, ensure_ascii=False))
    elif output == RAW:
        for row in rows:
            click.echo("\t".join(cell(row[name]) for name in columns))
    elif not rows:
        remark(empty)
    elif is_terminal(sys.stdout):
        _draw_table(rows, columns)
    else:
        click.echo(plain_table(rows, columns))


def show_json(value: object) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def show_facts(facts: Mapping[str, object]) -> None:
    """One thing, a line for each of its properties; on a terminal as many as it needs, broken between words."""
    width = max(map(len, facts), default=0)
    for name, value in facts.items():
        first, *more = _lines_of(visible(cell(value), kept="\n\t"), width + 2)
        click.echo(f"{styled(name.ljust(width), 'bold')}  {first}")
        for line in more:
            click.echo(f"{' ' * width}  {line}")


def _lines_of(text: str, indent: int) -> list[str]:
    if not is_terminal(sys.stdout):
        return [text]
    room = max(shutil.get_terminal_size().columns - indent, _ROOM_MIN)
    # Lists are broken behind their commas, and have no blanks where programs read them.
    broken = textwrap.wrap(text.replace(",", ", ").replace(",  ", ", "), room, break_long_words=False)
    return broken if len(text) > room and broken else [text]


def remark(text: str) -> None:
    """Something said beside the result."""
    if text:
        click.echo(text, err=True)


def log_line(text: str) -> None:
    """Something that happened meanwhile, for whoever looks later."""
    click.echo(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {text}", err=True)


def confirm(question: str, yes: bool) -> None:
    """Ask before destroying, where there is somebody to ask."""
    if not yes and is_terminal(sys.stdin) and not click.confirm(question):
        raise click.ClickException("Nothing was done.")


def cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ",".join(cell(item) for item in value)
    return str(value)


def visible(text: str, kept: str = "") -> str:
    """`text` with escapes for what a terminal would obey, and for what nobody sees or turns around what follows: names
    are others' to choose."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or each in kept else repr(each)[1:-1] for each in text)


def plain_table(rows: Sequence[Row], columns: Sequence[str]) -> str:
    heads = [heading(name) for name in columns]
    body = [[visible(cell(row[name])) for name in columns] for row in rows]
    is_number = [_is_number_column(rows, name) for name in columns]
    widths = [max(len(line[i]) for line in [heads, *body]) for i in range(len(columns))]
    return "\n".join(
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, is_number, strict=True)
        ).rstrip()
        for line in [heads, *body]
    )


def _is_number_column(rows: Sequence[Row], name: str) -> bool:
    values = [row[name] for row in rows if row[name] is not None]
    return bool(values) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)


def heading(name: str) -> str:
    return name.replace("_", " ").upper()


def _draw_table(rows: Sequence[Row], columns: Sequence[str]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, header_style="bold")
    for name in columns:
        justify: Literal["right", "left"] = "right" if _is_number_column(rows, name) else "left"
        # No narrower than its longest word: what has to give way breaks between words.
        words = [word for row in rows for word in visible(cell(row[name])).split()]
        longest = max(map(len, [*words, *heading(name).split()]), default=0)
        table.add_column(heading(name), justify=justify, overflow="fold", min_width=min(longest, _WORD_MAX))
    for row in rows:
        table.add_row(*(Text(visible(cell(row[name]))) for name in columns))
    Console().print(table)


def is_terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


def styled(text: str, style: str) -> str:
    """`text` in bold, dim or a colour on a terminal, unless NO_COLOR is set."""
    if os.environ.get("NO_COLOR") or not is_terminal(sys.stdout):
        return text
    if style == "bold":
        return click.style(text, bold=True)
    return click.style(text, dim=True) if style == "dim" else click.style(text, fg=style)
