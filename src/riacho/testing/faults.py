"""Faults on request: rules that all brokers of a cluster share, and rules of one broker alone.

They meet clients. What brokers ask of each other (a follower's fetch, whatever comes to a controller) passes, so that
a fault meant for a consumer does not break the cluster under it; cut the network or kill a broker for that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from riacho.base.errors import ErrorCode
from riacho.broker.faults import FaultRule, Faults, api_key_of
from riacho.wire.messages.fetch_request import FetchRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from riacho.broker.requests.api import Api
    from riacho.broker.serving.connection import Connection


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that a test asked for. Its `met` counts the requests that it has met so far."""

    _rule: FaultRule

    @property
    def met(self) -> int:
        """How many requests the fault has met."""
        return self._rule.met

    @property
    def is_spent(self) -> bool:
        """Whether the fault has met as many requests as it was asked to."""
        return self._rule.left == 0


class BrokerFaults(Faults):
    """One broker's own rules first, then those of the whole cluster."""

    def __init__(self, of_cluster: Faults) -> None:
        super().__init__()
        self._of_cluster = of_cluster

    def intercept(self, connection: Connection, api: Api, request: Any) -> Any:
        if connection.listener.is_for_controllers or _is_of_a_follower(request):
            return None
        outcome = super().intercept(connection, api, request)
        return outcome if outcome is not None else self._of_cluster.intercept(connection, api, request)


def _is_of_a_follower(request: Any) -> bool:
    if not isinstance(request, FetchRequest):
        return False
    return request.replica_id >= 0 or request.replica_state.replica_id >= 0


def error_code(error: ErrorCode | str | int) -> ErrorCode:
    """ValueError with the names that are like it when there is no such error."""
    try:
        return ErrorCode[error.upper()] if isinstance(error, str) else ErrorCode(error)
    except (KeyError, ValueError):
        from difflib import get_close_matches

        close = get_close_matches(str(error).upper(), ErrorCode.__members__, n=1)
        meant = f"; did you mean {close[0]}?" if close else ""
        raise ValueError(f"no error of Kafka's is called {error!r}{meant}") from None


class FaultControls:
    """The part of a cluster that makes trouble."""

    def __init__(self, node_ids: list[int]) -> None:
        self._of_all = Faults()
        self._faults: Mapping[int, BrokerFaults] = {node_id: BrokerFaults(self._of_all) for node_id in node_ids}

    def fail(
        self,
        api: str,
        error: ErrorCode | str | int,
        times: int | None = 1,
        *,
        after: int = 0,
        client_id: str | None = None,
        broker: int | None = None,
    ) -> Fault:
        """Answer the next `times` requests of an API with an error, instead of serving them; None: until cleared.

        The error goes by its name too, "NOT_LEADER_OR_FOLLOWER", or by its number.
        """
        rule = FaultRule(api_key_of(api), times, error=error_code(error), after=after, client_id=client_id)
        return self._add(rule, broker)

    def delay(
        self,
        api: str,
        delay_ms: int,
        times: int | None = 1,
        *,
        after: int = 0,
        client_id: str | None = None,
        broker: int | None = None,
    ) -> Fault:
        """Serve the next `times` requests of an API `delay_ms` later."""
        return self._add(FaultRule(api_key_of(api), times, delay_ms=delay_ms, after=after, client_id=client_id), broker)

    def drop(
        self,
        api: str,
        times: int | None = 1,
        *,
        after: int = 0,
        client_id: str | None = None,
        broker: int | None = None,
    ) -> Fault:
        """Close the connection on the next `times` requests of an API, without serving them."""
        rule = FaultRule(api_key_of(api), times, drops_connection=True, after=after, client_id=client_id)
        return self._add(rule, broker)

    def _check_broker(self, broker: int) -> None:
        if broker not in self._faults:
            raise ValueError(f"there is no broker {broker}; choose from {', '.join(map(str, self._faults))}")

    def clear_faults(self) -> None:
        """Forget all faults: requests are served again."""
        self._of_all.clear()
        for faults in self._faults.values():
            faults.clear()

    def _add(self, rule: FaultRule, broker: int | None) -> Fault:
        if broker is not None:
            self._check_broker(broker)
        return Fault((self._of_all if broker is None else self._faults[broker]).add(rule))
