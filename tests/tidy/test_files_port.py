"""Logs, checkpoints and the quorum's state reach the disk through the port `Files` alone: else a simulated disk would
not be all that they stand on."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "riacho"
ROOMS = [
    *sorted(path for path in (SOURCE / "log").glob("*.py") if path.name != "real_files.py"),
    SOURCE / "broker" / "quorum" / "metadata_log.py",
    SOURCE / "broker" / "quorum" / "quorum.py",
]
# What asks nothing of the disk.
HARMLESS = {"path", "strerror", "fspath"}
HARMLESS_OF_PATH = {"abspath", "basename", "dirname", "join", "isabs"}


def reaches(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open":
            found.append(f"line {node.lineno}: open()")
        if not isinstance(node, ast.Attribute):
            continue
        name = ast.unparse(node)
        is_of_path = name.startswith("os.path.") and node.attr not in HARMLESS_OF_PATH
        is_of_os = name.startswith("os.") and name.count(".") == 1 and node.attr not in HARMLESS
        is_other = name.startswith(("shutil.", "pathlib.", "fcntl."))
        if is_of_path or is_other or (is_of_os and not node.attr.startswith("O_")):
            found.append(f"line {node.lineno}: {name}")
    return found


@pytest.mark.parametrize("path", ROOMS, ids=lambda path: path.stem)
def test_the_disk_is_reached_through_the_port(path: Path) -> None:
    assert reaches(path) == []


def test_a_way_around_the_port_would_be_seen(tmp_path: Path) -> None:
    around = tmp_path / "around.py"
    around.write_text("import os\nos.fsync(3)\nos.path.exists('a')\nopen('b')\nos.path.join('a', 'b')\nos.O_RDONLY\n")
    assert reaches(around) == ["line 4: open()", "line 2: os.fsync", "line 3: os.path.exists"]
