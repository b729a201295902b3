"""How far long work is: what is told, when, and where."""

from __future__ import annotations

import io
import re
import sys

import click
import pytest

from riacho.cli.progress import Progress, progress


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class Told:
    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, text: str, done: int, total: int | None) -> None:
        self.texts.append(text)


def made(total: int | None, *, in_bytes: bool = False, has_rate: bool = True) -> tuple[Progress, Clock, Told]:
    clock, told = Clock(), Told()
    return Progress(total, told, 5.0, in_bytes=in_bytes, has_rate=has_rate, now_s=clock), clock, told


def test_a_line_has_share_rate_and_time_left() -> None:
    bar, clock, told = made(4_000)
    for _ in range(5):
        clock.now_s += 1
        bar.advance(240)
    assert told.texts == ["1,200 of 4,000 (30 %), 240 a second, 12 s left"]


def test_nothing_is_told_before_its_time() -> None:
    bar, clock, told = made(10)
    for _ in range(9):
        clock.now_s += 0.5
        bar.advance()
    assert told.texts == []
    clock.now_s += 0.5
    bar.advance()
    assert told.texts == ["10 of 10 (100 %), 2 a second"]


def test_bytes_have_units() -> None:
    bar, clock, told = made(3_000_000_000, in_bytes=True)
    clock.now_s += 10
    bar.advance(15_500_000)
    assert told.texts == ["15.5 MB of 3.0 GB (0 %), 1.6 MB a second, 32 min 5 s left"]


def test_without_an_end_no_time_is_left() -> None:
    bar, clock, told = made(None)
    clock.now_s += 5
    bar.advance(50)
    assert told.texts == ["50, 10 a second"]


def test_time_has_no_rate() -> None:
    bar, clock, told = made(10_000, has_rate=False)
    clock.now_s += 5
    bar.advance(5_000)
    assert told.texts == ["5,000 of 10,000 (50 %), 5 s left"]


def test_the_rate_is_that_of_the_last_drawings() -> None:
    """What took an hour to begin does not spoil what is told for the rest."""
    bar, clock, told = made(1_000_000)
    clock.now_s += 3_600
    bar.advance(0)
    for _ in range(70):
        clock.now_s += 5
        bar.advance(500)
    assert told.texts[-1] == "35,000 of 1,000,000 (3 %), 100 a second, 2 h 40 min left"


def test_an_end_that_moves() -> None:
    bar, clock, told = made(None)
    clock.now_s += 5
    bar.reach(100, 300)
    clock.now_s += 5
    bar.reach(90, 400)
    assert told.texts == ["100 of 300 (33 %), 20 a second, 10 s left", "90 of 400 (22 %), 9 a second, 34 s left"]


def test_off_a_terminal_lines_go_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("Reading", 10) as bar:
        bar._next_s = 0.0
        bar.advance(5)
    told = capsys.readouterr()
    assert told.err.startswith("Reading: 5 of 10 (50 %)")
    assert told.out == ""


@pytest.mark.parametrize("options", [{"is_shown": False}, {"has_lines": False}])
def test_lines_only_where_they_are_wanted(options: dict[str, bool], capsys: pytest.CaptureFixture[str]) -> None:
    with progress("Reading", 10, **options) as bar:
        bar._next_s = 0.0
        bar.advance(5)
    assert capsys.readouterr().err == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("is_piped", [True, False], ids=["piped", "terminal"])
def test_a_bar_leaves_standard_output_where_it_goes(is_piped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar on a terminal must not draw what is piped elsewhere onto the terminal."""
    error, out = Terminal(), io.StringIO() if is_piped else Terminal()
    monkeypatch.setattr(sys, "stderr", error)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("TERM", "xterm")
    with progress("Reading", 10) as bar:
        bar._next_s = 0.0
        bar.advance(5)
        print("a line of the result")
    assert "Reading" in error.getvalue()
    assert "5 of 10 (50 %)" in error.getvalue()
    assert ("a line of the result" in out.getvalue()) is is_piped
    assert ("a line of the result" in error.getvalue()) is not is_piped


class TerminalOfBytes(io.TextIOWrapper):
    """As Python opens its own: there are bytes below."""

    def isatty(self) -> bool:
        return True


def test_lines_of_a_command_stand_above_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of click too, which looks at what it writes to."""
    written, result = io.BytesIO(), io.BytesIO()
    monkeypatch.setattr(sys, "stderr", TerminalOfBytes(written, encoding="utf-8", write_through=True))
    monkeypatch.setattr(sys, "stdout", TerminalOfBytes(result, encoding="utf-8", write_through=True))
    monkeypatch.setenv("TERM", "xterm")
    with progress("Restarting", 3) as bar:
        click.echo("Broker 1 is back.")
        click.echo("Broker 2 is late.", err=True)
        bar.advance()
    assert result.getvalue() == b""
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written.getvalue().decode()).replace("\r", "\n").split("\n")
    assert "Broker 1 is back." in shown
    assert "Broker 2 is late." in shown
