"""The files that the queries of `spark_sink_worker` read, and what has to come of them."""

from __future__ import annotations

import os
import time
from itertools import accumulate
from pathlib import Path

from support.spark_sink_worker import FILES_PER_EPOCH

KEYS = 9
ROWS_OF_A_KEY = 4
# Spark takes files by their times, and those of the future never.
_FIRST_S = 100_000


class Input:
    """Files for so many micro-batches; more can be added. A key is in one file of an epoch."""

    def __init__(self, directory: Path, epochs: int) -> None:
        self.epochs = 0
        self._directory = directory / "input"
        self._directory.mkdir(parents=True)
        self._first_s = time.time() - _FIRST_S
        self._numbers: dict[str, list[int]] = {f"k{key}": [] for key in range(KEYS)}
        self.add(epochs)

    def add(self, epochs: int) -> None:
        for _ in range(epochs):
            for slot in range(FILES_PER_EPOCH):
                self._write(slot)
            self.epochs += 1

    def _write(self, slot: int) -> None:
        lines = []
        for row in range(ROWS_OF_A_KEY):
            for key in range(slot, KEYS, FILES_PER_EPOCH):
                number = self.epochs * ROWS_OF_A_KEY + row
                self._numbers[f"k{key}"].append(number)
                lines.append(f"k{key},{number}\n")
        file = self._directory / f"{self.epochs:05d}-{slot}.csv"
        file.write_text("".join(lines))
        when = self._first_s + self.epochs * FILES_PER_EPOCH + slot
        os.utime(file, (when, when))

    @property
    def passed_on(self) -> dict[str, list[str]]:
        """What the stateless query says of each key, in order."""
        return {key: [str(number) for number in own] for key, own in self._numbers.items()}

    @property
    def added_up(self) -> dict[str, list[str]]:
        """What the stateful query says of each key after each micro-batch."""
        return {key: _running_sums(own) for key, own in self._numbers.items()}


def _running_sums(numbers: list[int]) -> list[str]:
    sums = list(accumulate(numbers))
    return [f"{end}:{sums[end - 1]}" for end in range(ROWS_OF_A_KEY, len(numbers) + 1, ROWS_OF_A_KEY)]
