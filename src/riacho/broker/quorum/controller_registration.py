"""The registration of a controller: it makes itself known to whoever is active (KIP-919)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.metadata.image.features import SUPPORTED
from riacho.wire.messages.controller_registration_request import ControllerRegistrationRequest, Feature, Listener

if TYPE_CHECKING:
    from riacho.broker.config import ListenerAddress
    from riacho.broker.logs import Logs
    from riacho.broker.quorum.controller_channel import ControllerChannel
    from riacho.broker.quorum.metadata_cache import MetadataCache

_RETRY_MS = 500


class ControllerRegistration:
    def __init__(
        self,
        node_id: int,
        incarnation_id: bytes,
        listeners: Sequence[ListenerAddress],
        metadata: MetadataCache,
        channel: ControllerChannel,
        logs: Logs,
    ) -> None:
        """`listeners` are those at which other nodes reach this controller."""
        self._node_id = node_id
        self._incarnation_id = incarnation_id
        self._listeners = listeners
        self._metadata = metadata
        self._channel = channel
        self._logs = logs

    async def run(self) -> None:
        """Until the metadata show this run of this controller."""
        request = self._request()
        while not self._is_known():
            try:
                await self._channel.send(request)
            except KafkaError as error:
                self._logs.error.debug("controller registration failed error=%s", error)
            await self._channel.pause(_RETRY_MS)

    def _is_known(self) -> bool:
        known = self._metadata.image.controllers.get(self._node_id)
        return known is not None and known.incarnation_id == self._incarnation_id

    def _request(self) -> ControllerRegistrationRequest:
        return ControllerRegistrationRequest(
            controller_id=self._node_id,
            incarnation_id=self._incarnation_id,
            listeners=[Listener(name=each.name, host=each.host, port=each.port) for each in self._listeners],
            features=[
                Feature(name=name, min_supported_version=low, max_supported_version=high)
                for name, (low, high) in SUPPORTED.items()
            ],
        )
