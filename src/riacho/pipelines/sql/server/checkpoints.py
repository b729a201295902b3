"""Checkpoints of queries: where each is, and the end of those whose queries were terminated."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Collection
from pathlib import Path
from urllib.parse import quote

_log = logging.getLogger("riacho.ksql")


class Checkpoints:
    """`location` is a directory, or a URL that only Spark can reach: there the runner deletes what is to go."""

    def __init__(self, location: Path | str) -> None:
        self.location = str(location).rstrip("/")

    @property
    def is_local(self) -> bool:
        return "://" not in self.location

    def path(self, name: str) -> str:
        return f"{self.location}/{part(name)}"

    def delete(self, names: Collection[str]) -> None:
        """Those that are there, of a directory; blocking. What cannot be deleted stays, and the log tells."""
        if not names:
            return
        try:
            there = {each.name for each in Path(self.location).iterdir()}
        except OSError:
            return
        for name in names:
            if part(name) in there:
                try:
                    shutil.rmtree(self.path(name))
                except OSError as error:
                    _log.warning("checkpoint not deleted name=%s reason=%s", name, error)


def part(name: str) -> str:
    """A name that stays below the location, whatever it is."""
    quoted = quote(name, safe="")
    return quoted if quoted.strip(".") else f"_{quoted}"
