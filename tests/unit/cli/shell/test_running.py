"""One command to its end, whatever that is; pipelines and files."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from riacho.cli.shell.line import parse_line
from riacho.cli.shell.programs import Program, find_program
from riacho.cli.shell.running import run_line, run_program, run_system


class Pretended(Program):
    """A program that is a function here."""

    __slots__ = ("body",)

    def __init__(self, body: Callable[[], object]) -> None:
        super().__init__("kafka-pretended", ("--list",))
        object.__setattr__(self, "body", body)

    def main(self) -> None:
        body: Callable[[], object] = self.body
        body()


def ran(body: Callable[[], object], line: str = "x") -> int:
    program = Pretended(body)
    environment = dict(os.environ)
    return run_line(lambda *streams: run_program(program, environment, *streams), parse_line(line), environment)


def raising(error: BaseException) -> Callable[[], object]:
    def body() -> None:
        raise error

    return body


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SystemExit(), 0),
        (SystemExit(3), 3),
        (SystemExit("told"), 1),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 141),
        (click.exceptions.Exit(4), 4),
        (click.Abort(), 130),
        (RecursionError(), 1),
        (GeneratorExit(), 1),
    ],
)
def test_whatever_a_command_ends_with_is_a_number(error: BaseException, code: int) -> None:
    assert ran(raising(error)) == code


def test_a_bug_is_told_in_one_sentence_with_its_place(capfd: pytest.CaptureFixture[str]) -> None:
    assert ran(lambda: {}["missing"]) == 1  # type: ignore[index]
    told = capfd.readouterr().err
    assert told.startswith("kafka-pretended ended by an error of its own: KeyError: 'missing' (test_running.py, line ")
    assert told.count("\n") == 1


def test_words_environment_and_directory_are_the_commands_own(capfd: pytest.CaptureFixture[str]) -> None:
    def body() -> None:
        print(sys.argv)
        os.environ["RIACHO_LEAK"] = "1"
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        logging.root.setLevel(logging.DEBUG)

    before = signal.getsignal(signal.SIGTERM), logging.root.level
    assert ran(body) == 0
    assert capfd.readouterr().out == "['kafka-pretended', '--list']\n"
    assert "RIACHO_LEAK" not in os.environ
    assert (signal.getsignal(signal.SIGTERM), logging.root.level) == before


def test_ctrl_c_ends_the_command(capfd: pytest.CaptureFixture[str]) -> None:
    def body() -> None:
        print("first")
        os.kill(os.getpid(), signal.SIGINT)
        signal.pause()

    assert ran(body) == 130
    assert capfd.readouterr().out == "first\n"


def test_into_a_pipeline_and_a_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def body() -> None:
        print("b\na\nc")
        print("beside", file=sys.stderr)

    assert ran(body, f"x | sort | head -2 > {tmp_path}/sorted") == 0
    assert (tmp_path / "sorted").read_text() == "a\nb\n"
    assert capfd.readouterr().err == "beside\n"
    assert ran(body, f"x 2>&1 | grep -c e >> {tmp_path}/sorted") == 0
    assert (tmp_path / "sorted").read_text() == "a\nb\n1\n"
    assert ran(body, f"x > {tmp_path}/both 2>&1") == 0
    assert sorted((tmp_path / "both").read_text().split()) == ["a", "b", "beside", "c"]
    assert ran(body, f"x > {tmp_path}/out 2> {tmp_path}/err") == 0
    assert (tmp_path / "err").read_text() == "beside\n"


def test_a_reader_that_ends_early_ends_the_command_quietly(capfd: pytest.CaptureFixture[str]) -> None:
    def body() -> None:
        while True:
            print("again")

    assert ran(body, "x | head -2") == 0
    assert capfd.readouterr() == ("again\nagain\n", "")


def test_the_exit_code_of_a_pipeline(capfd: pytest.CaptureFixture[str]) -> None:
    assert ran(lambda: print("a"), "x | grep b") == 1
    assert ran(raising(SystemExit(5)), "x | cat") == 5
    assert ran(lambda: None, "x | exit 7") == 7
    assert ran(lambda: None, "x | kill -9 $$") == 137
    assert ran(lambda: None, "x | no-such-program 2>/dev/null") == 127


def test_input_from_a_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").write_text("one\ntwo\n")
    assert ran(lambda: print(len(sys.stdin.readlines())), f"x < {tmp_path}/in | cat") == 0
    assert capfd.readouterr().out == "2\n"


def test_a_file_that_cannot_be_opened_runs_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ran(raising(AssertionError()), f"x < {tmp_path}/none")


def test_programs_of_the_system(capfd: pytest.CaptureFixture[str]) -> None:
    assert run_system("echo $ONE; exit 3", {"ONE": "1"}) == 3
    assert run_system("kill -INT $$", {}) == 130
    assert capfd.readouterr().out == "1\n"


def test_a_tool_says_the_same_twice(capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing of the first time is met by the second: no setting, no notice that is told once, no stream."""
    for words in (["kafka-topics", "--help"], ["kafka-topics.sh", "--nonsense"], ["ksql-datagen"], ["topic", "lst"]):
        program = find_program(words)
        assert program is not None
        seen = [(run_program(program, dict(os.environ)), capfd.readouterr()) for _ in range(2)]
        assert seen[0] == seen[1]
        assert "".join(seen[0][1])
        assert "Traceback" not in "".join(seen[0][1])
