"""Which program a line runs, and where."""

from __future__ import annotations

import subprocess
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from riacho.cli.kafka.retired import RETIRED
from riacho.cli.shell.programs import Program, find_program, program_names

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.parametrize(
    ("words", "program"),
    [
        (["topic", "list"], Program("riacho", ("topic", "list"))),
        (["riacho", "topic", "list"], Program("riacho", ("topic", "list"))),
        (["kafka-topics", "--list"], Program("kafka-topics", ("--list",))),
        (["kafka-topics.sh", "--list"], Program("kafka-topics", ("--list",))),
        (["ksql", "-e", "x"], Program("ksql", ("-e", "x"))),
        (["zookeeper-shell.sh", "a:2181"], Program("zookeeper-shell", ("a:2181",))),
        (["topic.sh"], None),
        (["nonsense"], None),
    ],
)
def test_programs(words: list[str], program: Program | None) -> None:
    assert find_program(words) == program


def test_every_installed_script_is_a_program() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    for script, place in scripts.items():
        program = find_program([script])
        assert program is not None, script
        module = place.removesuffix(":main")
        assert f"from {module} import main" in program.command_line()[3]
        assert callable(import_module(module).main)
    # What only says that it is gone is completed to nobody.
    assert {name.removesuffix(".sh") for name in scripts} - RETIRED.keys() <= set(program_names())
    assert not RETIRED.keys() & set(program_names())


@pytest.mark.parametrize(
    ("words", "is_apart"),
    [
        (["up", "--detach"], True),
        (["riacho", "broker", "x"], True),
        (["connect-standalone.sh", "x"], True),
        (["shell"], True),
        (["topic", "list"], False),
        (["down"], False),
        (["kafka-console-consumer", "--topic", "up"], False),
        (["topic", "describe", "up"], False),
    ],
)
def test_services_get_a_process_of_their_own(words: list[str], is_apart: bool) -> None:
    program = find_program(words)
    assert program is not None
    assert program.is_apart is is_apart


def test_a_process_of_its_own_takes_no_module_of_the_directory(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise SystemExit('taken from here')")
    words = Program("riacho", ("--version",)).command_line()
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("riacho ")
