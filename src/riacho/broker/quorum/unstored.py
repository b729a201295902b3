"""What a quorum member wanted on its disk and could not get there.

A full disk, or a process out of descriptors, may take it later: the core says nothing of a step before it is stored, so
a node that waits is to the others one that is paused. A leader that cannot take a change resigns instead,
for others may have room. Anything else is the end of its membership.
"""

from __future__ import annotations

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.quorum.metadata_log import DIRECTORY
from riacho.log.failures import is_broken, reason_of
from riacho.raft import effects
from riacho.raft.effects import Effect

_STORED = (
    effects.PersistState,
    effects.AppendControl,
    effects.AppendFetched,
    effects.Truncate,
    effects.StoreSnapshotChunk,
    effects.FinishSnapshot,
)


def may_be_stored_later(effect: Effect, error: KafkaError | OSError) -> bool:
    return isinstance(effect, _STORED) and may_pass(error)


def may_pass(error: KafkaError | OSError) -> bool:
    cause = error.__cause__ if isinstance(error, KafkaError) else error
    return isinstance(cause, OSError) and not is_broken(cause)


def unstored(error: KafkaError | OSError) -> KafkaError:
    if isinstance(error, KafkaError):
        return error
    detail = f"cannot write the quorum's state in {DIRECTORY}: {reason_of(error)}"
    return KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, detail)
