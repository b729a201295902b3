"""KafkaJS from the npm registry, installed at test time into the user's cache directory, outside of the repository."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).with_name("node")
PACKAGE = SCRIPTS / "package.json"


def program(script: str, *arguments: str) -> list[str]:
    """The argv that runs one of our scripts; skips the test, with the reason, without node or npm's registry."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("no KafkaJS here: there is no node or no npm")
    modules = _installed()
    return [
        "env",
        f"NODE_PATH={modules}",
        "KAFKAJS_NO_PARTITIONER_WARNING=1",
        "node",
        str(SCRIPTS / script),
        *arguments,
    ]


def kafkajs_member() -> list[str]:
    return program("group_member.js")


def _installed() -> Path:
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "riacho"
    target = home / f"kafkajs-{hashlib.sha256(PACKAGE.read_bytes()).hexdigest()[:16]}"
    if not target.exists():
        home.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=home))
        shutil.copy(PACKAGE, scratch)
        done = subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"],
            cwd=scratch,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        if done.returncode != 0:
            shutil.rmtree(scratch)
            pytest.skip(f"no KafkaJS here: npm install failed: {done.stderr[-300:]}")
        try:
            scratch.rename(target)
        except OSError:  # somebody else was first
            shutil.rmtree(scratch)
    return target / "node_modules"
