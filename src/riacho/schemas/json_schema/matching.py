"""A largest matching between two sides, by augmenting paths: which old alternative goes on living as which new one."""

from __future__ import annotations

from collections.abc import Sequence


def largest_matching(edges: Sequence[Sequence[int]], right_size: int) -> dict[int, int]:
    """`edges[left]`: the right ones it may be paired with, best first. The answer: left -> right."""
    left_of: list[int | None] = [None] * right_size
    for left in range(len(edges)):
        _augment(left, edges, left_of)
    return {left: right for right, left in enumerate(left_of) if left is not None}


def _augment(start: int, edges: Sequence[Sequence[int]], left_of: list[int | None]) -> None:
    """Breadth first, so that no depth of the search is a depth of the stack."""
    came_from: dict[int, int] = {}  # right -> the left it was reached from
    waiting = [start]
    for left in waiting:
        for right in edges[left]:
            if right in came_from:
                continue
            came_from[right] = left
            taken_by = left_of[right]
            if taken_by is None:
                _turn_over(right, start, came_from, left_of)
                return
            waiting.append(taken_by)


def _turn_over(right: int, start: int, came_from: dict[int, int], left_of: list[int | None]) -> None:
    right_of = {left: place for place, left in enumerate(left_of) if left is not None}
    while True:
        left = came_from[right]
        left_of[right] = left
        if left == start:
            return
        right = right_of[left]
