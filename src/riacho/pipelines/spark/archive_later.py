"""Has the class archive written beside a driver that started without one, for those that start after it.

Only where RIACHO_CLASS_ARCHIVE says `later`, as `riacho up` has it for its services: writing takes another JVM for half
a minute, which a machine that somebody tries things on can spare, at the lowest priority, and a worker in a container
of a given size perhaps not. It begins when the first pipelines have started, and ends with the process that began it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence

from riacho.pipelines.spark.class_archive import VARIABLE, archive_path, java_executable

LATER = "later"
_AFTER_S = 90.0
_MODULE = "riacho.pipelines.spark.class_archive"


def write_later(after_s: float = _AFTER_S, command: Sequence[str] | None = None) -> threading.Timer | None:
    """The clock that was set; None where nothing is to be written."""
    if os.environ.get(VARIABLE) != LATER:
        return None
    java = java_executable()
    archive = None if java is None else archive_path(java)
    if archive is None or archive.exists():
        return None
    timer = threading.Timer(after_s, _write, [command or [sys.executable, "-m", _MODULE]])
    timer.daemon = True
    timer.start()
    return timer


def _write(command: Sequence[str]) -> None:
    """In the process group of this one, which is ended as a whole. What it says is of no use to anybody here."""
    nice = ["nice", "-n", "19"] if shutil.which("nice") else []
    quiet = subprocess.DEVNULL
    subprocess.run([*nice, *command], stdin=quiet, stdout=quiet, stderr=quiet, check=False)
