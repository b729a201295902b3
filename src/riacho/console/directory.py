"""Where the console keeps what outlives a call: the audit log, history, rules of alerts.

Without `riacho.console.dir` it is a directory for the time being, which goes with the console.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from riacho.base.config import ConfigError


class ConsoleDirectory:
    """ConfigError where it cannot be made."""

    def __init__(self, path: str) -> None:
        self._is_for_now = not path
        try:
            self.path = Path(path or tempfile.mkdtemp(prefix="riacho-console-"))
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise ConfigError(f"riacho.console.dir cannot be used: {error.strerror}") from None

    def close(self) -> None:
        if self._is_for_now:
            shutil.rmtree(self.path, ignore_errors=True)
