"""The Python that Spark starts its processes with: the usual one, with two things mended by a small program before it.

Spark runs `python -m module`; a shell program in the user's cache directory stands in for `python`.

- Processes that have ten seconds to connect (the environment says where) go by way of `early_worker`.
- Spark puts an archive of PySpark in front of their path, and what comes out of an archive is compiled each time: a
  second of processor time for each process. Where the same PySpark is installed for this Python, the archive is left
  out, and the modules come compiled.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

_PROGRAM = """#!/bin/sh
{path}if [ "$1" = -m ] && [ -n "$PYTHON_WORKER_FACTORY_PORT$PYTHON_WORKER_FACTORY_SOCK_PATH" ]; then
  exec {python} -m riacho.pipelines.spark.early_worker "$2"
fi
exec {python} "$@"
"""
_PATH = """if [ -n "$PYTHONPATH" ]; then
  kept=
  set -f
  IFS=:
  for place in $PYTHONPATH; do
    case $place in
      {archives}/*.zip) ;;
      *) kept="$kept${{kept:+:}}$place" ;;
    esac
  done
  unset IFS
  set +f
  export PYTHONPATH="$kept"
fi
"""


def worker_python(python: str) -> str:
    """A program that stands in for `python`; `python` itself where none can be made."""
    if os.name != "posix":
        return python
    archives = spared_archives() if python == sys.executable else None
    path_text = "" if archives is None else _PATH.format(archives=shlex.quote(str(archives)))
    text = _PROGRAM.format(python=shlex.quote(python), path=path_text)
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


def spared_archives() -> Path | None:
    """The directory of the archives that belong to the PySpark installed here; None where that is not installed."""
    home = _installed("pyspark")
    return None if home is None or _installed("py4j") is None else home / "python" / "lib"


def _installed(name: str) -> Path | None:
    """The directory of a package, if it stands where this Python's packages are installed."""
    found = find_spec(name)
    if found is None or found.origin is None:
        return None
    home = Path(found.origin).parent
    return home if str(home.parent) in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")) else None
