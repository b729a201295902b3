"""kafka-dump-log: what is in the files of a log directory."""

from __future__ import annotations

import os
import sys

from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import ToolError, launch

_DECODERS = (
    "offsets-decoder",
    "transaction-log-decoder",
    "cluster-metadata-decoder",
    "share-group-state-decoder",
    "remote-log-metadata-decoder",
)


def main() -> None:
    launch("kafka-dump-log", run)


def run(arguments: Arguments) -> int:
    if sum(arguments.has(name) for name in _DECODERS) > 1:
        raise ToolError("Only one of the decoders can be used at a time.")
    code = 0
    for path in arguments.need("files").split(","):
        print(f"Dumping {path}")
        code |= _dump(path.strip(), arguments)
    return code


def _dump(path: str, arguments: Arguments) -> int:
    name = os.path.basename(path)
    stem, _, suffix = name.partition(".")
    if suffix in ("log", "checkpoint"):
        from riacho.cli.kafka.dump_batches import dump_batches

        return dump_batches(path, arguments)
    from riacho.cli.kafka import dump_indexes

    match suffix:
        case "index":
            return dump_indexes.dump_offset_index(path, base_offset(stem, path), arguments)
        case "timeindex":
            return dump_indexes.dump_time_index(path, base_offset(stem, path), arguments)
        case "txnindex":
            return dump_indexes.dump_transaction_index(path)
        case "snapshot":
            return dump_indexes.dump_producer_snapshot(path)
    print(f"Ignoring unknown file {path}", file=sys.stderr)
    return 0


def base_offset(stem: str, path: str) -> int:
    """Log files are named by the first offset in them."""
    if not stem.isdecimal():
        raise ToolError(f"{path} is not named by an offset, so it is no file of a log.")
    return int(stem)
