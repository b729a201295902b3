"""Telling alerts to others: a POST of JSON to a URL that the settings file names, signed, and tried again.

    riacho.console.webhooks=ops
    riacho.console.webhook.ops.url=https://hooks.example/riacho
    riacho.console.webhook.ops.secret=...

A rule names a webhook by its name: no call can have the console reach an address that the file does not have. Redirects
are not followed. `X-Riacho-Signature` is `sha256=` and the HMAC of the timestamp, a dot and the body, so that whoever
gets it can tell that it is from here and is not an old one sent again.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import random
import re
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

import msgspec

from riacho.base.backoff import Backoff
from riacho.base.config import ConfigError
from riacho.client.http_target import HttpError, address_of
from riacho.console.history.alerts import Alert
from riacho.web.upstream import Upstream

_log = logging.getLogger("riacho.console")
_WAITING_MAX = 200
_TRIES_MAX = 8
_TIMEOUT_S = 10.0
_ANSWER_BYTES_MAX = 64 * 1024
_BACKOFF = Backoff(first_ms=1_000, ms_max=60_000)
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
# Tried again; anything else that is refused will be refused again.
_AGAIN = frozenset({408, 425, 429})


class Webhook(NamedTuple):
    name: str
    url: str
    secret: str

    def __repr__(self) -> str:
        return f"Webhook({self.name})"


class Delivery(msgspec.Struct):
    is_delivered: bool
    status: int | None
    reason: str | None


class Webhooks:
    """Alerts wait in line, the oldest goes where too many do; one is sent at a time."""

    def __init__(
        self, webhooks: Mapping[str, Webhook], clock_ms: Callable[[], int], backoff: Backoff = _BACKOFF
    ) -> None:
        self._webhooks = dict(webhooks)
        self._clock_ms = clock_ms
        self._backoff = backoff
        self._upstream = Upstream(threads_max=2, answer_bytes_max=_ANSWER_BYTES_MAX)
        self._waiting: deque[tuple[Webhook, bytes]] = deque(maxlen=_WAITING_MAX)
        self._some = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def names(self) -> list[str]:
        return sorted(self._webhooks)

    def start(self) -> None:
        if self._webhooks:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="console-webhooks")

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self._upstream.close()

    def tell(self, cluster_id: str, alert: Alert) -> None:
        webhook = self._webhooks.get(alert.webhook or "")
        if webhook is None:
            return
        if len(self._waiting) == _WAITING_MAX:
            _log.warning("an alert is not told: too many wait webhook=%s", self._waiting[0][0].name)
        self._waiting.append((webhook, _body(cluster_id, alert)))
        self._some.set()

    async def send_test(self, name: str, cluster_id: str) -> Delivery:
        """Once, and now. KeyError where there is no such webhook."""
        now_ms = self._clock_ms()
        alert = Alert(
            rule="Test", kind="test", target="", state="firing", value=1, above=0, since_ms=now_ms, at_ms=now_ms,
            webhook=name,
        )  # fmt: skip
        return await self._send(self._webhooks[name], _body(cluster_id, alert))

    async def _run(self) -> None:
        while True:
            while not self._waiting:
                self._some.clear()
                await self._some.wait()
            webhook, body = self._waiting.popleft()
            for failures in range(1, _TRIES_MAX + 1):
                delivery = await self._send(webhook, body)
                if delivery.is_delivered:
                    break
                status = delivery.status
                is_final = status is not None and status < 500 and status not in _AGAIN
                if is_final or failures == _TRIES_MAX:
                    _log.warning("an alert could not be told webhook=%s reason=%s", webhook.name, delivery.reason)
                    break
                await asyncio.sleep(self._backoff.drawn_ms(failures, random.randrange, 0.5) / 1000)

    async def _send(self, webhook: Webhook, body: bytes) -> Delivery:
        timestamp = str(self._clock_ms())
        headers = {"Content-Type": "application/json", "User-Agent": "riacho-console", "X-Riacho-Timestamp": timestamp}
        if webhook.secret:
            headers["X-Riacho-Signature"] = signature(webhook.secret, timestamp, body)
        try:
            answer = await self._upstream.request("POST", webhook.url, headers=headers, body=body, timeout_s=_TIMEOUT_S)
        except HttpError as error:
            # Its sentence would name the URL, which may be a secret.
            return Delivery(False, None, error.reason)
        if answer.is_good:
            return Delivery(True, answer.status, None)
        return Delivery(False, answer.status, f"it answered {answer.status} {answer.phrase}")


def signature(secret: str, timestamp: str, body: bytes) -> str:
    signed = timestamp.encode() + b"." + body
    return "sha256=" + hmac.digest(secret.encode(), signed, hashlib.sha256).hex()


def webhooks_of(properties: Mapping[str, str]) -> dict[str, Webhook]:
    """`properties`: what is set under `riacho.console.`, without that. ConfigError."""
    found = {}
    for name in filter(None, (each.strip() for each in properties.get("webhooks", "").split(","))):
        if _NAME.fullmatch(name) is None:
            raise ConfigError(f"'{name}' in riacho.console.webhooks is no name: letters, digits, dashes, underscores")
        url = properties.get(f"webhook.{name}.url", "").strip()
        try:
            address_of(url)
        except HttpError:
            raise ConfigError(f"riacho.console.webhook.{name}.url is not an http or https address") from None
        found[name] = Webhook(name, url, properties.get(f"webhook.{name}.secret", "").strip())
    return found


def _body(cluster_id: str, alert: Alert) -> bytes:
    return msgspec.json.encode({"cluster": cluster_id, **msgspec.structs.asdict(alert)})
