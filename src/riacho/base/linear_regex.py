"""Regular expressions that a stranger may send: matched in time linear in the text, and within a budget.

The pattern becomes a machine of places (Thompson's construction). A text is read once, while the set of places that the
machine can be in is followed; each set met and what a character leads to from it is remembered, so that a usual pattern
soon costs one look-up a character. What is not yet remembered is paid out of the budget, which all texts matched by one
object share: past it `RegexError` is raised.
"""

from __future__ import annotations

from riacho.base.regex_classes import Test, is_word
from riacho.base.regex_syntax import Choice, Node, One, Place, RegexError, Repeat, Sequence, parse

__all__ = ["LinearRegex", "RegexError"]

PLACES_MAX = 5_000
BUDGET = 1_000_000
_REMEMBERED_MAX = 2_000

_ONE, _BOTH, _PLACE, _END = range(4)
_EDGE = ""


class _State:
    """A set of places, and the character before them: by it `^` and `\\b` are decided."""

    __slots__ = ("before", "following", "is_match", "places")

    def __init__(self, places: frozenset[int], before: str) -> None:
        self.places = places
        self.before = before
        self.following: dict[str, _State] = {}
        self.is_match: bool | None = None


class LinearRegex:
    def __init__(self, pattern: str, budget: int = BUDGET) -> None:
        self._kinds: list[int] = []
        self._tests: list[Test | str | None] = []
        self._next: list[list[int]] = []
        self._built = 0
        self._budget = budget
        end = self._add(_END, None)
        start = self._build(parse(pattern), end)
        self._states: dict[tuple[frozenset[int], str], _State] = {}
        self._start = self._state(frozenset({start}), _EDGE)

    def fullmatch(self, text: str) -> bool:
        """Whether the whole text is in the language."""
        state = self._start
        for character in text:
            following = state.following.get(character)
            if following is None:
                following = self._step(state, character)
            if not following.places:
                return False
            state = following
        if state.is_match is None:
            state.is_match = any(self._kinds[place] == _END for place in self._reached(state, _EDGE))
        return state.is_match

    # Matching

    def _step(self, state: _State, character: str) -> _State:
        places: set[int] = set()
        for place in self._reached(state, character):
            test = self._tests[place]
            if self._kinds[place] == _ONE and callable(test) and test(character):
                places.update(self._next[place])
        if len(self._states) >= _REMEMBERED_MAX:
            self._forget()
        following = self._state(frozenset(places), _kept(character))
        state.following[character] = following
        return following

    def _reached(self, state: _State, after: str) -> set[int]:
        """The places that are reached without a character, given which one comes next."""
        reached: set[int] = set()
        waiting = list(state.places)
        while waiting:
            place = waiting.pop()
            if place in reached:
                continue
            reached.add(place)
            kind = self._kinds[place]
            if kind == _BOTH or (kind == _PLACE and _holds(str(self._tests[place]), state.before, after)):
                waiting += self._next[place]
        self._budget -= len(reached) + 1
        if self._budget < 0:
            raise RegexError("the pattern takes too long")
        return reached

    def _state(self, places: frozenset[int], before: str) -> _State:
        found = self._states.get((places, before))
        if found is None:
            found = self._states[places, before] = _State(places, before)
        return found

    def _forget(self) -> None:
        for state in self._states.values():
            state.following = {}
        self._states = {(self._start.places, self._start.before): self._start}

    # Building, from the end to the start

    def _build(self, node: Node, after: int) -> int:
        """The place from which `node` and then `after` is matched."""
        self._built += 1
        if self._built > PLACES_MAX:
            raise RegexError("the pattern is too large")
        match node:
            case One(test):
                return self._add(_ONE, test, after)
            case Place(kind):
                return self._add(_PLACE, kind, after)
            case Sequence(parts):
                for part in reversed(parts):
                    after = self._build(part, after)
                return after
            case Choice(options):
                return self._add(_BOTH, None, *(self._build(option, after) for option in options))
            case Repeat(part, low, high):
                return self._repeat(part, low, high, after)

    def _repeat(self, part: Node, low: int, high: int | None, after: int) -> int:
        if high is None:
            again = self._add(_BOTH, None, after)
            self._next[again].append(self._build(part, again))
            after = again
        else:
            end = after
            for _ in range(high - low):
                after = self._add(_BOTH, None, end, self._build(part, after))
        for _ in range(low):
            after = self._build(part, after)
        return after

    def _add(self, kind: int, test: Test | str | None, *following: int) -> int:
        self._kinds.append(kind)
        self._tests.append(test)
        self._next.append(list(following))
        return len(self._kinds) - 1


def _kept(character: str) -> str:
    """Of the character before a place only its kind matters: fewer states."""
    if character == "\n":
        return character
    return "w" if is_word(character) else "-"


def _holds(kind: str, before: str, after: str) -> bool:
    if kind == "A":
        return before == _EDGE
    if kind == "z":
        return after == _EDGE
    if kind == "^":
        return before in (_EDGE, "\n")
    if kind == "$":
        return after in (_EDGE, "\n")
    is_edge = (before == "w") != is_word(after)
    return is_edge if kind == "b" else not is_edge
