"""An identity provider's keys (JWKS), kept fresh: fetched now and then, and when a token names a key not known yet.

Fetched on a thread; whoever checks a token uses what is there. `file:` and `http(s):` addresses. A failed fetch leaves
the old keys in force and is tried again, with growing pauses.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from riacho.base.backoff import Backoff
from riacho.client.url_document import read_document

if TYPE_CHECKING:
    from riacho.broker.access.listener_values import ListenerValues
    from riacho.broker.logs import Logs

_SIZE_BYTES_MAX = 1 << 20
_CONNECT_TIMEOUT_MS = 10_000
_FETCH_INTERVAL_S_MIN = 1.0


class OauthKeys:
    def __init__(self, url: str, values: ListenerValues, logs: Logs) -> None:
        self.url = url
        # A PyJWKSet; None until the first fetch.
        self.current: Any = None
        self._values = values
        self._logs = logs
        self._wanted = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._run())

    def want(self) -> None:
        """Look again soon: a token names a key that is not there."""
        self._wanted.set()

    def close(self) -> None:
        self._task.cancel()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        failures = 0
        while True:
            self._wanted.clear()
            try:
                self.current = await asyncio.to_thread(fetch_keys, self.url, self._timeout_s())
            except Exception as error:
                self._logs.error.error("JWKS cannot be fetched url=%s reason=%s", self.url, error)
                failures += 1
                await asyncio.sleep(self._backoff().pause_ms(failures) / 1000)
                continue
            failures = 0
            fetched_s = loop.time()
            await self._until_due(self._milliseconds("sasl.oauthbearer.jwks.endpoint.refresh.ms"))
            # However many tokens with made-up keys come, the provider is asked this often at most.
            await asyncio.sleep(max(self._backoff().first_ms / 1000, fetched_s + _FETCH_INTERVAL_S_MIN - loop.time()))

    async def _until_due(self, refresh_ms: int) -> None:
        try:
            async with asyncio.timeout(refresh_ms / 1000):
                await self._wanted.wait()
        except TimeoutError:
            return

    def _backoff(self) -> Backoff:
        return Backoff(
            self._milliseconds("sasl.oauthbearer.jwks.endpoint.retry.backoff.ms"),
            self._milliseconds("sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms"),
        )

    def _milliseconds(self, name: str) -> int:
        return int(self._values.of_mechanism("OAUTHBEARER", name))

    def _timeout_s(self) -> float:
        return int(self._values.get("sasl.login.connect.timeout.ms") or _CONNECT_TIMEOUT_MS) / 1000


def fetch_keys(url: str, timeout_s: float) -> Any:
    # Not at the top: it would be a part of every start that can be felt, and few brokers have such an address.
    from jwt import PyJWKSet

    if not url.startswith(("https://", "http://", "file:")):
        raise ValueError("only https, http and file addresses are known")
    return PyJWKSet.from_dict(json.loads(read_document(url, timeout_s, _SIZE_BYTES_MAX)))
