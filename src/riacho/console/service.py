"""The control center put together: its parts, the table of endpoints, and the order in which they start and stop."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from riacho.console.api.table import MODULES
from riacho.console.clusters.clusters import Clusters
from riacho.console.config import ConsoleConfig, console_config
from riacho.console.directory import ConsoleDirectory
from riacho.console.door.opening import open_door, open_masking
from riacho.console.events import Events
from riacho.console.history.alerting import Alerting
from riacho.console.history.history import History
from riacho.console.history.webhook import Webhooks, webhooks_of
from riacho.console.parts import Parts
from riacho.console.places import Places
from riacho.console.static_files import StaticFiles, guards
from riacho.web.app import App
from riacho.web.config import Settings
from riacho.web.endpoint import Endpoint
from riacho.web.options import app_options

_ABOUT = (
    "The control center: clusters, topics, messages, groups, schemas, connectors and SQL, to look at and to change. "
    "Where numbers of messages and lags are told of topics and groups, they are offsets, markers included."
)
# Of answers that are no page: nobody keeps them, runs them or shows them as one.
_HEADERS = {**guards("default-src 'none'; frame-ancestors 'none'"), "Cache-Control": "no-store"}


class ControlCenter:
    """`app` is what a server serves; it starts and stops the rest. ConfigError when a setting cannot be used."""

    def __init__(self, settings: Settings) -> None:
        config = console_config(settings)
        self._directory = ConsoleDirectory(config.directory)
        self.parts = _put_together(config, settings, self._directory.path)
        files = StaticFiles()
        options = app_options(settings, realm="ControlCenter")
        # Who calls and what they may is the door's business, and what it lets through is what it can write down.
        options["authenticator"] = self.parts.door
        self.app = App(
            "control-center",
            [*self.parts.door.guarded(_endpoints(self.parts)), *files.endpoints()],
            rewrite=files.rewrite,
            headers=_HEADERS,
            on_start=self._start,
            on_stop=self._stop,
            about=_ABOUT,
            **options,
        )

    async def _start(self, addresses: Sequence[str]) -> None:
        self.parts.alerting.start()
        self.parts.clusters.start()

    async def _stop(self) -> None:
        self.parts.events.close()
        await self.parts.clusters.stop()
        await self.parts.alerting.stop()
        await self.parts.history.stop()
        self.parts.door.close()
        self._directory.close()


def _put_together(config: ConsoleConfig, settings: Settings, directory: Path) -> Parts:
    clusters = Clusters(config)
    events = Events(Places(config.event_clients_max, "pages follow the console", config.follows_each_max))
    history = History(clusters, directory)
    door = open_door(settings, directory, read_only=config.read_only)
    webhooks = Webhooks(webhooks_of(settings.under("riacho.console.")), door.now_ms)
    return Parts(
        config=config,
        clusters=clusters,
        door=door,
        masking=open_masking(settings, directory),
        rates=history,
        history=history,
        alerting=Alerting(clusters, directory, events, webhooks, door.now_ms),
        events=events,
    )


def _endpoints(parts: Parts) -> list[Endpoint]:
    found: list[Endpoint] = []
    for name in MODULES:
        found += import_module(f"riacho.console.api.{name}").endpoints(parts)
    return found
