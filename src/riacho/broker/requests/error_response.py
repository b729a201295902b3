"""The answer of an API whose whole request failed: the code in each place where its clients look for one.

Most responses carry a code at the top. The others mirror the request (`error_shapes.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from riacho.base.errors import ErrorCode
from riacho.broker.requests.api import Api, Request
from riacho.broker.requests.error_shapes import SHAPES, mirror
from riacho.broker.requests.version_fit import fitted
from riacho.groups.operations import OFFSET_COMMIT, TXN_OFFSET_COMMIT
from riacho.transactions.partitions import ADD_PARTITIONS
from riacho.wire import apis
from riacho.wire.schema import Message, WireStruct

if TYPE_CHECKING:
    from riacho.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnRequest
    from riacho.wire.messages.offset_commit_request import OffsetCommitRequest
    from riacho.wire.messages.txn_offset_commit_request import TxnOffsetCommitRequest

_FIND_COORDINATOR = 10


def error_response(api: Api, version: int, request: Request, code: ErrorCode, detail: str = "") -> Message:
    """A response of this API that says `code` everywhere."""
    response = None if request is None else _refused(api.key, request, code)
    if response is None:
        response = apis.response_class(api.key)()
        if request is not None:
            mirror(response, request, SHAPES.get(api.key, ()), code)
    # OffsetFetch and FindCoordinator moved their code into the items in later versions; both places are set, since a
    # field that a version lacks is not written.
    said = {"error_code": int(code), "error_message": detail or None}
    if api.key == _FIND_COORDINATOR:
        said |= {"node_id": -1, "port": -1}
    for name, value in said.items():
        if _has_field(response, name, version):
            setattr(response, name, value)
    _explain(response, version, detail or None)
    return fitted(response, version)


def _refused(key: int, request: Message, code: ErrorCode) -> Message | None:
    """Of what a coordinator refuses as a whole, too: the answer stands beside what decides it."""
    match key:
        case 8:
            return OFFSET_COMMIT.refused(cast("OffsetCommitRequest", request), code)
        case 24:
            return ADD_PARTITIONS.refused(cast("AddPartitionsToTxnRequest", request), code)
        case 28:
            return TXN_OFFSET_COMMIT.refused(cast("TxnOffsetCommitRequest", request), code)
        case _:
            return None


def _explain(message: WireStruct, version: int, detail: str | None) -> None:
    """Each item that was refused says why, where its version can."""
    for field in message.FIELDS:
        if field.array and not isinstance(field.type, str):
            items = getattr(message, field.name) or ()
            has_message = _has_field(field.type, "error_message", version)
            has_arrays = any(inner.array and not isinstance(inner.type, str) for inner in field.type.FIELDS)
            for item in items if has_message or has_arrays else ():
                if has_message:
                    item.error_message = detail
                if has_arrays:
                    _explain(item, version, detail)


def _has_field(struct: WireStruct | type[WireStruct], name: str, version: int) -> bool:
    return any(field.name == name and field.is_in(version) for field in struct.FIELDS)
