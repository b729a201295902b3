"""How many of a kind may be under way at a time, and how many of them may be one caller's; one more is refused in a
sentence.

Who logged in is counted by name, wherever they come from; where nobody logs in, by the address.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from riacho.console.door.door import address_of, name_of
from riacho.console.door.network import network_of
from riacho.web.call import Call
from riacho.web.errors import ApiError

# Of one caller, where a setting does not say otherwise: a person has some tabs, and not a hundred.
EACH_MAX = 100


class Places:
    """`what` is said of them in a refusal: "pages follow topics". Without `each_max` one may have them all."""

    def __init__(self, count_max: int, what: str, each_max: int | None = None) -> None:
        self.count = 0
        self._count_max = count_max
        self._what = what
        self._each_max = count_max if each_max is None else min(each_max, count_max)
        self._held: Counter[str] = Counter()

    def take(self, call: Call) -> None:
        """Until the call ends. ApiError 429. At once, and not when the answer begins: of many that come together, all
        would be let in."""
        holder = holder_of(call)
        self._check(holder)
        self._enter(holder)
        call.at_end(lambda: self._leave(holder))

    @contextmanager
    def taken(self, holder: str = "") -> Iterator[None]:
        """ApiError 429."""
        self._check(holder)
        self._enter(holder)
        try:
            yield
        finally:
            self._leave(holder)

    def _check(self, holder: str) -> None:
        if self.count >= self._count_max:
            raise _refusal(f"{self._count_max} {self._what} already; stop one, or try again later.")
        if self._held[holder] >= self._each_max:
            raise _refusal(f"{self._each_max} {self._what} for {holder} already, the most for one; close some of them.")

    def _enter(self, holder: str) -> None:
        self.count += 1
        self._held[holder] += 1

    def _leave(self, holder: str) -> None:
        self.count -= 1
        self._held[holder] -= 1
        # Nobody is remembered for having been here.
        if self._held[holder] <= 0:
            del self._held[holder]


def holder_of(call: Call) -> str:
    """Whose place it is, in words: "user ann", "address 10.0.0.7"."""
    name = name_of(call.scope)
    return f"user {name}" if name is not None else f"address {network_of(address_of(call.scope))}"


def _refusal(message: str) -> ApiError:
    return ApiError(429, 42901, message, headers={"Retry-After": "2"})
