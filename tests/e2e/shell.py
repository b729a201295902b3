"""`riacho` run as a person would, in a home of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[2] / "src"
TIMEOUT_S = 60


class Shell:
    """Runs `riacho` with a home of its own, so that nothing of this machine is seen or touched."""

    def __init__(self, home: Path, variables: Mapping[str, str] | None = None) -> None:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("KAFKA_", "RIACHO_", "XDG_"))}
        own = {"HOME": str(home), "PYTHONPATH": str(SOURCE), "TMPDIR": str(home / "tmp"), "NO_COLOR": "1"}
        own["RIACHO_ONLY"] = "broker"
        (home / "tmp").mkdir(parents=True, exist_ok=True)
        self.home = home
        self.environment = kept | own | dict(variables or {})

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "riacho", *words]

    def try_(self, *words: str, given: str | bytes = b"") -> subprocess.CompletedProcess[bytes]:
        data = given.encode() if isinstance(given, str) else given
        return subprocess.run(
            self.command(*words), input=data, capture_output=True, env=self.environment, timeout=TIMEOUT_S, check=False
        )

    def run(self, *words: str, given: str | bytes = b"") -> str:
        """Its standard output; it must succeed."""
        done = self.try_(*words, given=given)
        assert done.returncode == 0, f"{words}: {done.stderr.decode()}"
        return done.stdout.decode()

    def misuse(self, *words: str) -> str:
        """The same for what was called wrongly."""
        return self.fail(*words, code=2)

    def fail(self, *words: str, code: int = 1) -> str:
        """The one sentence that it ends with; it must fail with that exit code and no traceback."""
        done = self.try_(*words)
        told = done.stderr.decode()
        assert done.returncode == code, f"{words} ended with {done.returncode}: {told}"
        assert "Traceback" not in told
        assert told.startswith("Error: ")
        assert told.count("\n") == 1
        return told

    def json(self, *words: str) -> Any:
        return json.loads(self.run(*words))
