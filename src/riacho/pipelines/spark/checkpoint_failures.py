"""What is wrong with a checkpoint, in one sentence: Spark's own texts speak of JSON and of log files.

A power failure leaves files that are empty or cut short; a full disk, files that cannot be written. Spark then stops
before it does anything, so nothing is lost. Files that go on with others than their own (the last one removed by hand)
are found by the writer of topics, see `sink/epoch.py`.
"""

from __future__ import annotations

import re

_FILE = r"(?:file:/*(?=/))?(\S+/(?:(?:offsets|commits|sources/\d+|state)/\S+?|metadata))"
# Nothing else is called a log file; but data may lie in directories with these names as well.
_LOG_FILE = re.compile(rf"Failed to read log file {_FILE}\.? ")
_UNREADABLE = re.compile(rf"Checksum error: {_FILE} at |File {_FILE} does not exist")
# Frames of the stack in which Spark reads a checkpoint's own files, and what goes wrong there when one is cut short.
_READING = re.compile(r"\.(?:HDFSMetadataLog|StreamMetadata|OffsetSeqLog|CommitLog)\b")
_CUT_SHORT = re.compile(r"com\.fasterxml\.jackson\S*(?:EOF|MismatchedInput|Parse)Exception|Incomplete log file")
_STATE = re.compile(r"\[CANNOT_LOAD_STATE_STORE\.(?:UNCATEGORIZED|CANNOT_READ_\w+)\]")
_CUT = "is missing, empty or cut short, as after a power failure"
_FULL = re.compile(r"No space left on device|Disk quota exceeded")
_WRITING = re.compile(r"\.streaming\.(?:checkpointing\.|state\.\w*Provider)")


def checkpoint_failure(text: str) -> str | None:
    """What to say of a failure with this text; None where it is of something else."""
    full = _FULL.search(text)
    if full is not None and _WRITING.search(text):
        return f"The checkpoint cannot be written ({full[0]}): make room there and start again, nothing is lost."
    found = _LOG_FILE.search(text) or (_UNREADABLE.search(text) if _has_read_checkpoint(text) else None)
    if found is not None:
        return _damaged(f"{next(filter(None, found.groups()))} {_CUT}")
    if _CUT_SHORT.search(text) and _READING.search(text):
        return _damaged(f"one of its files {_CUT}")
    return _damaged("its state cannot be read") if _STATE.search(text) else None


def _has_read_checkpoint(text: str) -> bool:
    return _READING.search(text) is not None or _STATE.search(text) is not None or ".streaming.state." in text


def _damaged(what: str) -> str:
    return f"The checkpoint is damaged: {what}. Put that back from a copy, or begin a new checkpoint."
