"""A thread for a Kafka consumer, beside the event loop: its work is begun anew after trouble, until it is to stop."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVarTuple

from confluent_kafka import KafkaException

from riacho.base.config import ConfigError

Ts = TypeVarTuple("Ts")

_logger = logging.getLogger("riacho.single_writer")
_REST_S = 1.0


class ConsumerThread:
    """`work` returns where it is to be begun anew, or when it sees that it `is_stopping`."""

    def __init__(self, name: str, topic: str, work: Callable[[], None], trouble: str) -> None:
        self._name = name
        self._topic = topic
        self._work = work
        self._trouble = trouble
        self._loop: asyncio.AbstractEventLoop
        self._ended: asyncio.Event
        self._thread: threading.Thread | None = None
        self.is_stopping = False

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        self._thread.start()

    async def stop(self, timeout_s: float) -> None:
        self.is_stopping = True
        if self._thread is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(timeout_s):
                    await self._ended.wait()

    # The thread's side

    def tell(self, act: Callable[[*Ts], None], *args: *Ts) -> None:
        """Have the event loop do it."""
        try:
            self._loop.call_soon_threadsafe(act, *args)
        except RuntimeError:
            # It is closed: nobody is left to work for.
            self.is_stopping = True

    def _run(self) -> None:
        try:
            while not self.is_stopping:
                try:
                    self._work()
                except (KafkaException, ConfigError) as error:
                    _logger.warning("%s topic=%s reason=%s", self._trouble, self._topic, error)
                    time.sleep(_REST_S)
        finally:
            self.tell(self._ended.set)
