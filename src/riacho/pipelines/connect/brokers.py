"""Before anything else a worker makes sure that brokers answer, and that they let it in.

A worker often starts together with its brokers: it waits for them, and says so. Brokers that answer and refuse, for a
wrong password or a certificate that nobody here trusts, will do so again: that is one sentence and the end. They are
asked a second time, since a broker that is just starting may break off a handshake.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping

from riacho.base.config import ConfigError
from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.client.settings import ClientSettings, client_settings

_log = logging.getLogger("riacho.connect")
_AGAIN_S = 0.2
_REFUSED_AGAIN_S = 1.0
_REFUSED_MAX = 2
# Brokers that take a moment longer to start are no news.
FIRST_WORD_S = 3.0
_NEXT_WORD_S = 10.0
_CONNECT_TIMEOUT_MS = 3_000
_REQUEST_TIMEOUT_MS = 5_000

Ask = Callable[[], None]


async def await_brokers(properties: Mapping[str, str], timeout_s: float) -> None:
    """Until one answers, for a worker's properties; ConfigError in one sentence when none does or they refuse."""
    bootstrap = properties.get("bootstrap.servers", "")
    try:
        settings = client_settings(bootstrap, properties)
    except KafkaError as error:
        if error.code is not ErrorCode.INVALID_CONFIG:
            raise ConfigError(f"bootstrap.servers cannot be used: {_reason(error)}") from None
        # librdkafka may know a mechanism that this client does not: it will tell.
        return
    patient = settings._replace(
        connect_timeout_ms=_CONNECT_TIMEOUT_MS, request_timeout_ms=_REQUEST_TIMEOUT_MS, reach_timeout_ms=0
    )
    await until_answered(lambda: _ask(patient), bootstrap, timeout_s)


async def until_answered(ask: Ask, bootstrap: str, timeout_s: float) -> None:
    started_s = time.monotonic()
    next_word_s = started_s + FIRST_WORD_S
    refused = 0
    while True:
        try:
            await asyncio.to_thread(ask)
            return
        except KafkaError as error:
            reason, is_refusal = _reason(error), not error.code.retriable
        now_s = time.monotonic()
        refused = refused + 1 if is_refusal else 0
        if refused == _REFUSED_MAX:
            raise ConfigError(f"the brokers at {bootstrap} do not let this worker in: {reason}")
        if now_s - started_s >= timeout_s:
            raise ConfigError(f"no Kafka broker answered in time at {bootstrap}: {reason}")
        if now_s >= next_word_s:
            _log.warning("waiting for the brokers at=%s for_s=%.0f reason=%s", bootstrap, now_s - started_s, reason)
            next_word_s = now_s + _NEXT_WORD_S
        await asyncio.sleep(_REFUSED_AGAIN_S if is_refusal else _AGAIN_S)


def _ask(settings: ClientSettings) -> None:
    with Cluster(settings) as cluster:
        cluster.metadata([])


def _reason(error: KafkaError) -> str:
    return (error.detail or error.code.name).removeprefix("Cannot reach the cluster. ").rstrip(".")
