"""How many partitions a topic needs: max(t/p, t/c), rounded up.

t is the rate that is wanted, p what one producer gets into one partition, c what one consumer gets out of it. The three
are in the same unit, bytes or records per second.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

KEYS_MOVE = (
    "Choose with room to grow: adding partitions later changes which partition a key goes to, "
    "so the order of a key's records is not kept across that change."
)
_RATE = re.compile(
    r"(?P<number>\d+(\.\d+)?|\.\d+)\s*(?P<unit>[KMG]i?B|B)?\s*(records?|msgs?)?\s*(/\s*s(ec)?)?", re.IGNORECASE
)
_UNIT_BYTES = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


class Rate(NamedTuple):
    """So many bytes, or so many records, in a second."""

    per_second: float
    is_bytes: bool

    def __str__(self) -> str:
        return f"{_number(self.per_second, self.is_bytes)} {'MB/s' if self.is_bytes else 'records/s'}"


class Measured(NamedTuple):
    """What went through one partition in a time."""

    records: int
    size_bytes: int
    elapsed_s: float

    def rate(self, is_bytes: bool) -> float:
        return (self.size_bytes if is_bytes else self.records) / self.elapsed_s

    def as_json(self) -> dict[str, float]:
        return {
            "records": self.records,
            "seconds": round(self.elapsed_s, 3),
            "records_per_second": round(self.rate(False), 1),
            "bytes_per_second": round(self.rate(True), 1),
        }


class Plan(NamedTuple):
    wanted: Rate
    producer: float
    consumer: float
    partitions: int

    @property
    def arithmetic(self) -> str:
        """The formula with its numbers, for whoever wants to check them."""
        rates = (self.wanted.per_second, self.producer, self.consumer)
        t, p, c = (_number(rate, self.wanted.is_bytes) for rate in rates)
        by_p, by_c = rates[0] / rates[1], rates[0] / rates[2]
        return f"max(t/p, t/c) = max({t} / {p}, {t} / {c}) = max({by_p:.2f}, {by_c:.2f}) -> {self.partitions}"

    @property
    def reason(self) -> str:
        """Which side decided, and what follows for the other one."""
        if self.partitions == 1:
            return "one producer and one consumer carry it"
        if self.producer < self.consumer:
            return f"writing decides; {self.partitions} producers at least"
        return f"reading decides; a group of {self.partitions} consumers, a partition each"


def given(rate: Rate, record_size_bytes: int) -> Measured:
    """What somebody knows of their own program, as if it had been measured for a second."""
    records = rate.per_second / record_size_bytes if rate.is_bytes else rate.per_second
    return Measured(max(1, round(records)), max(1, round(records * record_size_bytes)), 1.0)


def _number(per_second: float, is_bytes: bool) -> str:
    return f"{per_second / 1e6:,.1f}" if is_bytes else f"{per_second:,.0f}"


def parse_rate(text: str) -> Rate:
    """`50MB/s`, `1.5 GiB/s`, `20000/s`. ValueError when it is none of that."""
    found = _RATE.fullmatch(text.strip().replace(",", "").replace("_", ""))
    if found is None or float(found["number"]) <= 0:
        raise ValueError(f"{text!r} is no rate; write 50MB/s or 20000/s")
    unit = found["unit"]
    number = float(found["number"])
    return Rate(number * _UNIT_BYTES[unit.lower()], True) if unit else Rate(number, False)


def plan_partitions(wanted: Rate, producer: Measured, consumer: Measured) -> Plan:
    p, c = producer.rate(wanted.is_bytes), consumer.rate(wanted.is_bytes)
    needed = math.ceil(max(wanted.per_second / p, wanted.per_second / c))
    return Plan(wanted, p, c, max(1, needed))
