"""Fetch, v4-18, on a controller's listener: the metadata log, for the other nodes of the quorum (KIP-595).

v17: directory ids (KIP-853). v18: the high watermark that the asker knows (KIP-1166).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.requests.later import Outcome, mapped
from riacho.broker.requests.version_fit import fitted
from riacho.security.operations import AclOperation
from riacho.wire.messages.fetch_response import FetchResponse

if TYPE_CHECKING:
    from riacho.broker.parts.request_contexts import QuorumRequestContext
    from riacho.wire.messages.fetch_request import FetchRequest


def handle(ctx: QuorumRequestContext, request: FetchRequest) -> Outcome[FetchResponse]:
    ctx.check_cluster(AclOperation.CLUSTER_ACTION)
    version = ctx.version
    outcome = ctx.quorum.raft.ask(request, version, FetchResponse)
    return mapped(outcome, lambda response: fitted(response, version))
