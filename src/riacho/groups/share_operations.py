"""What clients, and the share coordinator's answers, ask of the share groups of a shard (KIP-932)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.operation import Operation
from riacho.groups.decision_context import DecisionContext
from riacho.groups.operations import group_id_of, group_operation, itself
from riacho.groups.share.groups import ShareGroups
from riacho.groups.share.offsets import AlterOffsets, DeleteState
from riacho.groups.share.state import ShareState
from riacho.wire.messages.share_group_describe_response import DescribedGroup
from riacho.wire.messages.share_group_heartbeat_response import ShareGroupHeartbeatResponse

if TYPE_CHECKING:
    from riacho.groups.shard import GroupShard

Q = TypeVar("Q")
P = ParamSpec("P")
T = TypeVar("T")


def _share_operation(
    decide: Callable[Concatenate[ShareGroups, DecisionContext, Q, P], T],
    *,
    key: Callable[[Q], str],
    refused: Callable[[Q, ErrorCode], T],
    writes: bool = True,
) -> Operation[GroupShard, Q, P, T]:
    """Nobody is ever parked here: what `decide` returns is the answer."""

    def decide_in(
        shard: GroupShard, context: DecisionContext, request_id: int, request: Q, /, *args: P.args, **kwargs: P.kwargs
    ) -> None:
        context.decision.answer(request_id, decide(shard.share, context, request, *args, **kwargs))

    return group_operation(decide_in, key=key, refused=refused, writes=writes)


def _code(group_id: str, code: ErrorCode) -> ErrorCode:
    return code


def _state_stays(group_id: str, code: ErrorCode) -> DeleteState:
    return DeleteState.refused(KafkaError(code, code.name))


def _state_of(share: ShareGroups, context: DecisionContext, group_id: str) -> ShareState | ErrorCode:
    return share.state_of(group_id)


SHARE_GROUP_HEARTBEAT = _share_operation(
    ShareGroups.heartbeat,
    key=group_id_of,
    refused=lambda request, code: ShareGroupHeartbeatResponse(error_code=code),
)
SHARE_GROUP_DESCRIBE = _share_operation(
    ShareGroups.describe,
    key=itself,
    refused=lambda group_id, code: DescribedGroup(group_id=group_id, error_code=code),
    writes=False,
)
SHARE_STATE_OF_GROUP = _share_operation(_state_of, key=itself, refused=_code, writes=False)
BEGIN_ALTER_OFFSETS = _share_operation(
    ShareGroups.begin_alter_offsets,
    key=group_id_of,
    refused=lambda request, code: AlterOffsets.refused(KafkaError(code, code.name)),
)
BEGIN_DELETE_OFFSETS = _share_operation(
    ShareGroups.begin_delete_offsets,
    key=group_id_of,
    refused=lambda request, code: DeleteState.refused(KafkaError(code, code.name)),
)
BEGIN_DELETE_GROUP = _share_operation(ShareGroups.begin_delete_group, key=itself, refused=_state_stays)
# How it went with the share coordinator.
STATE_INITIALIZED = _share_operation(ShareGroups.initialized, key=itself, refused=_code)
STATE_DELETED = _share_operation(ShareGroups.deleted, key=itself, refused=_code)
