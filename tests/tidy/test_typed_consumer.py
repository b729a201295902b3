"""Who has installed Riacho gets its types: one run of mypy over programs of theirs and the examples of the reference.

They are checked as users check them: strictly, without settings of this project, and with Riacho among the packages of
an environment of their own, where it counts as typed only because it says so (`py.typed`).
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import sysconfig
import venv
from importlib import import_module
from pathlib import Path

from support.guides import ROOT, python_blocks

CONSUMER = ROOT / "tests" / "tidy" / "typed_consumer"
PAGE = ROOT / "docs" / "reference" / "python-api.md"
MODULES = ("riacho", "riacho.functions", "riacho.connect", "riacho.ksql", "riacho.testing")


def test_a_strict_checker_takes_good_programs_and_finds_mistakes(tmp_path: Path) -> None:
    programs = [CONSUMER / "shop.py", CONSUMER / "mistakes.py"]
    for line, block in python_blocks(PAGE.read_text()):
        # Blank lines before it, so that an error names the line of the page.
        programs.append(tmp_path / f"example_{line}.py")
        programs[-1].write_text("\n" * (line - 1) + block)
    assert len(programs) > 5
    marked = enumerate((CONSUMER / "mistakes.py").read_text().splitlines(), 1)
    wanted = [("mistakes.py", number) for number, line in marked if "  # " in line]

    checker = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", os.devnull]
    command = [*checker, "--python-executable", str(_environment(tmp_path / "user")), *map(str, programs)]
    told = subprocess.run(command, cwd=tmp_path, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True)
    assert told.stderr == ""
    found = [re.match(r"(.*?):(\d+): error:", line) for line in told.stdout.splitlines() if ": error:" in line]
    assert [(Path(each[1]).name, int(each[2])) for each in found if each] == wanted, told.stdout


def test_the_program_uses_every_public_name() -> None:
    tree = ast.parse((CONSUMER / "shop.py").read_text())
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert {name for module in MODULES for name in import_module(module).__all__} - used == set()


def _environment(home: Path) -> Path:
    """The Python of a user's environment: Riacho is installed there, and what it needs."""
    venv.create(home, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    (packages / "riacho").symlink_to(ROOT / "src" / "riacho")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home / "bin" / "python"
