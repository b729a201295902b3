"""Which broker coordinates a group or a transactional id, asked anew each time.

librdkafka's clients remember a coordinator, and do not ask again when it has moved.
"""

from __future__ import annotations

from riacho.wire.messages.find_coordinator_request import FindCoordinatorRequest
from support.cluster_processes import ProcessCluster
from support.cluster_view import settled

GROUP, TRANSACTION = 0, 1


def coordinator_of(cluster: ProcessCluster, key: str, key_type: int = TRANSACTION, timeout_s: float = 30.0) -> int:
    request = FindCoordinatorRequest(key_type=key_type, coordinator_keys=[key])
    found = settled(lambda: cluster.view.ask(request).coordinators[0], lambda each: each.error_code == 0, timeout_s)
    node_id: int = found.node_id
    return node_id
