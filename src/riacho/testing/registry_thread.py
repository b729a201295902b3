"""A schema registry on a thread of the test process, on a free port, for the cluster that a test has."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.web.server import Server

TIMEOUT_S = 30


def _load_whole() -> None:
    """Everything that it would otherwise load when it is first needed, on its own thread: pytest rewrites modules as
    they are loaded, and Python 3.11 cannot have two threads build syntax trees at once."""
    for name in ("riacho.single_writer", "riacho.schema_registry", "riacho.schemas", "riacho.web"):
        for found in walk_packages(import_module(name).__path__, f"{name}."):
            import_module(found.name)


class RegistryThread:
    """It serves when this returns; `url` is where. ModuleNotFoundError without the packages of the services."""

    def __init__(self, client: Mapping[str, str]) -> None:
        """`client` are librdkafka's settings for the brokers."""
        _load_whole()
        from riacho.schema_registry.config import load_registry_settings
        from riacho.schema_registry.run import SchemaRegistry
        from riacho.web.server import Server

        own = {f"kafkastore.{name}": value for name, value in client.items()}
        settings = load_registry_settings({**own, "listeners": "http://127.0.0.1:0"})
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="riacho-schema-registry", daemon=True)
        self._thread.start()
        try:
            self._server: Server = Server(SchemaRegistry(settings).app, settings)
            self._do(self._server.start())
        except BaseException:
            self._end()
            raise
        self.url = self._server.addresses[0]

    def stop(self) -> None:
        try:
            self._do(self._server.stop())
        finally:
            self._end()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(TIMEOUT_S)

    def _do(self, work: object) -> None:
        assert asyncio.iscoroutine(work)
        asyncio.run_coroutine_threadsafe(work, self._loop).result(TIMEOUT_S)
