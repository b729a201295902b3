"""COUNT_DISTINCT: an estimate, as ksqlDB's is; exact up to a thousand distinct values, where it keeps their hashes.

State: a list of 64 bit hashes as hexadecimal texts, then the registers of a HyperLogLog (`hyperloglog.py`) as text.
"""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from riacho.pipelines.tasks.aggregates.aggregate import Aggregate
from riacho.pipelines.tasks.aggregates.hyperloglog import HyperLogLog

EXACT_MAX = 1_000


class CountDistinct(Aggregate):
    def init(self) -> list[str]:
        return []

    def add(self, state: list[str] | str, values: list[Any], sequence: int) -> list[str] | str:
        if values[0] is None:
            return state
        text = hashlib.blake2b(msgspec.json.encode(values[0]), digest_size=8).hexdigest()
        return _with(state, [text])

    def merge(self, left: list[str] | str, right: list[str] | str) -> list[str] | str:
        if isinstance(right, list):
            return _with(list(left) if isinstance(left, list) else left, right)
        if isinstance(left, list):
            return _with(right, left)
        registers = HyperLogLog.from_text(left)
        registers.merge(HyperLogLog.from_text(right))
        return registers.text()

    def result(self, state: list[str] | str) -> int:
        return len(state) if isinstance(state, list) else HyperLogLog.from_text(state).estimate()


def _with(state: list[str] | str, hashes: list[str]) -> list[str] | str:
    if isinstance(state, list):
        known = set(state)
        state += [each for each in dict.fromkeys(hashes) if each not in known]
        if len(state) <= EXACT_MAX:
            return state
        hashes, registers = state, HyperLogLog()
    else:
        registers = HyperLogLog.from_text(state)
    for each in hashes:
        registers.add(int(each, 16))
    return registers.text()
