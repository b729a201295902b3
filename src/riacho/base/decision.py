"""What a core decides: the records that change durable state, and the reply that goes out once they are committed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeVar

R = TypeVar("R")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Decision(Generic[R, T]):
    """`records` are appended and applied in order; only then is `reply` sent."""

    reply: T
    records: list[R] = field(default_factory=list)
