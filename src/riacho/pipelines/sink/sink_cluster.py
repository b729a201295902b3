"""The cluster as a sink's process knows it from one epoch to the next: who coordinates its transactions.

A micro-batch of a few records is a dozen requests of which each waits for the one before, so what was asked an epoch
ago is not asked again. What is known may be wrong by now; then a request fails in one of the ways in which it does when
a coordinator moves under way, all is forgotten, and the next attempt asks.
"""

from __future__ import annotations

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import TRANSACTION_KEY_TYPE, Cluster
from riacho.client.connection import Connection
from riacho.client.settings import ClientSettings

COORDINATORS_MAX = 1_000


class SinkCluster(Cluster):
    def __init__(self, settings: ClientSettings) -> None:
        super().__init__(settings)
        self._coordinators: dict[str, tuple[str, int]] = {}

    def transaction_coordinator(self, transactional_id: str) -> Connection:
        """Only within `retry`, which forgets those that are none any more."""
        address = self._coordinators.get(transactional_id)
        if address is None:
            _, address = self.find_coordinator(transactional_id, TRANSACTION_KEY_TYPE)
            if len(self._coordinators) >= COORDINATORS_MAX:
                self._coordinators.clear()
            self._coordinators[transactional_id] = address
        return self._connect(address)

    def attempt_failed(self, error: KafkaError) -> None:
        # That one answer comes from the right coordinator, which is not done with the epoch before.
        if error.code is not ErrorCode.CONCURRENT_TRANSACTIONS:
            self._coordinators.clear()
