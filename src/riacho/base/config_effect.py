"""Whether a setting does here what it does in Kafka; `ServerKey.effect` says which of four it is.

- `READ`: the code reads it, while the node runs where Kafka lets it change meanwhile.
- `READ_AT_START`: the code reads it once, from the file; a change while the node runs has no effect.
- `NoEffect`: any value is taken, so that files of Kafka work as they are, and nothing reads it.
- `Restricted`: only values that mean what is done here are taken. Another one would have loaded code or decided on
  security, and taking it without doing so would leave somebody unprotected.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Reading(Enum):
    READ = "read"
    READ_AT_START = "read at start"


READ = Reading.READ
READ_AT_START = Reading.READ_AT_START


@dataclass(frozen=True, slots=True)
class NoEffect:
    """`reason`: what rules in its place."""

    reason: str


@dataclass(frozen=True, slots=True)
class Restricted:
    """`instead`: what to do in its place. `allowed`: the values that are taken; an empty one always is."""

    instead: str
    allowed: tuple[str, ...] = ()


Effect = Reading | NoEffect | Restricted
