"""From a connector's config to the command that starts it: its type, its secrets, its checkpoint, its offsets."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

from riacho.base.config import ConfigError
from riacho.client.config_providers import Providers
from riacho.pipelines.connect.decisions.decisions import decide_checkpoint
from riacho.pipelines.connect.decisions.state import ConfigState
from riacho.pipelines.connect.decisions.writer import Writer
from riacho.pipelines.connect.plugins.catalog import Catalog
from riacho.pipelines.connect.protocol import Start
from riacho.pipelines.connect.secret_text import secret_values
from riacho.pipelines.connect.stores.checkpoints import Checkpoints
from riacho.pipelines.connect.stores.sink_offsets import SinkOffsets
from riacho.pipelines.connect.stores.source_offsets import Pair, SourceOffsets
from riacho.pipelines.connect.stores.store_topics import StoreError, StoreRefused
from riacho.pipelines.plugin import SourceOffset
from riacho.single_writer.errors import LogError, ReplicatedLogError
from riacho.web.errors import ApiError


class CannotStart(Exception):
    """One sentence, which becomes the trace of the connector."""


class CannotStartNow(CannotStart):
    """Kafka did not answer: a later try may do."""


class Prepared(NamedTuple):
    command: Start
    type: str
    version: str
    secrets: set[str]


class StartPreparation:
    def __init__(
        self,
        state: ConfigState,
        catalog: Catalog,
        providers: Providers,
        checkpoints: Checkpoints,
        source_offsets: SourceOffsets,
        sink_offsets: SinkOffsets,
    ) -> None:
        self._state = state
        self._catalog = catalog
        self._providers = providers
        self._checkpoints = checkpoints
        self._source_offsets = source_offsets
        self._sink_offsets = sink_offsets

    async def prepare(self, writer: Writer, name: str, generation: int, config: Mapping[str, str]) -> Prepared:
        """CannotStart."""
        try:
            validated = await self._catalog.validate(name, config)
            resolved, secrets = await asyncio.to_thread(self._providers.resolve, config)
            secrets |= {resolved[setting] for setting in validated.secrets if resolved.get(setting)}
            # Clients' settings that a connector overrides have no type.
            secrets |= secret_values(_overrides(resolved))
            offsets = await self.offsets_of(name, validated.type)
            checkpoint = await self._checkpoint(writer, name)
        except ApiError as error:
            raise CannotStart(error.message) from None
        except (ConfigError, StoreRefused, LogError) as error:
            raise CannotStart(str(error)) from None
        except (StoreError, ReplicatedLogError) as error:
            raise CannotStartNow(str(error)) from None
        except OSError as error:
            raise CannotStart(f"The checkpoint cannot be kept: {error.strerror or error}.") from None
        command = Start(
            name=name,
            generation=generation,
            type="sink" if validated.type == "sink" else "source",
            configs=resolved,
            offsets=tuple(SourceOffset(pair["partition"], pair["offset"]) for pair in offsets) or None,
            checkpoint=checkpoint,
            tasks_max=_tasks_max(resolved),
        )
        return Prepared(command, validated.type, validated.version, secrets)

    async def offsets_of(self, name: str, kind: str) -> list[Pair]:
        return await self._sink_offsets.of(name) if kind == "sink" else self._source_offsets.of(name)

    async def _checkpoint(self, writer: Writer, name: str) -> str:
        known = self._state.checkpoint(name)
        if known is None or not await asyncio.to_thread(self._checkpoints.is_here, name, known):
            known = await writer.change(lambda: decide_checkpoint(self._state, name, known))
        return await asyncio.to_thread(self._checkpoints.settle, name, known)


def _overrides(config: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in config.items() if ".override." in name}


def _tasks_max(config: Mapping[str, str]) -> int:
    text = config.get("tasks.max", "1").strip()
    return int(text) if text.isdecimal() and len(text) < 10 else 1
