"""What an error of the operating system says about a disk.

A full disk, or a process out of descriptors, refuses this write and may take the next. Anything else while reading,
writing or syncing means that the directory can no longer be trusted: an I/O error, a file system gone read-only, files
that were removed. A failed sync is always of that kind: the kernel may have dropped the pages that it could not write,
and a second sync would not say so.
"""

from __future__ import annotations

import errno
import os

from riacho.base.errors import ErrorCode, KafkaError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_PASSING = _FULL | {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR, errno.EAGAIN, errno.EFBIG}


def is_out_of_descriptors(error: OSError) -> bool:
    """Never the word of a sync: a file could not even be opened for it, and may be the next time."""
    return error.errno in (errno.EMFILE, errno.ENFILE)


def is_full(error: OSError) -> bool:
    return error.errno in _FULL


def is_broken(error: OSError) -> bool:
    """Whether the directory should be taken out of service."""
    return error.errno not in _PASSING


def reason_of(error: OSError) -> str:
    return os.strerror(error.errno) if error.errno else str(error)


def storage_error(what: str, directory: str, error: OSError) -> KafkaError:
    detail = f"cannot {what} {os.path.basename(directory)}: {reason_of(error)}"
    return KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, detail)
