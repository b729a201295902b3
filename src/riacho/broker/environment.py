"""The real world behind the ports: the machine's clock and its source of random bytes."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from riacho.base.ports import Clock, Rng


class SystemClock:
    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic_ms(self) -> int:
        return time.monotonic_ns() // 1_000_000


class SystemRng:
    def token(self, size_bytes: int) -> bytes:
        return os.urandom(size_bytes)


@dataclass(frozen=True, slots=True)
class Environment:
    clock: Clock
    rng: Rng


def real_environment() -> Environment:
    return Environment(clock=SystemClock(), rng=SystemRng())
