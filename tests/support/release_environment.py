"""An environment as a user makes it: empty, then this project's wheel with the extras that the README names.

Nothing of the developers' environment is in it; only the versions come from the lock, so that two runs see the same. It
is kept under `.riacho/release/`, by what it was made from: the wheel is installed anew every time, its dependencies
when the lock, the declared ones or the Python change.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements" / "dev.lock"
KEPT = ROOT / ".riacho" / "release"
TIMEOUT_S = 900


class ReleaseEnvironment:
    def __init__(self, extras: str, wheel: Path) -> None:
        self.wheel = wheel
        self._extras = extras
        self.path = KEPT / _key(extras)
        # pytest is nothing that a user gets from us; who has tests has it.
        self.pytest = self.path / "pytest"
        if not (self.path / "ready").exists():
            self._make()
        _pip(self.python, "install", "--no-deps", "--force-reinstall", str(self.wheel))

    @property
    def bin(self) -> Path:
        return self.path / "venv" / "bin"

    @property
    def python(self) -> Path:
        return self.bin / "python"

    def installed(self) -> set[str]:
        listed = json.loads(_pip(self.python, "list", "--format=json"))
        return {each["name"].lower().replace("_", "-") for each in listed}

    def _make(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(parents=True)
        subprocess.run([sys.executable, "-m", "venv", str(self.path / "venv")], check=True, timeout=TIMEOUT_S)
        wanted = f"{self.wheel}[{self._extras}]" if self._extras else str(self.wheel)
        _pip(self.python, "install", "-c", str(LOCK), wanted)
        # Python 3.11 puts it into new environments, later ones do not: what needs it has to say so.
        _pip(self.python, "uninstall", "-y", "setuptools")
        _pip(self.python, "install", "-c", str(LOCK), "--target", str(self.pytest), "pytest")
        (self.path / "ready").touch()


def build_wheel(directory: Path) -> Path:
    _pip(Path(sys.executable), "wheel", "--no-deps", "--no-build-isolation", "-w", str(directory), str(ROOT))
    (wheel,) = directory.glob("riacho-*.whl")
    return wheel


def _key(extras: str) -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    parts = [extras, sys.version, LOCK.read_text(), project["dependencies"], project["optional-dependencies"]]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _pip(python: Path, *words: str) -> str:
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *words]
    # The wheel and the lock say what is there, not a path that a developer has set.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr[-3000:]}"
    return done.stdout
