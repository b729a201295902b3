"""An id that lies beside a checkpoint, and comes and goes with it: what tells its batches from those of another one.

Batches of every checkpoint count from zero, and what they have written outlives them.
"""

from __future__ import annotations

import secrets
from pathlib import Path

_FILE = "id"


def scratch_id(scratch: str) -> str:
    file = Path(scratch) / _FILE
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_suffix(".new")
        fresh.write_text(secrets.token_hex(4))
        fresh.replace(file)
    return file.read_text()


def file_token(name: str, scratch: str) -> str:
    """What the names of a connector's files begin with: the connector and its checkpoint."""
    safe = "".join(each if each.isalnum() or each in "-_" else "-" for each in name)
    return f"{safe}-{scratch_id(scratch)}"
