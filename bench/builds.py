"""The package as it is installed for users, compiled where it can be: of this checkout, or of another commit.

Each is made once a run, in a temporary directory that goes with it. A commit's files come out of git as they were; a
commit from before modules were compiled runs as it is written. `RIACHO_COMPILE=0` measures all as they are written.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

from bench import ROOT

_HOOK = "hatch_build.py"


@cache
def source_of(commit: str | None, say: Callable[[str], None] = print) -> Path:
    """The directory to put on a broker's path; `commit` is None for this checkout."""
    checkout = ROOT if commit is None else _checked_out(commit)
    if os.environ.get("RIACHO_COMPILE") == "0" or not (checkout / _HOOK).exists():
        return checkout / "src"
    hook, target = _hook(checkout), _temporary()
    try:
        hook.copy_compiled(checkout / "src", target)
    except hook.CannotCompileError as error:
        say(f"measured as it is written, not compiled: {error}")
        return checkout / "src"
    return target


@cache
def full_name(commit: str) -> str:
    """Its hash, so that a branch that moves on stays what was measured."""
    found = _git("rev-parse", "--short=10", "--verify", f"{commit}^{{commit}}")
    return found.decode().strip()


def _checked_out(commit: str) -> Path:
    target = _temporary()
    names = [name for name in ("src", _HOOK) if _git("ls-tree", commit, "--", name)]
    packed = _git("archive", commit, "--", *names)
    subprocess.run(["tar", "-x", "-C", str(target)], input=packed, check=True)
    return target


def _hook(checkout: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", checkout / _HOOK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _git(*words: str) -> bytes:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"git {' '.join(words)}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def _temporary() -> Path:
    path = Path(tempfile.mkdtemp(prefix="riacho-build-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path
