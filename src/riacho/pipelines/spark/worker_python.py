"""The Python that Spark starts its processes with: the usual one, but planning processes connect before they load.

Spark runs `python -m module`; a program of three lines in the user's cache directory stands in for `python`, and sends
those that have ten seconds to connect (they are told where, in the environment) by way of `early_worker`.
"""

from __future__ import annotations

import hashlib
import os
import shlex
from pathlib import Path

_PROGRAM = """#!/bin/sh
if [ "$1" = -m ] && [ -n "$PYTHON_WORKER_FACTORY_PORT$PYTHON_WORKER_FACTORY_SOCK_PATH" ]; then
  exec {python} -m riacho.pipelines.spark.early_worker "$2"
fi
exec {python} "$@"
"""


def worker_python(python: str) -> str:
    """A program that stands in for `python`; `python` itself where none can be made."""
    if os.name != "posix":
        return python
    text = _PROGRAM.format(python=shlex.quote(python))
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    path = Path(base) / "riacho" / "spark" / f"python-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    try:
        if not os.access(path, os.X_OK):
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(f"{path.name}.{os.getpid()}")
            part.write_text(text)
            part.chmod(0o755)
            part.replace(path)
    except OSError:
        return python
    return str(path)
