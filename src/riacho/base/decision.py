"""What a core decides: the records that change durable state, the reply, and what else is to be done about it.

A core's `decide` reads state, and writes none that is in the log. Its driver appends the records and gives each to the
core's `apply`, the one writer of that state, live and on reload. Once they are committed the reply leaves and the
effects are carried out. A decision whose records cannot be appended is abandoned, as if it had never been taken.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

R = TypeVar("R")
T = TypeVar("T")


class Decision(msgspec.Struct, Generic[R, T]):
    reply: T
    records: list[R] = []
    # Values that the driver understands: work in other places, which nobody waits for.
    effects: list[object] = []
