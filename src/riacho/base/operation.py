"""A request that a coordinator serves, as a value: it stands beside the function that decides it.

The coordinator's runtime does the rest for all of them alike: it finds the shard, refuses while that is not here or
still loads, appends what was decided, and lets the reply go when it is committed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Concatenate, Generic, ParamSpec, TypeVar

from riacho.base.coordination import CoordinatorDecision, CoordinatorShard, Reply
from riacho.base.errors import ErrorCode

S = TypeVar("S", bound=CoordinatorShard)
Q = TypeVar("Q")
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Operation(Generic[S, Q, P, T]):
    """Of requests `Q`, answered with `T`; `P` is what else is known of a request, such as its version."""

    # The group or the transactional id, say, that a request is about.
    key: Callable[[Q], str]
    # By shard, request id, time and request.
    decide: Callable[Concatenate[S, int, int, Q, P], CoordinatorDecision]
    # The answer when the whole request fails, so that also a parked or half-done one gets an answer.
    refused: Callable[[Q, ErrorCode], T]
    # Whether it may have records to append. One that has none is decided also while the partition takes no writes.
    writes: bool = True


def reading(
    read: Callable[Concatenate[S, Q, P], T], *, key: Callable[[Q], str], refused: Callable[[Q, ErrorCode], T]
) -> Operation[S, Q, P, T]:
    """One that only looks, whatever the time is."""

    def decide(
        shard: S, request_id: int, now_ms: int, request: Q, /, *args: P.args, **kwargs: P.kwargs
    ) -> CoordinatorDecision:
        return CoordinatorDecision(reply=[Reply(request_id, read(shard, request, *args, **kwargs))])

    return Operation(key, decide, refused, writes=False)
