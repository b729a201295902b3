"""A count of the references that a check follows: where each of them leads to two more, their number doubles at every
step, and a short schema would keep the service busy for ever.
"""

from __future__ import annotations


class TooManyStepsError(Exception):
    def __init__(self) -> None:
        super().__init__("its references lead to too many others")


class Steps:
    """Those that are left, of one check."""

    __slots__ = ("_max", "left")

    def __init__(self, count_max: int) -> None:
        self._max = count_max
        self.left = count_max

    def begin(self) -> None:
        self.left = self._max

    def take(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooManyStepsError
