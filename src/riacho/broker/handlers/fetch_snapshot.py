"""FetchSnapshot, v0-1 (KIP-630): a piece of the metadata snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.requests.later import Outcome, mapped
from riacho.broker.requests.version_fit import fitted
from riacho.security.operations import AclOperation
from riacho.wire.messages.fetch_snapshot_response import FetchSnapshotResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.wire.messages.fetch_snapshot_request import FetchSnapshotRequest


def handle(ctx: QuorumRequestContext, request: FetchSnapshotRequest) -> Outcome[FetchSnapshotResponse]:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    version = ctx.version
    outcome = ctx.quorum.raft.ask(request, version, FetchSnapshotResponse)
    return mapped(outcome, lambda response: fitted(response, version))
