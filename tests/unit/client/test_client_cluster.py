"""Retries and routing, with a clock that only moves when somebody sleeps."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client import cluster as module
from riacho.client.cluster import Astray, Cluster, Unreachable
from riacho.client.connection import HungUp, NoConnection, NoHost
from riacho.client.settings import ClientSettings
from riacho.wire.messages.find_coordinator_request import FindCoordinatorRequest
from riacho.wire.messages.find_coordinator_response import Coordinator, FindCoordinatorResponse
from riacho.wire.messages.metadata_request import MetadataRequest
from riacho.wire.messages.metadata_response import MetadataResponse, MetadataResponseBroker
from riacho.wire.schema import Message

SETTINGS = ClientSettings((("down", 1), ("up", 2)), api_timeout_ms=3_000, reach_timeout_ms=500)


class FakeConnection:
    down = {("down", 1)}
    made: list[tuple[str, int]] = []

    def __init__(self, host: str, port: int, settings: ClientSettings) -> None:
        self.made.append((host, port))
        if (host, port) in self.down:
            raise KafkaError(ErrorCode.NETWORK_EXCEPTION, f"{host}:{port}: connection refused")
        self.host, self.port = host, port

    def version_for(self, key: int) -> int:
        return 4

    def send(self, request: Message, version: int | None = None) -> Message:
        if isinstance(request, MetadataRequest):
            brokers = [MetadataResponseBroker(node_id=7, host="seven", port=7)]
            return MetadataResponse(brokers=brokers, controller_id=7)
        assert isinstance(request, FindCoordinatorRequest)
        return FindCoordinatorResponse(coordinators=[Coordinator(node_id=7, host="seven", port=7)])

    def close(self) -> None: ...


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    monkeypatch.setattr(module, "Connection", FakeConnection)
    monkeypatch.setattr(FakeConnection, "made", [])
    return []


@pytest.fixture
def cluster(slept: list[float]) -> Cluster:
    return Cluster(SETTINGS, clock=lambda: sum(slept), sleep=slept.append)


def failing(times: int, code: ErrorCode) -> Callable[[], str]:
    left = [times]

    def work() -> str:
        if left[0]:
            left[0] -= 1
            raise KafkaError(code, "not now")
        return "done"

    return work


def test_retriable_errors_are_tried_again_with_growing_pauses(cluster: Cluster, slept: list[float]) -> None:
    assert cluster.retry(failing(5, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)) == "done"
    assert slept == [0.1, 0.2, 0.4, 0.8, 1.0]


def test_until_the_time_is_up(cluster: Cluster, slept: list[float]) -> None:
    with pytest.raises(KafkaError, match="not now"):
        cluster.retry(failing(99, ErrorCode.NOT_COORDINATOR))
    assert sum(slept) <= 3.0


@pytest.mark.parametrize("code", [ErrorCode.TOPIC_ALREADY_EXISTS, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION])
def test_other_errors_are_told_at_once(cluster: Cluster, slept: list[float], code: ErrorCode) -> None:
    with pytest.raises(KafkaError):
        cluster.retry(failing(1, code))
    assert slept == []


def test_a_cluster_out_of_reach_is_given_up_sooner(slept: list[float]) -> None:
    cluster = Cluster(SETTINGS._replace(bootstrap=(("down", 1),)), clock=lambda: sum(slept), sleep=slept.append)
    with pytest.raises(Unreachable, match=r"Cannot reach the cluster\. down:1: connection refused\."):
        cluster.retry(cluster.any)
    assert 0 < sum(slept) <= 0.5


def hanging_up(then: Callable[[], str]) -> Callable[[], str]:
    """Every second call is hung up on."""
    calls = [0]

    def work() -> str:
        calls[0] += 1
        if calls[0] % 2:
            raise HungUp("h:1", "does it want a login?")
        return then()

    return work


def test_a_broker_that_only_hangs_up_is_given_up_as_soon(cluster: Cluster, slept: list[float]) -> None:
    def work() -> str:
        raise HungUp("h:1", "does it want a login?")

    with pytest.raises(HungUp):
        cluster.retry(work)
    assert 0 < sum(slept) <= 0.5


def test_a_broker_that_hangs_up_among_other_troubles_is_not(slept: list[float]) -> None:
    settings = SETTINGS._replace(retry_backoff_max_ms=100)
    cluster = Cluster(settings, clock=lambda: sum(slept), sleep=slept.append)
    assert cluster.retry(hanging_up(failing(5, ErrorCode.NOT_COORDINATOR))) == "done"
    assert sum(slept) > 1.0


def test_the_first_bootstrap_server_that_answers(cluster: Cluster) -> None:
    assert cluster.any().host == "up"
    assert cluster.any().host == "up"
    assert FakeConnection.made == [("down", 1), ("up", 2)]


def test_routing(cluster: Cluster) -> None:
    assert cluster.broker(7).host == "seven"
    assert cluster.controller().host == "seven"
    assert cluster.coordinator("g").host == "seven"
    with pytest.raises(KafkaError, match="There is no live broker 8"):
        cluster.broker(8)


def no_way_to_seven(error: type[NoConnection], reason: str) -> type[FakeConnection]:
    """The bootstrap server answers, and what it names cannot be reached."""

    class Connection(FakeConnection):
        def __init__(self, host: str, port: int, settings: ClientSettings) -> None:
            if host == "seven":
                raise error(f"{host}:{port}: {reason}")
            super().__init__(host, port, settings)

    return Connection


def test_an_advertised_address_that_leads_nowhere_is_told_as_that_and_soon(
    cluster: Cluster, slept: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "Connection", no_way_to_seven(NoHost, "no such host"))
    sentence = r"cluster answers, but broker 7 cannot be reached where it says that it is \(seven:7: no such host\): .*"
    for way in (cluster.controller, lambda: cluster.coordinator("g")):
        slept.clear()
        with pytest.raises(Astray, match=sentence + r"advertised\.listeners"):
            cluster.retry(way)
        assert sum(slept) <= 0.5


def test_a_broker_that_may_be_restarting_is_waited_for_longer(
    cluster: Cluster, slept: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "Connection", no_way_to_seven(NoConnection, "connection refused"))
    with pytest.raises(Astray, match="connection refused"):
        cluster.retry(cluster.controller)
    assert 1.0 < sum(slept) <= 3.0


def test_a_broken_connection_is_forgotten(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    first = cluster.any()

    def fail(self: FakeConnection, request: Message, version: int | None = None) -> Message:
        raise KafkaError(ErrorCode.NETWORK_EXCEPTION, "gone")

    monkeypatch.setattr(FakeConnection, "send", fail)
    with pytest.raises(KafkaError, match="gone"):
        cluster.metadata([])
    assert cluster.any() is not first
