"""What librdkafka meets on its way to brokers, told once a broker: by itself it goes on trying without a word.

Only brokers that the cluster has named: whether one of the bootstrap servers answers is known before any work begins.
Given to a client as its `error_cb`, and called while it is polled or flushed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

# One line a broker, and not for ever: a cluster may have hundreds.
_TOLD_MAX = 10
_NAMED = re.compile(r"(?:\w+Coordinator: )?(?P<address>\S+?:\d+)(?P<node>/\d+)?: (?P<reason>.*)", re.DOTALL)
_NO_WAY = re.compile(r"(?P<resolve>Failed to resolve)|Connect to \S+ failed: (?P<refusal>[^(]+)")


class BrokerTrouble:
    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._told: set[str] = set()

    def __call__(self, error: Any) -> None:
        found = _NAMED.match(error.str())
        way = _NO_WAY.match(found["reason"]) if found is not None else None
        if found is None or way is None or found["address"] in self._told or len(self._told) >= _TOLD_MAX:
            return
        self._told.add(found["address"])
        reason = "no such host" if way["resolve"] else way["refusal"].strip().lower()
        self._tell(
            f"Warning: the cluster says that a broker is at {found['address']}, and it cannot be reached there "
            f"({reason}); still trying."
        )
