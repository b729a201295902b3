"""The guides are true: every ```bash block of docs/guides/*.md runs, in order, in one shell for each guide.

A guide that starts Riacho by itself (`riacho up`) gets a free port and a home of its own; others find a broker running.
Where a guide writes `localhost:9092`, its commands get the address of that broker.
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.ports import free_port

ROOT = Path(__file__).parents[2]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
TIMEOUT_S = 170
_BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def bash_blocks(text: str) -> list[tuple[int, str]]:
    """(line of its first command, commands) of each block."""
    return [(text.count("\n", 0, found.start()) + 2, found[1]) for found in _BLOCK.finditer(text)]


def make_commands(directory: Path) -> None:
    """The package's console scripts, as an installation would put them on the path."""
    directory.mkdir()
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    for name, target in scripts.items():
        module, _, function = target.partition(":")
        path = directory / name
        path.write_text(f"#!{sys.executable}\nfrom {module} import {function}\n{function}()\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    make_commands(tmp_path / "bin")
    (tmp_path / "tmp").mkdir()
    port = str(free_port())
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("KAFKA_", "RIACHO_", "XDG_"))}
    return kept | {
        "HOME": str(tmp_path),
        "TMPDIR": str(tmp_path / "tmp"),
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "RIACHO_PORT": port,
        "KAFKA_BOOTSTRAP_SERVERS": f"127.0.0.1:{port}",
        "NO_COLOR": "1",
    }


@pytest.mark.timeout(TIMEOUT_S + 70)
@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_every_command_of_a_guide_runs(guide: Path, environment: dict[str, str], tmp_path: Path) -> None:
    blocks = bash_blocks(guide.read_text())
    script = ["set -euo pipefail"]
    if not any("riacho up" in commands for _, commands in blocks):
        script.append("riacho up --detach --ephemeral")
    for line, commands in blocks:
        script.append(f"echo '--- {guide.name}:{line}' >&2")
        script.append(commands.replace("localhost:9092", environment["KAFKA_BOOTSTRAP_SERVERS"]))
    try:
        done = subprocess.run(
            ["bash", "-c", "\n".join(script)],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    finally:
        subprocess.run(["riacho", "down"], env=environment, capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    assert "Traceback" not in done.stderr


def test_blocks_are_found_with_their_lines() -> None:
    text = "one\n```bash\na\nb\n```\n```console\nnot run\n```\n\n```bash\nc\n```\n"
    assert bash_blocks(text) == [(3, "a\nb\n"), (11, "c\n")]


def test_there_are_guides_with_commands() -> None:
    counts = {guide.name: len(bash_blocks(guide.read_text())) for guide in GUIDES}
    assert counts.get("command-line.md", 0) > 5
