"""A group member's process seen from the test: what it owns now, what it received, how to end it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PYTHON_MEMBER = Path(__file__).with_name("group_member.py")


def python_member(client: str) -> list[str]:
    return [sys.executable, str(PYTHON_MEMBER), client]


class MemberProcess:
    def __init__(
        self,
        command: Sequence[str],
        bootstrap: str,
        topic: str,
        group: str,
        *options: str,
        session_timeout_ms: int = 6_000,
    ) -> None:
        self._errors = bytearray()
        self.process = subprocess.Popen(
            [*command, bootstrap, topic, group, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"SESSION_TIMEOUT_MS": str(session_timeout_ms)},
        )
        self.owned: list[int] = []
        self.assignments = 0
        self.records: list[dict[str, Any]] = []
        self._threads = [
            threading.Thread(target=self._follow_events, daemon=True),
            threading.Thread(target=self._follow_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _follow_events(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if not line.startswith(b"{"):
                self._errors += line
                continue
            event = json.loads(line)
            if "assigned" in event:
                self.owned = event["assigned"]
                self.assignments += 1
            else:
                self.records.append(event)

    def _follow_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._errors += line

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def complaint(self) -> str:
        return self._errors[-2_000:].decode(errors="replace")

    def leave(self, timeout_s: float = 20.0) -> None:
        """SIGTERM: the member leaves the group."""
        self.process.terminate()
        self._end(timeout_s)

    def crash(self) -> None:
        """SIGKILL: the broker learns of it by the session timeout only."""
        self.process.kill()
        self._end(10.0)

    def _end(self, timeout_s: float) -> None:
        try:
            self.process.wait(timeout_s)
        finally:
            self.process.kill()
            self.process.wait()
            for thread in self._threads:
                thread.join(5.0)
        self.owned = []
