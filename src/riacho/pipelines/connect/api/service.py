"""Connect as its endpoints see it: what is wanted, what is, and how either is changed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from starlette.responses import Response

from riacho.base.decision import Decision
from riacho.pipelines.connect import errors
from riacho.pipelines.connect.api.log_levels import LogLevels
from riacho.pipelines.connect.decisions.state import ConfigState, Wanted
from riacho.pipelines.connect.decisions.writer import NotOpen, Writer
from riacho.pipelines.connect.plugins.catalog import Catalog, Validated
from riacho.pipelines.connect.running.supervisor import Supervisor
from riacho.pipelines.connect.stores.progress import Progress
from riacho.pipelines.connect.stores.sink_offsets import SinkOffsets
from riacho.pipelines.connect.stores.source_offsets import SourceOffsets
from riacho.pipelines.connect.stores.status_writer import StatusWriter
from riacho.pipelines.connect.stores.statuses import Statuses
from riacho.pipelines.connect.stores.store_topics import StoreError, StoreRefused
from riacho.pipelines.reach.client_settings import OVERRIDES
from riacho.single_writer.errors import LogError, LogTimeout, NotLeader, OutcomeUnknown, ReplicatedLogError
from riacho.single_writer.record import Append
from riacho.web.call import Call
from riacho.web.errors import ApiError
from riacho.web.kafka_client import unknown_cluster_id

T = TypeVar("T")
_log = logging.getLogger("riacho.connect")
_LEADER_LOOK_S = 0.05


@dataclass(slots=True)
class Service:
    state: ConfigState
    statuses: Statuses
    catalog: Catalog
    supervisor: Supervisor
    status_writer: StatusWriter
    source_offsets: SourceOffsets
    sink_offsets: SinkOffsets
    progress: Progress
    levels: LogLevels
    replicated_log: Writer = field(default_factory=NotOpen)
    cluster_id: Callable[[], Awaitable[str]] = unknown_cluster_id
    version: str = ""
    is_tracking_topics: bool = True
    may_reset_topics: bool = True
    override_policy: str = "All"
    # Of the worker: what connectors get that do not say it themselves.
    defaults: Mapping[str, str] = field(default_factory=dict)
    # How long a change waits for a leader.
    leader_wait_s: float = 15.0
    # By class: source or sink, and the version.
    _types: dict[str, tuple[str, str]] = field(default_factory=dict)

    # Reading

    def wanted(self, name: str) -> Wanted:
        found = self.state.connectors.get(name)
        if found is None:
            raise errors.connector_not_found(name)
        return found

    async def type_of(self, name: str) -> str:
        """source, sink, or unknown where the class is not there (any more)."""
        return (await self.plugin_of(name))[0]

    async def plugin_of(self, name: str) -> tuple[str, str]:
        """Its type, and its version, which is empty where the class is not there."""
        wanted = self.state.connectors.get(name)
        class_name = "" if wanted is None else wanted.config.get("connector.class", "")
        if not class_name:
            return "unknown", ""
        if class_name not in self._types:
            try:
                validated = await self.catalog.validate(name, {"connector.class": class_name})
                self._types[class_name] = validated.type, validated.version
            except ApiError as error:
                _log.warning("type of a connector is not known class=%s reason=%s", class_name, error.message)
                return "unknown", ""
        return self._types[class_name]

    async def validate(self, name: str, config: Mapping[str, str]) -> Validated:
        """ApiError 400 where something is wrong with it."""
        if not config.get("connector.class", "").strip():
            raise errors.no_connector_type(config)
        validated = await self.catalog.validate(name, config)
        refusals = [*validated.errors, *_overrides(config, self.override_policy)]
        if refusals:
            raise errors.invalid_config(refusals)
        self._types[config["connector.class"]] = validated.type, validated.version
        return validated

    # Changing

    async def change(
        self,
        call: Call,
        decide: Callable[[], Decision[Append, T]],
        answer: Callable[[T], Response | Awaitable[Response]],
    ) -> Response:
        """Decided and written by the leader: here, or there with the call brought to it."""

        async def act() -> Response:
            given = answer(await self.replicated_log.change(decide))
            return given if isinstance(given, Response) else await given

        return await self.at_leader(call, act)

    async def at_leader(self, call: Call, act: Callable[[], Awaitable[Response]]) -> Response:
        """Where nobody leads, as when a worker has just ended, the call waits for somebody to."""
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + self.leader_wait_s
        while True:
            try:
                if self.replicated_log.is_leader:
                    with suppress(NotLeader):
                        return await act()
                return await self._forward(call)
            except NotLeader as error:
                if loop.time() >= deadline_s:
                    _log.warning("no leader for a call reason=%s", error)
                    raise errors.no_leader() from None
            except (LogTimeout, OutcomeUnknown) as error:
                raise errors.timed_out(str(error)) from None
            except StoreRefused as error:
                raise errors.bad_request(str(error)) from None
            except (LogError, StoreError) as error:
                raise errors.failed(str(error)) from None
            await asyncio.sleep(_LEADER_LOOK_S)

    async def _forward(self, call: Call) -> Response:
        response = await self.replicated_log.forward(call)
        if response.status_code < 300 and call.method != "GET":
            # Whoever changed something through this worker shall read it here.
            with suppress(ReplicatedLogError):
                await self.replicated_log.barrier()
        return response


_OF_PRINCIPAL = ("security.protocol", "sasl.jaas.config", "sasl.mechanism")


def _overrides(config: Mapping[str, str], policy: str) -> list[str]:
    """What a connector sets of its clients' settings although the worker's policy is against it."""
    found = [(name, prefix) for name in config for prefix in OVERRIDES if name.startswith(prefix)]
    message = f"The '{policy}' policy does not allow '%s' to be overridden in the connector configuration."
    if policy == "All":
        return []
    return [
        message % name for name, prefix in found if policy == "None" or name.removeprefix(prefix) not in _OF_PRINCIPAL
    ]
