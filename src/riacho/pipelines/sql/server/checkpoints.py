"""Checkpoints of queries: where each is, and the end of those whose queries were terminated."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Collection
from pathlib import Path
from urllib.parse import quote

_log = logging.getLogger("riacho.ksql")


class Checkpoints:
    """`location` is a directory, or a URL that only Spark can reach: there nothing is deleted by this process."""

    def __init__(self, location: Path | str) -> None:
        self._location = str(location).rstrip("/")

    @property
    def is_local(self) -> bool:
        return "://" not in self._location

    def path(self, name: str) -> str:
        return f"{self._location}/{_part(name)}"

    def delete(self, names: Collection[str]) -> None:
        """Those that are there; blocking. What cannot be deleted stays, and the log tells."""
        if not self.is_local or not names:
            return
        try:
            there = {each.name for each in Path(self._location).iterdir()}
        except OSError:
            return
        for name in names:
            if _part(name) in there:
                try:
                    shutil.rmtree(self.path(name))
                except OSError as error:
                    _log.warning("checkpoint not deleted name=%s reason=%s", name, error)


def _part(name: str) -> str:
    """A name that stays below the location, whatever it is."""
    quoted = quote(name, safe="")
    return quoted if quoted.strip(".") else f"_{quoted}"
