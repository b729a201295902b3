"""What brokers of ours count, asked of each at `/counters` (`broker/metrics/counters_json.py`), and how fast it grows.

A broker that does not answer is left out of that round; one that was started again counts from zero, so nothing is
known of the time between.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from sys import intern

import msgspec

from riacho.client.http_target import HttpError
from riacho.web.upstream import Upstream

_log = logging.getLogger("riacho.console")
_TIMEOUT_S = 4.0
ANSWER_BYTES_MAX = 32 * 1024 * 1024
_NODES_MAX = 200
_SAME_START_MS = 5_000


# Name, bytes in, bytes out, messages in.
TopicCounts = tuple[str, int, int, int]


class NodeCounters(msgspec.Struct, frozen=True):
    """`clients`: produce or fetch, principal, client id, topic, bytes, messages."""

    node_id: int
    software: str
    started_ms: int
    uptime_s: float
    bytes_in: int
    bytes_out: int
    messages_in: int
    requests: int
    topics: list[TopicCounts]
    clients: list[tuple[str, str, str, str, int, int]]


class NodeAnswer(msgspec.Struct, frozen=True):
    counters: NodeCounters
    at_s: float


_decode = msgspec.json.Decoder(NodeCounters).decode


def _decoded(body: bytes) -> NodeCounters:
    """Kept until the next answer: names are those that pictures have, and no copies of them."""
    told = _decode(body)
    topics = [(intern(name), *counts) for name, *counts in told.topics]
    clients = [(*map(intern, each[:4]), *each[4:]) for each in told.clients]
    return msgspec.structs.replace(told, topics=topics, clients=clients)


class CountersSource:
    """`urls`: where brokers serve metrics, with or without `/metrics` at the end."""

    def __init__(self, upstream: Upstream, urls: Iterable[str], clock_s: Callable[[], float] = time.monotonic) -> None:
        self._upstream = upstream
        self._urls = [url.removesuffix("/metrics") + "/counters" for url in list(urls)[:_NODES_MAX]]
        self._clock_s = clock_s
        self._failing: set[str] = set()

    @property
    def is_there(self) -> bool:
        return bool(self._urls)

    async def ask(self) -> list[NodeAnswer]:
        """Of those that answer."""
        answers = await asyncio.gather(*(self._ask(url) for url in self._urls))
        # Two addresses may lead to one broker.
        by_node = {each.counters.node_id: each for each in answers if each is not None}
        return list(by_node.values())

    async def _ask(self, url: str) -> NodeAnswer | None:
        try:
            answer = await self._upstream.request("GET", url, timeout_s=_TIMEOUT_S)
            if not answer.is_good:
                raise HttpError(f"{url} answered {answer.status} {answer.phrase}.")
            counters = await asyncio.to_thread(_decoded, answer.body)
        except (HttpError, msgspec.DecodeError, RecursionError) as error:
            if url not in self._failing:
                _log.warning("counters of a broker cannot be read url=%s reason=%s", url, error)
            self._failing.add(url)
            return None
        self._failing.discard(url)
        return NodeAnswer(counters, self._clock_s())


def elapsed_s(before: NodeAnswer, now: NodeAnswer) -> float | None:
    """The time between two answers of one run of a broker; None where it was started again in between."""
    is_same_run = abs(before.counters.started_ms - now.counters.started_ms) < _SAME_START_MS
    has_grown = now.counters.requests >= before.counters.requests
    elapsed = now.at_s - before.at_s
    return elapsed if is_same_run and has_grown and elapsed > 0 else None
