"""Calls of other services from the event loop: a follower's to its leader, the REST proxy's to the schema registry.

`client/http_client.py` in a bounded number of threads, since these calls are few. A thread waits no longer than who
asked: when that one has gone, or the service stops, its connection is cut.
"""

from __future__ import annotations

import asyncio
import math
import ssl
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from riacho.client.http_client import HttpAnswer, HttpCall, HttpClient
from riacho.client.http_target import HttpError, address_of, basic

_WAITING_MAX = 1024


class Upstream:
    def __init__(
        self,
        *,
        tls: ssl.SSLContext | None = None,
        basic_auth: tuple[str, str] | None = None,
        threads_max: int = 16,
        answer_bytes_max: int = 64 * 1024 * 1024,
        connect_timeout_s: float = math.inf,
    ) -> None:
        """`connect_timeout_s`: for connecting alone, where that is less than a call may take as a whole."""
        self._client = HttpClient(
            tls=ssl.create_default_context if tls is None else lambda: tls,
            authorization=None if basic_auth is None else basic(*basic_auth),
            answer_bytes_max=answer_bytes_max,
        )
        self._connect_timeout_s = connect_timeout_s
        self._threads = ThreadPoolExecutor(threads_max, thread_name_prefix="upstream")
        self._under_way: set[HttpCall] = set()

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout_s: float = 30.0,
    ) -> HttpAnswer:
        """As HttpClient's; the time is for the call as a whole."""
        target = address_of(url).target
        if len(self._under_way) >= _WAITING_MAX:
            raise HttpError(f"Too many calls wait for {target}.")
        call = HttpCall()
        ask = partial(
            self._client.request,
            method,
            url,
            headers=headers,
            body=body,
            timeout_s=timeout_s,
            connect_timeout_s=min(timeout_s, self._connect_timeout_s),
            call=call,
        )
        self._under_way.add(call)
        try:
            asked = asyncio.get_running_loop().run_in_executor(self._threads, ask)
            # The thread's own limit is for each piece that it waits for; this one is for the whole. Python 3.11's
            # `wait_for` would lose a cancellation that comes together with the answer.
            async with asyncio.timeout(timeout_s + 1.0):
                return await asked
        except TimeoutError:
            raise target.silent(timeout_s) from None
        except RuntimeError:
            # What a pool of threads says that was shut down.
            raise HttpError("The service is stopping.") from None
        finally:
            self._under_way.discard(call)
            self._client.cut(call)

    def close(self) -> None:
        self._client.close()
        # Python does not end before its threads do.
        for call in list(self._under_way):
            self._client.cut(call)
        self._threads.shutdown(wait=False, cancel_futures=True)
