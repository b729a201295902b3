"""Offers that have the letters that were typed, in this order: as prompt_toolkit's FuzzyCompleter has it.

That one looks with a regular expression, which takes time without an end for a name like `aaaa...`. Names are chosen by
others, so here each is gone through once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from riacho.cli.shell.completion.offers import Offer


class Match(NamedTuple):
    """The letters are between `start` and `end`."""

    start: int
    end: int
    offer: Offer

    def letters(self, typed: str) -> list[int]:
        """Where each letter was found."""
        places, at, text = [], self.start, _folded(self.offer.text)
        for letter in _folded(typed):
            at = text.index(letter, at)
            places.append(at)
            at += 1
        return places


def matches(offers: Iterable[Offer], typed: str, count: int) -> list[Match]:
    """The best of them: those that begin the furthest left, and of these the closest."""
    letters = _folded(typed)
    found = [match for offer in offers if (match := _match(offer, letters)) is not None]
    return sorted(found, key=lambda match: (match.start, match.end))[:count]


def _match(offer: Offer, letters: str) -> Match | None:
    text = _folded(offer.text)
    # Where the first letter stands first: if the rest does not follow there, it follows nowhere.
    start = text.find(letters[0])
    if start < 0:
        return None
    at = start
    for letter in letters[1:]:
        at = text.find(letter, at + 1)
        if at < 0:
            return None
    return Match(start, at + 1, offer)


def _folded(text: str) -> str:
    """In lower case, letter for letter."""
    folded = text.lower()
    return folded if len(folded) == len(text) else text
