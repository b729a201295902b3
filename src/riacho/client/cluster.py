"""A cluster as a client sees it: which brokers there are, which one to ask, and asking again after a passing failure.

`any`, `broker`, `controller` and `coordinator` give connections; `retry` runs a piece of work again while it ends in a
retriable error, with growing pauses, until the time is up. A connection that failed is dropped and metadata is asked
for anew, so the next attempt goes to whoever is in charge then.

Bootstrapped from controllers (KIP-919), the nodes are the controllers and `controller` is the active one; topics can
then not be asked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from riacho.base.backoff import Backoff
from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.connection import Connection, HungUp, NoConnection, NoHost
from riacho.client.settings import ClientSettings
from riacho.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from riacho.wire.messages.metadata_response import MetadataResponse, MetadataResponseTopic
from riacho.wire.schema import Message

if TYPE_CHECKING:
    from riacho.wire.messages.find_coordinator_response import FindCoordinatorResponse

T = TypeVar("T")
R = TypeVar("R", bound=Message)

GROUP_KEY_TYPE = 0
TRANSACTION_KEY_TYPE = 1


class Unreachable(KafkaError):
    """No broker could be reached at all."""

    def __init__(self, reasons: Iterable[str]) -> None:
        super().__init__(ErrorCode.NETWORK_EXCEPTION, f"Cannot reach the cluster. {'; '.join(reasons)}.")


class Astray(KafkaError):
    """A broker answered, and named another one by an address that leads nowhere: what the brokers advertise is wrong
    for this machine, or that broker is just not there."""

    def __init__(self, node_id: int, reason: str, is_unknown_host: bool) -> None:
        problem = f"The cluster answers, but broker {node_id} cannot be reached where it says that it is ({reason})"
        super().__init__(
            ErrorCode.NETWORK_EXCEPTION, f"{problem}: is its advertised.listeners right for clients on this machine?"
        )
        # A name that nobody knows is not known a moment later either; a broker that restarts is there again.
        self.is_lasting = is_unknown_host


class Cluster:
    def __init__(
        self,
        settings: ClientSettings,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.settings = settings
        self._clock = clock
        self._sleep = sleep
        self._connections: dict[tuple[str, int], Connection] = {}
        self._brokers: dict[int, tuple[str, int]] = {}
        self._controller_id = -1

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        # A copy: a service that ends closes what a thread of its may still be using.
        for connection in list(self._connections.values()):
            connection.close()
        self._connections.clear()

    # Which connection

    def any(self) -> Connection:
        """Some broker that answers; an open connection first."""
        for connection in self._connections.values():
            return connection
        reasons: list[KafkaError] = []
        for address in dict.fromkeys((*self.settings.bootstrap, *self._brokers.values())):
            try:
                return self._connect(address)
            except KafkaError as error:
                if error.code is not ErrorCode.NETWORK_EXCEPTION:
                    raise
                reasons.append(error)
        hung_up = next((error for error in reasons if isinstance(error, HungUp)), None)
        raise hung_up or Unreachable(error.detail for error in reasons)

    def broker(self, node_id: int) -> Connection:
        if node_id not in self._brokers:
            self._learn_nodes()
        address = self._brokers.get(node_id)
        if address is None:
            kind = "controller" if self.settings.is_to_controllers else "broker"
            raise KafkaError(ErrorCode.BROKER_NOT_AVAILABLE, f"There is no live {kind} {node_id}.")
        return self._connect_named(node_id, address)

    def controller(self) -> Connection:
        """Where admin changes go. Under KRaft brokers forward them, so any live broker's id may stand here."""
        if self._controller_id not in self._brokers:
            self._learn_nodes()
        return self.broker(self._controller_id) if self._controller_id in self._brokers else self.any()

    def coordinator(self, key: str, key_type: int = GROUP_KEY_TYPE) -> Connection:
        return self.coordinating(key, key_type)[1]

    def coordinating(self, key: str, key_type: int = GROUP_KEY_TYPE) -> tuple[int, Connection]:
        """(node id, connection) of the broker that owns a group or a transactional id."""
        node_id, address = self.find_coordinator(key, key_type)
        return node_id, self._connect_named(node_id, address)

    def find_coordinator(self, key: str, key_type: int = GROUP_KEY_TYPE) -> tuple[int, tuple[str, int]]:
        """(node id, address) of the broker that owns a group or a transactional id."""
        from riacho.wire.messages.find_coordinator_request import FindCoordinatorRequest

        connection = self.any()
        version = connection.version_for(10)
        # One key per request up to version 3, a batch of them from version 4 (KIP-699).
        request = FindCoordinatorRequest(key_type=key_type)
        if version < 4:
            request.key = key
        else:
            request.coordinator_keys = [key]
        response: FindCoordinatorResponse = self._send(connection, request, version)
        found = response.coordinators[0] if version >= 4 else response
        check(found.error_code, found.error_message or f"No coordinator of '{key}' is available.")
        return found.node_id, (found.host, found.port)

    def _connect_named(self, node_id: int, address: tuple[str, int]) -> Connection:
        """An advertised address, of a broker or a coordinator."""
        try:
            return self._connect(address)
        except NoConnection as error:
            if address in self.settings.bootstrap:
                raise
            raise Astray(node_id, error.detail, isinstance(error, NoHost)) from None

    def _connect(self, address: tuple[str, int]) -> Connection:
        connection = self._connections.get(address)
        if connection is None:
            connection = self._connections[address] = Connection(*address, self.settings)
        return connection

    # Asking

    def ask(
        self, request: Message, answer: type[R], connection: Connection | None = None, version: int | None = None
    ) -> R:
        """One request to `connection`, or to any broker. A broken connection is forgotten."""
        response: Message = self._send(connection or self.any(), request, version)
        assert isinstance(response, answer)
        return response

    def _send(self, connection: Connection, request: Message, version: int | None = None) -> Any:
        try:
            return connection.send(request, version)
        except KafkaError as error:
            if error.code in (ErrorCode.NETWORK_EXCEPTION, ErrorCode.REQUEST_TIMED_OUT):
                self._connections.pop((connection.host, connection.port), None)
                connection.close()
            raise

    def retry(self, work: Callable[[], T]) -> T:
        """`work()`, again after retriable errors; the last error when the time is up."""
        started = self._clock()
        answered = started
        pauses = Backoff(self.settings.retry_backoff_ms, self.settings.retry_backoff_max_ms).pauses_ms()
        while True:
            pause_ms = next(pauses)
            try:
                return work()
            except KafkaError as error:
                self.attempt_failed(error)
                is_hung_up = isinstance(error, HungUp)
                is_astray = isinstance(error, Astray) and error.is_lasting
                unreachable = is_hung_up or is_astray or isinstance(error, Unreachable)
                limit_ms = self.settings.reach_timeout_ms if unreachable else self.settings.api_timeout_ms
                # A broker that hangs up again and again is as good as none; one that is going down does it once.
                elapsed_ms = (self._clock() - (answered if is_hung_up else started)) * 1000
                answered = answered if is_hung_up else self._clock()
                if not is_passing(error.code) or elapsed_ms + pause_ms > limit_ms:
                    raise
                self._brokers.clear()
            self._sleep(pause_ms / 1000)

    def attempt_failed(self, error: KafkaError) -> None:
        """For those who keep more than connections: what an attempt that failed was answered may be wrong by now."""

    # Metadata

    def metadata(self, topics: Iterable[str] | None = None) -> MetadataResponse:
        """Brokers and topics: all of them for None, none for an empty list. Never creates a topic."""
        if self.settings.is_to_controllers:
            raise KafkaError(
                ErrorCode.UNSUPPORTED_VERSION,
                "Controllers do not tell of topics or brokers; give --bootstrap-server instead of controllers.",
            )
        asked = None if topics is None else [MetadataRequestTopic(name=name) for name in topics]
        request = MetadataRequest(topics=asked, allow_auto_topic_creation=False)
        response = self.ask(request, MetadataResponse)
        self._brokers = {b.node_id: (b.host, b.port) for b in response.brokers}
        self._controller_id = response.controller_id
        return response

    def topics(self, names: Iterable[str]) -> dict[str, MetadataResponseTopic]:
        """The named topics, every partition with a leader; KafkaError for the first that is not so."""
        response = self.metadata(list(names))
        for topic in response.topics:
            check(topic.error_code, f"Topic '{topic.name}' does not exist.")
        return {topic.name or "": topic for topic in response.topics}

    def live_brokers(self) -> dict[int, tuple[str, int]]:
        """The nodes that can be connected to: brokers, or the controllers when those are what we came in by."""
        self._learn_nodes()
        return dict(self._brokers)

    def _learn_nodes(self) -> None:
        if not self.settings.is_to_controllers:
            self.metadata([])
            return
        from riacho.client.cluster_description import CONTROLLERS, describe_cluster

        response = describe_cluster(self, CONTROLLERS)
        self._brokers = {b.broker_id: (b.host, b.port) for b in response.brokers}
        self._controller_id = response.controller_id


def is_passing(code: ErrorCode) -> bool:
    """Worth another try by itself. A topic that is not there stays away, and a quota is for the user to know."""
    return code.retriable and code not in _TOLD_AT_ONCE


_TOLD_AT_ONCE = frozenset(
    {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.THROTTLING_QUOTA_EXCEEDED}
)


def check(error_code: int, detail: str | None = None) -> None:
    """Raise what a response says went wrong."""
    if error_code:
        code = error_of(error_code)
        raise KafkaError(code, detail or f"The broker answered {code.name}.")


def error_of(error_code: int) -> ErrorCode:
    try:
        return ErrorCode(error_code)
    except ValueError:
        return ErrorCode.UNKNOWN_SERVER_ERROR
