"""HyperLogLog over 64 bit hashes: 4,096 registers, a standard error of 1.6 %."""

from __future__ import annotations

import base64
import math

_BITS = 12
_REGISTERS = 1 << _BITS
_ALPHA = 0.7213 / (1 + 1.079 / _REGISTERS)


class HyperLogLog:
    def __init__(self, registers: bytearray | None = None) -> None:
        self._registers = registers if registers is not None else bytearray(_REGISTERS)

    @classmethod
    def from_text(cls, text: str) -> HyperLogLog:
        return cls(bytearray(base64.b64decode(text)))

    def text(self) -> str:
        return base64.b64encode(self._registers).decode()

    def add(self, hashed: int) -> None:
        register = hashed >> (64 - _BITS)
        rest = hashed & ((1 << (64 - _BITS)) - 1)
        rank = 64 - _BITS - rest.bit_length() + 1
        if rank > self._registers[register]:
            self._registers[register] = rank

    def merge(self, other: HyperLogLog) -> None:
        self._registers = bytearray(map(max, self._registers, other._registers))

    def estimate(self) -> int:
        zeros = self._registers.count(0)
        raw = _ALPHA * _REGISTERS**2 / sum(2.0**-rank for rank in self._registers)
        if raw <= 2.5 * _REGISTERS and zeros:
            return round(_REGISTERS * math.log(_REGISTERS / zeros))
        return round(raw)
