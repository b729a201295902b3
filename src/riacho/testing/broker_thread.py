"""One broker on a thread of the test process, with an event loop of its own.

It ends in one of two ways. `stop` is SIGTERM: leaders are handed over, checkpoints written. `kill` is kill -9: the
loop stops between two steps, its sockets close, its files stay as they are, and nothing of the broker runs again.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any, TypeVar

import uvloop

from riacho.broker.config import BrokerConfig
from riacho.broker.environment import Environment
from riacho.broker.faults import Faults
from riacho.broker.logs import silent_logs
from riacho.broker.node import Node, open_node
from riacho.broker.server import start

T = TypeVar("T")
TIMEOUT_S = 30
_CANCEL_TIMEOUT_S = 2.0


class BrokerThread:
    def __init__(
        self, properties: Mapping[str, str], environment: Callable[[], Environment], faults: Faults | None = None
    ) -> None:
        self.properties = dict(properties)
        self._environment = environment
        self._faults = faults
        self._thread: threading.Thread | None = None
        self._settled = threading.Event()
        self._failure: BaseException | None = None
        self._stopping: asyncio.Event
        self._is_killed = False
        self._loop: asyncio.AbstractEventLoop
        self.node: Node

    @property
    def is_running(self) -> bool:
        return self._thread is not None

    # Life

    def begin(self) -> None:
        """Start it and return at once; `wait` comes next."""
        assert self._thread is None, "the broker is running"
        self._settled.clear()
        self._failure = None
        self._is_killed = False
        name = f"riacho-broker-{self.properties['node.id']}"
        self._loop = uvloop.new_event_loop()
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def wait(self, timeout_s: float = TIMEOUT_S) -> None:
        """Until it serves; raises what kept it from that."""
        if not self._settled.wait(timeout_s):
            raise TimeoutError(f"broker {self.properties['node.id']} did not start in {timeout_s:g} s")
        if self._failure is not None:
            assert self._thread is not None
            self._thread.join()
            self._thread = None
            raise self._failure

    def stop(self) -> None:
        self._end(self._stopping.set)

    def kill(self) -> None:
        self._is_killed = True
        self._end(self._loop.stop)

    def _end(self, act: Callable[[], None]) -> None:
        thread, self._thread = self._thread, None
        if thread is None:
            return
        with suppress(RuntimeError):
            # It may have ended by itself, and its loop with it.
            self._loop.call_soon_threadsafe(act)
        thread.join(TIMEOUT_S)
        if thread.is_alive():
            raise TimeoutError(f"broker {self.properties['node.id']} did not stop in {TIMEOUT_S} s")
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        loop = self._loop
        asyncio.set_event_loop(loop)
        main = loop.create_task(self._main())

        def end(_: object) -> None:
            loop.stop()

        main.add_done_callback(end)
        try:
            loop.run_forever()
            main.remove_done_callback(end)
            if self._is_killed:
                self._bury()
            else:
                main.result()
        except BaseException as error:
            self._failure = error
        finally:
            loop.close()
            self._settled.set()

    async def _main(self) -> None:
        config = BrokerConfig(self.properties)
        self.node = open_node(config, self._environment(), silent_logs(config.node_id), self._faults)
        starting = asyncio.ensure_future(start(self.node))
        stopping = asyncio.ensure_future(self._stopping.wait())
        await asyncio.wait((starting, stopping), return_when=asyncio.FIRST_COMPLETED)
        if not starting.done():
            # It waits for a quorum that may never come: there is nothing yet to end in good order.
            self._is_killed = True
            return
        server = starting.result()
        self._settled.set()
        await stopping
        await server.stop()

    def _bury(self) -> None:
        """What a dead process leaves to the system: its tasks end, its locks are free."""
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        if tasks:
            self._loop.run_until_complete(asyncio.wait(tasks, timeout=_CANCEL_TIMEOUT_S))
        for directory in self.node.quorum.directories.directories:
            directory.unlock()

    # Use

    def call(self, act: Callable[[Node], T]) -> T:
        """Run something on the broker's loop and wait for it."""

        async def run() -> T:
            return act(self.node)

        return self.run(run())

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(TIMEOUT_S)
