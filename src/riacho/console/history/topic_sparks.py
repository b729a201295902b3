"""The last rates of every topic, for the small lines in lists: a few bytes a topic and point, whatever their number.

One array a point in time, one place in it a topic; NaN is unknown.
"""

from __future__ import annotations

import math
from array import array
from collections import deque
from collections.abc import Iterable, Mapping

POINTS = 30


class TopicSparks:
    def __init__(self, points: int = POINTS) -> None:
        self._places: dict[str, int] = {}
        self._columns: deque[array[float]] = deque(maxlen=points)

    def add(self, topics: Iterable[str], rates: Mapping[str, float]) -> None:
        """`topics` are all there are; those that are gone give their places back now and then."""
        names = list(topics)
        places = self._places
        for name in names:
            if name not in places:
                places[name] = len(places)
        if len(places) > 2 * len(names) + 100:
            self._compact(names)
            places = self._places
        column = array("f", [math.nan]) * len(places)
        for name, rate in rates.items():
            place = places.get(name)
            if place is not None:
                column[place] = rate
        self._columns.append(column)

    def gap(self) -> None:
        """Nothing is known of this time."""
        self._columns.append(array("f"))

    def of(self, topic: str) -> list[float | None]:
        """Oldest first; as many as there are."""
        place = self._places.get(topic)
        if place is None:
            return []
        return [_known(column, place) for column in self._columns]

    def last(self, topic: str) -> float | None:
        place = self._places.get(topic)
        return None if place is None or not self._columns else _known(self._columns[-1], place)

    def _compact(self, names: list[str]) -> None:
        old = self._places
        self._places = {name: place for place, name in enumerate(names)}
        for at, column in enumerate(self._columns):
            self._columns[at] = array(
                "f", (column[old[name]] if old[name] < len(column) else math.nan for name in names)
            )


def _known(column: array[float], place: int) -> float | None:
    if place >= len(column):
        return None
    value = column[place]
    return None if value != value else value
