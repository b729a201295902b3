"""Standard input, output and error of one command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from riacho.cli.shell.streams import standard_streams


def test_all_ways_to_write_end_in_the_file(tmp_path: Path) -> None:
    with (
        (tmp_path / "out").open("wb") as out,
        (tmp_path / "err").open("wb") as err,
        standard_streams(None, out.fileno(), err.fileno()),
    ):
        print("by print")
        sys.stdout.flush()
        os.write(1, b"by descriptor\n")
        subprocess.run(["/bin/sh", "-c", "echo by child; echo wrong >&2"], check=True)
        print("told", file=sys.stderr)
        sys.stdout.write("without its end")
    assert (tmp_path / "out").read_text() == "by print\nby descriptor\nby child\nwithout its end"
    assert (tmp_path / "err").read_text() == "wrong\ntold\n"


def test_input_is_read_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes("één\ntwo\xff".encode("latin-1"))
    with (tmp_path / "in").open("rb") as source, standard_streams(source.fileno()):
        lines = sys.stdin.readlines()
    assert lines[1].encode("utf-8", "surrogateescape") == b"two\xff"


def test_what_a_command_leaves_unwritten_or_closes_is_gone_with_it(capfd: pytest.CaptureFixture[str]) -> None:
    before = sys.stdin, sys.stdout, sys.stderr
    reading, writing = os.pipe()
    with standard_streams(None, writing):
        os.close(reading)
        sys.stdout.write("nobody reads this")
        sys.stderr.close()
        sys.stdin.close()
    os.close(writing)
    assert (sys.stdin, sys.stdout, sys.stderr) == before
    os.write(1, b"here\n")
    os.write(2, b"there\n")
    assert capfd.readouterr() == ("here\n", "there\n")


def test_no_descriptor_is_left_open() -> None:
    def count() -> int:
        return len(os.listdir("/proc/self/fd"))

    before = count()
    for _ in range(5):
        with pytest.raises(KeyError), standard_streams():
            raise KeyError
    assert count() == before
