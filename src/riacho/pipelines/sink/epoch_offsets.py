"""Which offsets of its source an epoch has, as a short text: the same in every repetition, another for other rows.

Spark writes them to the checkpoint before an epoch begins, and a repetition reads them from there. So where a number
comes again with another such file, somebody has removed the first; the rows may tell nothing, as a table or a page can
have others when it is read again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

# Of a stream's own sink the first is Spark's; a write from foreachBatch may be told by the second.
_LOCATIONS = ("checkpointlocation", "riacho.checkpoint")
_FILE_SCHEMES = ("file://", "file:")


def offsets_digest(options: Mapping[str, str], epoch: int) -> str:
    """Empty where the checkpoint is out of reach from here."""
    location = next((options[name] for name in _LOCATIONS if options.get(name)), "")
    for scheme in _FILE_SCHEMES:
        location = location.removeprefix(scheme)
    if not location or "://" in location:
        return ""
    try:
        written = Path(location, "offsets", str(epoch)).read_bytes()
    except OSError:
        return ""
    return hashlib.sha256(written).hexdigest()[:16]
