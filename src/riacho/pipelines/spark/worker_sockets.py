"""How the JVM of a local session and its Python processes reach each other: by Unix domain sockets.

Over TCP, which is Spark's default, every task stands still for 40 ms: its command and its first rows are two writes of
the JVM, of which the kernel keeps the second back (Nagle's algorithm) until Python's side has acknowledged the first,
and that is put off in case there is an answer for it to go with.

The sockets are in a directory that nobody else may enter, since on them Spark asks for no secret.
"""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile

ENABLED = "spark.python.unix.domain.socket.enabled"
DIRECTORY = "spark.python.unix.domain.socket.dir"
# The address of such a socket is its path. Linux takes 107 bytes, macOS 103; the name that Spark gives it is a UUID.
_PATH_BYTES_MAX = 103
_NAME_BYTES = len("/.00000000-0000-0000-0000-000000000000.sock")


def socket_settings() -> dict[str, str]:
    """Empty where there are no such sockets, or no place with a path that is short enough."""
    directory = _directory() if os.name == "posix" else None
    return {} if directory is None else {ENABLED: "true", DIRECTORY: directory}


@functools.cache
def _directory() -> str | None:
    """One for the process, gone with it."""
    made = tempfile.mkdtemp(prefix="riacho-")
    if len(os.fsencode(made)) + _NAME_BYTES > _PATH_BYTES_MAX:
        os.rmdir(made)
        return None
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made
