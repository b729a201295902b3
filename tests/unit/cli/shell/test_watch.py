"""`watch`: its words, and what is marked as changed."""

from __future__ import annotations

import pytest

from riacho.cli.shell.watch import WatchError, marked, output_of, parse_watch


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("topic list", (2.0, "topic list")),
        ("-n 5 kafka-topics --list | sort -n", (5.0, "kafka-topics --list | sort -n")),
        ("-n0.5 x", (0.5, "x")),
    ],
)
def test_words(text: str, wanted: tuple[float, str]) -> None:
    assert parse_watch(text) == wanted


@pytest.mark.parametrize("text", ["", "-n 5", "-n x topic list", "-n 0 x", "-n nan x", "-n 1e9 x"])
def test_wrong_words(text: str) -> None:
    with pytest.raises(WatchError, match=r"\.$"):
        parse_watch(text)


def test_marks() -> None:
    assert marked("lag 12", "lag 12") == "lag 12"
    assert marked("lag 13 x", "lag 12") == "lag 1\x1b[7m3 x\x1b[0m"
    assert marked("new", "") == "\x1b[7mnew\x1b[0m"


def test_a_command_that_goes_on_and_on_is_ended() -> None:
    import os

    def endless(descriptor: int) -> int:
        while True:
            try:
                os.write(descriptor, b"again\n" * 1000)
            except BrokenPipeError:
                return 141

    lines = output_of(endless)
    assert set(lines[:-1]) == {"again"}
    assert len(lines) < 1_000_000
