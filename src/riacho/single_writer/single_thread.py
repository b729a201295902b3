"""One thread for blocking calls, in the order in which they were asked for, so that the event loop never waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from riacho.single_writer.errors import LogError

P = ParamSpec("P")
T = TypeVar("T")


class SingleThread:
    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)

    async def run(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Whoever is cancelled meanwhile leaves the call running: it ends by its own timeout."""
        try:
            under_way = self._thread.submit(act, *args, **kwargs)
        except RuntimeError:
            raise LogError("The service is stopping.") from None
        return await asyncio.wrap_future(under_way)

    def close(self) -> None:
        """A call that is under way is not waited for."""
        self._thread.shutdown(wait=False, cancel_futures=True)
