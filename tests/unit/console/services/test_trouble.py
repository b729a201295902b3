"""Services that are gone, slow, answer garbage or do not know the console: one sentence each that says which."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from riacho.console.services.http_service import HttpService, path_of
from riacho.console.services.kept import Kept
from riacho.testing import KafkaCluster
from riacho.web.errors import ApiError
from support.control_center import CLUSTER, ControlCenterService
from support.http_api import HttpApi, Reply, Request, running_api
from support.ports import free_port
from support.rest_proxy_world import LoopThread

PATHS = {
    "schemas": "The schema registry",
    "schemas/a": "The schema registry",
    "connectors": "Connect",
    "connectors/a": "Connect",
    "connector-plugins": "Connect",
    "sql/queries": "KSQL",
    "sql/sources": "KSQL",
}


@pytest.fixture
def api() -> Iterator[HttpApi]:
    with running_api(lambda request: Reply(content=[])) as running:
        yield running


def console_with(brokers: KafkaCluster, url: str, **more: str) -> ControlCenterService:
    urls = dict.fromkeys(("schema.registry.url", "connect.url", "ksql.url"), url)
    return ControlCenterService(brokers.bootstrap_servers, urls | {name.replace("_", "."): more[name] for name in more})


def test_a_service_that_is_gone(brokers: KafkaCluster) -> None:
    console = console_with(brokers, f"http://127.0.0.1:{free_port()}")
    try:
        for path, name in PATHS.items():
            answer = console.get(f"{CLUSTER}/{path}")
            assert answer.status_code == 503
            assert answer.json()["message"].startswith(f"{name} cannot be asked: http://127.0.0.1:")
        query = console.post(f"{CLUSTER}/sql/query", {"sql": "SELECT 1;"}, accept="text/event-stream")
        assert query.text.startswith('event: problem\ndata: {"message":"KSQL cannot be asked: ')
        shown = console.get(f"{CLUSTER}/pipelines").json()
        assert (shown["items"], len(shown["problems"])) == ([], 2)
    finally:
        console.stop()


@pytest.mark.parametrize(
    ("reply", "status", "says"),
    [
        (Reply(content="what"), 502, "what cannot be understood"),
        (Reply(content={"a": {"b": 1}}), 502, "what cannot be understood"),
        (Reply(status=500, content={"error_code": 50001, "message": "no log"}), 502, "failed: no log"),
        (Reply(status=302, headers={"Location": "http://169.254.169.254/"}), 502, "302 Found"),
        (Reply(status=401, content={"message": "who are you"}), 502, "does not take the console's login"),
        (Reply(status=409, content={"error_code": 409, "message": "rebalancing"}), 409, "rebalancing"),
    ],
)
def test_a_service_that_answers_something_else(
    brokers: KafkaCluster, api: HttpApi, reply: Reply, status: int, says: str
) -> None:
    api.answer = lambda request: reply
    console = console_with(brokers, api.url)
    try:
        for path in PATHS:
            answer = console.get(f"{CLUSTER}/{path}")
            assert (answer.status_code, says in answer.json()["message"]) == (status, True), answer.text
        assert all(request.headers["host"] == api.url.removeprefix("http://") for request in api.requests)
    finally:
        console.stop()


def test_a_service_that_is_slow_is_waited_for_no_longer_than_said(brokers: KafkaCluster, api: HttpApi) -> None:
    is_over = threading.Event()

    def slowly(request: Request) -> Reply:
        is_over.wait(30)
        return Reply(content=[])

    api.answer = slowly
    console = console_with(brokers, api.url, riacho_console_timeout_ms="200")
    try:
        answer = console.get(f"{CLUSTER}/schemas")
        assert (answer.status_code, "did not answer within 0.2 s" in answer.json()["message"]) == (503, True)
    finally:
        is_over.set()
        console.stop()


def test_the_last_answer_is_shown_with_why_it_is_old(brokers: KafkaCluster, api: HttpApi) -> None:
    def answer(request: Request) -> Reply:
        if request.path == "/subjects":
            return Reply(content=["a"])
        return Reply(
            content=[1]
            if request.path.endswith("/versions")
            else {"subject": "a", "version": 1, "id": 1, "schema": "x"}
        )

    api.answer = answer
    console = console_with(brokers, api.url)
    try:
        assert console.get(f"{CLUSTER}/schemas").json()["stale_reason"] is None
        api.answer = lambda request: Reply(status=503, content={"message": "no leader"})
        console.cluster.services.schema_registry.names.forget()
        page = console.get(f"{CLUSTER}/schemas").json()
        assert ([row["subject"] for row in page["items"]], page["total"]) == (["a"], 1)
        assert page["stale_reason"] == "The schema registry failed: no leader"
    finally:
        console.stop()


def test_the_next_address_is_asked_where_the_first_is_gone(brokers: KafkaCluster, api: HttpApi) -> None:
    api.answer = lambda request: Reply(content=[])
    console = console_with(brokers, f"http://127.0.0.1:{free_port()},{api.url}")
    try:
        assert console.get(f"{CLUSTER}/schemas").json()["total"] == 0
        assert console.get(f"{CLUSTER}/connector-plugins").json() == []
    finally:
        console.stop()


def test_a_change_that_may_have_been_made_is_not_sent_elsewhere(api: HttpApi) -> None:
    has_asked = threading.Event()
    calls: list[str] = []

    def slowly(request: Request) -> Reply:
        calls.append(request.path)
        has_asked.wait(5)
        return Reply(content={})

    api.answer = slowly
    loop = LoopThread()
    service = HttpService("Connect", [api.url, api.url], timeout_s=0.1)
    try:
        with pytest.raises(ApiError, match="did not answer"):
            loop.run(service.ask("POST", "connectors", body={}))
        assert calls == ["/connectors"]
    finally:
        has_asked.set()
        service.close()
        loop.stop()


def test_so_many_calls_at_a_time(api: HttpApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riacho.console.services.http_service.CALLS_MAX", 0)
    loop = LoopThread()
    service = HttpService("Connect", [api.url], timeout_s=1)
    try:
        with pytest.raises(ApiError, match="Too many questions to Connect"):
            loop.run(service.get("connectors"))
    finally:
        service.close()
        loop.stop()


def test_names_are_segments() -> None:
    assert path_of("a", "b/c?d#e", 1) == "/a/b%2Fc%3Fd%23e/1"
    for name in ("", ".", "..", "x" * 1_001, "\ud800"):
        with pytest.raises(ApiError):
            path_of("a", name)


def test_what_failed_is_not_asked_for_again_at_once() -> None:
    asked: list[int] = []
    now_ms = [0]

    async def ask() -> str:
        asked.append(1)
        raise ApiError(503, 503, "away")

    async def twice() -> None:
        kept = Kept(ask, 1_000, lambda: now_ms[0])
        for _ in range(2):
            with pytest.raises(ApiError, match="away"):
                await kept.now()
        now_ms[0] = 2_000
        with pytest.raises(ApiError, match="away"):
            await kept.now()

    loop = LoopThread()
    loop.run(twice())
    loop.stop()
    assert len(asked) == 2
