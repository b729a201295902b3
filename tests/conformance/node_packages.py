"""Packages from the npm registry for our scripts, installed at test time into the user's cache directory."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

INSTALL_S = 300.0


def program(scripts: Path, name: str, script: str, *arguments: str) -> list[str]:
    """The argv that runs a script beside the packages of its package.json; `name` is for people and for the cache.

    Skips the test, with the reason, where there is no node or where npm's registry cannot be reached.
    """
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip(f"no {name} here: there is no node or no npm")
    modules = _installed(scripts / "package.json", name)
    settings = [f"NODE_PATH={modules}", "KAFKAJS_NO_PARTITIONER_WARNING=1"]
    return ["env", *settings, "node", str(scripts / script), *arguments]


def _installed(package: Path, name: str) -> Path:
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "riacho"
    target = home / f"{name}-{hashlib.sha256(package.read_bytes()).hexdigest()[:16]}"
    if not target.exists():
        home.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=home))
        shutil.copy(package, scratch)
        reason = _install(scratch)
        if reason:
            shutil.rmtree(scratch)
            pytest.skip(f"no {name} here: npm install {reason}")
        try:
            scratch.rename(target)
        except OSError:  # somebody else was first
            shutil.rmtree(scratch)
    return target / "node_modules"


def _install(directory: Path) -> str:
    """Empty, or why it went wrong."""
    words = ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"]
    try:
        done = subprocess.run(words, cwd=directory, capture_output=True, text=True, timeout=INSTALL_S, check=False)
    except subprocess.TimeoutExpired:
        return f"took more than {INSTALL_S:g} s"
    return "" if done.returncode == 0 else f"failed: {done.stderr[-300:]}"
