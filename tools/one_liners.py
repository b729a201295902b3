"""The README's lines for whoever has no environment of his own, by pipx and by uvx: a part of `make python-versions`.

Both come from the package index, into a directory that is gone afterwards with all that they install. `.` is there what
the source distribution unpacks to.
"""

from __future__ import annotations

import os
import re
import shlex
import tarfile
from pathlib import Path

from release_steps import ROOT, StepFailedError, environment, produce_and_consume, run

README = ROOT / "README.md"
_LINE = re.compile(r"`((?:pipx|uvx) [^`]+)`")
# What uv calls the settings of pip's that say where packages come from.
_OF_PIP = {"SSL_CERT_FILE": "PIP_CERT", "UV_DEFAULT_INDEX": "PIP_INDEX_URL"}


def one_liners(text: str) -> dict[str, list[str]]:
    """By the program that each begins with."""
    return {words[0]: words for words in map(shlex.split, _LINE.findall(text))}


def walk(python: str, work: Path) -> str:
    lines = one_liners(README.read_text(encoding="utf-8"))
    if lines.keys() != {"pipx", "uvx"}:
        raise StepFailedError(f"the README has no line for pipx or none for uvx: {sorted(lines)}")
    run([python, "-m", "venv", str(work / "tools")], work)
    bin_dir = work / "tools" / "bin"
    run([str(bin_dir / "python"), "-m", "pip", "install", "-q", "build", "pipx", "uv"], work)
    source = _unpacked(bin_dir, work)
    variables = _variables(python, work, bin_dir)
    run([str(bin_dir / "pipx"), *lines["pipx"][1:]], source, variables)
    installed = str(work / "pipx" / "bin" / "riacho")
    told = run([installed, "--version"], work, variables).strip()
    produce_and_consume([installed], work, variables)
    # Up to the name of the program: its port and directory are chosen here.
    start = lines["uvx"][: lines["uvx"].index("riacho") + 1]
    produce_and_consume([str(bin_dir / "uvx"), *start[1:]], source, variables)
    return told


def _unpacked(bin_dir: Path, work: Path) -> Path:
    run([str(bin_dir / "python"), "-m", "build", "--sdist", "-o", str(work / "dist"), str(ROOT)], work)
    (archive,) = (work / "dist").glob("riacho-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(work / "source", filter="data")
    (source,) = (work / "source").iterdir()
    return source


def _variables(python: str, work: Path, bin_dir: Path) -> dict[str, str]:
    """An empty home; the Python that was asked for, and none from elsewhere."""
    home = work / "home"
    home.mkdir()
    of_pip = {name: os.environ[pip] for name, pip in _OF_PIP.items() if pip in os.environ}
    return of_pip | environment() | {
        "HOME": str(home),
        "PATH": f"{bin_dir}{os.pathsep}{os.environ['PATH']}",
        "PIPX_HOME": str(work / "pipx"),
        "PIPX_BIN_DIR": str(work / "pipx" / "bin"),
        "PIPX_DEFAULT_PYTHON": python,
        "UV_CACHE_DIR": str(work / "uv"),
        "UV_PYTHON": python,
        "UV_PYTHON_DOWNLOADS": "never",
    }  # fmt: skip
