"""FetchSnapshot, v0-1 (KIP-630): a piece of the metadata snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riacho.broker.merging import merged
from riacho.broker.version_fit import fitted
from riacho.security.operations import AclOperation

if TYPE_CHECKING:
    from riacho.broker.request_context import RequestContext
    from riacho.wire.messages.fetch_snapshot_request import FetchSnapshotRequest


def handle(ctx: RequestContext, request: FetchSnapshotRequest) -> Any:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    version = ctx.version
    return merged(ctx.broker.raft.ask(request, version), lambda response: fitted(response, version))
