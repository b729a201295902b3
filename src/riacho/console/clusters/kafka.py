"""What is asked of one cluster by callers: blocking calls of `riacho.client`, in a few threads.

Each thread has connections of its own, as the client is one thread's. Calls wait in line up to a bound, and for no
longer than a deadline; what was begun ends by its own timeouts.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from riacho.base.errors import KafkaError
from riacho.client.cluster import Cluster
from riacho.client.reopened_cluster import ReopenedCluster
from riacho.console.clusters.errors import api_error
from riacho.web.errors import ApiError

T = TypeVar("T")
THREADS_MAX = 4
CALLS_MAX = 64


class KafkaCalls:
    def __init__(self, name: str, client: Mapping[str, str], timeout_ms: int, calls_max: int = CALLS_MAX) -> None:
        """`client` are the client's properties, with `bootstrap.servers`."""
        self._client = {"client.id": "riacho-console", **client}
        self._timeout_ms = timeout_ms
        self._calls_max = calls_max
        self._calls = 0
        self._threads = ThreadPoolExecutor(THREADS_MAX, thread_name_prefix=f"console-{name}")
        self._own = threading.local()
        self._opened: list[ReopenedCluster] = []

    async def ask(self, work: Callable[[Cluster], T], timeout_ms: int | None = None) -> T:
        """`work(cluster)` in one of the threads. ApiError where it fails, where too many wait, or when it is late."""
        timeout_ms = min(timeout_ms or self._timeout_ms, self._timeout_ms)
        if self._calls >= self._calls_max:
            message = "Too many questions to this cluster are under way; try again later."
            raise ApiError(503, 50301, message, headers={"Retry-After": "1"})
        try:
            under_way = self._threads.submit(self._asked, work)
        except RuntimeError:
            raise ApiError(503, 50303, "The control center is stopping.") from None
        self._calls += 1
        loop = asyncio.get_running_loop()
        under_way.add_done_callback(lambda _: self._ended(loop))
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                return await asyncio.wrap_future(under_way)
        except KafkaError as error:
            raise api_error(error) from None
        except TimeoutError:
            raise ApiError(504, 50402, f"The cluster did not answer within {timeout_ms} ms.") from None

    def close(self) -> None:
        """A call that is under way is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for cluster in self._opened:
            cluster.end()

    def _ended(self, loop: asyncio.AbstractEventLoop) -> None:
        # Called by the thread; late ones are counted until they end.
        if not loop.is_closed():
            loop.call_soon_threadsafe(self._count_down)

    def _count_down(self) -> None:
        self._calls -= 1

    def _asked(self, work: Callable[[Cluster], T]) -> T:
        cluster: ReopenedCluster | None = getattr(self._own, "cluster", None)
        if cluster is None:
            cluster = self._own.cluster = ReopenedCluster(self._client, self._timeout_ms)
            self._opened.append(cluster)
        return cluster.ask(work)
