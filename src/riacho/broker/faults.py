"""Faults on request, for tests: answer an API with an error, hold its answer, or hang up.

A broker has none unless a test kit gives it some; each rule says which API, how often, and whom it meets.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.broker.handlers.table import TABLE
from riacho.broker.requests.api import CLOSE_CONNECTION, Answer, Api, Request
from riacho.broker.requests.error_response import error_response
from riacho.broker.requests.later import Later, Outcome

if TYPE_CHECKING:
    from riacho.broker.serving.connection import Connection


@dataclass(slots=True)
class FaultRule:
    """`left` counts down with each request met; a rule at zero is spent. None never runs out."""

    api_key: int
    left: int | None
    error: ErrorCode | None = None
    delay_ms: int = 0
    drops_connection: bool = False
    client_id: str | None = None
    # Skips this many matching requests first.
    after: int = 0
    met: int = 0

    def meets(self, api: Api, client_id: str) -> bool:
        if api.key != self.api_key or self.left == 0 or (self.client_id is not None and client_id != self.client_id):
            return False
        if self.after > 0:
            self.after -= 1
            return False
        return True

    def spend(self) -> None:
        self.met += 1
        if self.left is not None:
            self.left -= 1


def api_key_of(name: str) -> int:
    for api in TABLE:
        if api.name.lower() == name.lower():
            return api.key
    raise ValueError(f"no served API is called {name!r}; choose from {', '.join(api.name for api in TABLE)}")


class Faults:
    """Rules may be added and removed from another thread than the broker's."""

    def __init__(self) -> None:
        self._rules: list[FaultRule] = []
        self._lock = threading.Lock()

    def add(self, rule: FaultRule) -> FaultRule:
        with self._lock:
            self._rules.append(rule)
        return rule

    def clear(self) -> None:
        with self._lock:
            self._rules.clear()

    def intercept(self, connection: Connection, api: Api, request: Request) -> Outcome[Answer] | None:
        """The injected outcome, or None to serve the request as usual."""
        with self._lock:
            for rule in self._rules:
                if rule.meets(api, connection.context.client_id):
                    rule.spend()
                    break
            else:
                return None
        if rule.drops_connection:
            return CLOSE_CONNECTION
        if rule.error is not None:
            outcome = error_response(api, connection.context.version, request, rule.error)
            if rule.delay_ms == 0:
                return outcome
            return _later(rule.delay_ms, lambda deferred: deferred.resolve(outcome))
        return _later(rule.delay_ms, lambda deferred: _serve(connection, api, request, deferred))


def _later(delay_ms: int, act: Callable[[Later[Answer]], None]) -> Later[Answer]:
    deferred: Later[Answer] = Later()
    asyncio.get_running_loop().call_later(delay_ms / 1000, lambda: None if deferred.done else act(deferred))
    return deferred


def _serve(connection: Connection, api: Api, request: Request, deferred: Later[Answer]) -> None:
    """The held request is served now; its outcome, itself perhaps a promise, takes the place of the held one."""
    from riacho.broker.serving.dispatch import outcome_of

    deferred.resolve(outcome_of(connection, api, request))
