"""Our own Java programs, compiled at test time against Apache's jars.

The classes land in the cache directory under a name made of the sources' hash, so that a program is compiled once;
several processes may compile at the same time, since the finished directory appears by one rename.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from support.java import KAFKA_VERSION, available, cache_directory


def unavailable() -> str | None:
    """Why Java programs cannot be compiled here, or None when they can."""
    reason = available()
    return reason or ("there is no javac" if shutil.which("javac") is None else None)


def compiled(name: str, sources: Sequence[Path]) -> Path:
    """The directory with their classes."""
    digest = hashlib.sha256(KAFKA_VERSION.encode() + b"".join(source.read_bytes() for source in sources)).hexdigest()
    target = cache_directory().parent / f"{name}-{digest[:16]}"
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=target.parent))
    done = subprocess.run(
        ["javac", "-Xlint:all", "-d", str(scratch), "-cp", f"{cache_directory()}/*", *map(str, sources)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    try:
        scratch.rename(target)
    except OSError:  # somebody else was first
        shutil.rmtree(scratch)
    return target
