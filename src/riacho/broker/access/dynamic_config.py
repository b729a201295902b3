"""This node's settings at this moment: those that it was started with, then, once it has the metadata, the cluster's.

Listeners are secured before there are metadata: their ports have to be known to join the quorum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.access.metadata_view import MetadataView
    from riacho.metadata.settings.broker_values import BrokerValues


class DynamicConfig:
    def __init__(self, static: BrokerValues) -> None:
        self._static = static
        self._metadata: MetadataView | None = None

    def follow(self, metadata: MetadataView) -> None:
        """From now on the settings are what these metadata say."""
        self._metadata = metadata

    def values(self) -> BrokerValues:
        return self._static if self._metadata is None else self._metadata.values
