"""Login attempts, slowed down where passwords are guessed: by the name that is tried and by the address that tries.

After a few failures in a row the next attempt has to wait, twice as long each time up to a bound. An attempt that comes
too early is refused without a look at its password. Whoever fails under another's name does not lock that one out: an
address that the name has logged in from is held up by its own failures alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from riacho.base.backoff import Backoff
from riacho.base.lru_cache import LruCache
from riacho.console.door.network import network_of

_KEYS_MAX = 10_000
_NAME_CHARACTERS_MAX = 256
_FREE_BY_NAME = 5
_FREE_BY_ADDRESS = 20
_FORGOTTEN_MS = 15 * 60_000
_BACKOFF = Backoff(first_ms=1_000, ms_max=60_000)


@dataclass(slots=True)
class _Failures:
    count: int = 0
    last_ms: int = 0


class LoginAttempts:
    def __init__(self) -> None:
        self._failures: LruCache[tuple[str, str], _Failures] = LruCache(_KEYS_MAX)
        self._known: LruCache[tuple[str, str], bool] = LruCache(_KEYS_MAX)

    def wait_ms(self, name: str, address: str, now_ms: int) -> int:
        """How long until the next attempt is looked at; 0: now."""
        own_ms = self._pause_left_ms(self._of_name(name, address), _FREE_BY_NAME, now_ms)
        if self._is_known(name, address):
            # Behind a proxy everybody has the same address: one that guesses must not lock out the rest.
            return own_ms
        return max(own_ms, self._pause_left_ms(("", network_of(address)), _FREE_BY_ADDRESS, now_ms))

    def failed(self, name: str, address: str, now_ms: int) -> None:
        for key in (self._of_name(name, address), ("", network_of(address))):
            failures = self._failures.get_or_make(key, _Failures)
            if now_ms - failures.last_ms >= _FORGOTTEN_MS:
                failures.count = 0
            failures.count += 1
            failures.last_ms = now_ms

    def succeeded(self, name: str, address: str) -> None:
        for key in (self._of_name(name, address), ("", network_of(address))):
            failures = self._failures.get(key)
            if failures is not None:
                failures.count = 0
        self._known.put((name[:_NAME_CHARACTERS_MAX], address), True)

    def _of_name(self, name: str, address: str) -> tuple[str, str]:
        return (f"name {name[:_NAME_CHARACTERS_MAX]}", address if self._is_known(name, address) else "")

    def _is_known(self, name: str, address: str) -> bool:
        return bool(self._known.get((name[:_NAME_CHARACTERS_MAX], address)))

    def _pause_left_ms(self, key: tuple[str, str], free: int, now_ms: int) -> int:
        failures = self._failures.get(key)
        if failures is None or now_ms - failures.last_ms >= _FORGOTTEN_MS:
            return 0
        return max(0, failures.last_ms + _BACKOFF.pause_ms(failures.count - free + 1) - now_ms)
