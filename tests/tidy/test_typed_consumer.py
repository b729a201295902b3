"""Who has installed Riacho gets its types: one run of mypy over programs of theirs and the examples of the reference.

It has the project's own settings, `strict` among them, and so its cache, which `make check` has filled just before.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from support.guides import ROOT, python_blocks

CONSUMER = ROOT / "tests" / "tidy" / "typed_consumer"
PAGE = ROOT / "docs" / "reference" / "python-api.md"
MODULES = ("riacho", "riacho.functions", "riacho.connect", "riacho.testing")


@pytest.mark.timeout(600)
def test_a_strict_checker_takes_good_programs_and_finds_mistakes(tmp_path: Path) -> None:
    assert (ROOT / "src" / "riacho" / "py.typed").is_file()
    programs = [CONSUMER / "shop.py", CONSUMER / "mistakes.py"]
    for line, block in python_blocks(PAGE.read_text()):
        # Blank lines before it, so that an error names the line of the page.
        programs.append(tmp_path / f"example_{line}.py")
        programs[-1].write_text("\n" * (line - 1) + block)
    assert len(programs) > 5
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--hide-error-context", *map(str, programs)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert told.stderr == ""
    wanted = [
        number for number, line in enumerate((CONSUMER / "mistakes.py").read_text().splitlines(), 1) if "  # " in line
    ]
    found = [re.match(r"(.*?):(\d+): error:", line) for line in told.stdout.splitlines() if ": error:" in line]
    assert [(Path(each[1]).name, int(each[2])) for each in found if each] == [
        ("mistakes.py", number) for number in wanted
    ], told.stdout


def test_the_program_uses_every_public_name() -> None:
    tree = ast.parse((CONSUMER / "shop.py").read_text())
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert {name for module in MODULES for name in import_module(module).__all__} - used == set()
