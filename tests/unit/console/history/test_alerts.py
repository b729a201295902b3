"""Alerts fire and are resolved with patience; what is not known changes nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response

from riacho.console.clusters.picture import BrokerFacts, GroupFacts, PartitionFacts, Picture, TopicFacts
from riacho.console.history.alert_rules import DEFAULTS, Rule, RuleFile
from riacho.console.history.alerts import FIRING, RESOLVED, STATES_MAX, Alert, Alerts
from riacho.testing import KafkaCluster
from riacho.web.answers import json_answer
from riacho.web.app import App
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from support.control_center import CLUSTER, ControlCenterService
from support.web_service import running

LAG = Rule(name="lag", kind="lag", above=100, for_s=10)


def picture(
    groups: dict[str, int | None] | None = None,
    *,
    brokers: tuple[BrokerFacts, ...] = (),
    under_replicated: int = 0,
    offline: int = 0,
    replicas: tuple[int, ...] = (1,),
) -> Picture:
    named = {name: GroupFacts(name, "consumer", "STABLE", None, 1, 1, {}, lag) for name, lag in (groups or {}).items()}
    partition = PartitionFacts(0, 1, replicas, replicas, ())
    topic = TopicFacts("t", b"1", False, (partition,), 1, under_replicated, offline, None)
    return Picture(
        as_of_ms=0, cluster_id="c", brokers={each.id: each for each in brokers}, topics={"t": topic}, groups=named
    )


def broker(broker_id: int, is_fenced: bool = False) -> BrokerFacts:
    return BrokerFacts(broker_id, "h", 1, None, is_fenced, 0, 0, 0)


def step(alerts: Alerts, seen: Picture | None, now_s: float, **known: Any) -> list[tuple[str, str]]:
    usual: dict[str, Any] = {"is_up": True, "failed": {}}
    told = alerts.step(seen, now_ms=int(now_s * 1000) + 1, **{**usual, **known})
    return [(each.state, each.target) for each in told]


def test_it_fires_after_its_time_and_is_resolved_after_as_long() -> None:
    alerts = Alerts([LAG])
    assert step(alerts, picture({"g": 101}), 0) == []
    assert step(alerts, picture({"g": 500}), 9) == []
    assert step(alerts, picture({"g": 700}), 10) == [(FIRING, "g")]
    assert step(alerts, picture({"g": 900}), 13) == []
    [firing] = alerts.firing()
    assert (firing.value, firing.above, firing.since_ms) == (900, 100, 1)
    assert step(alerts, picture({"g": 100}), 20) == []
    assert step(alerts, picture({"g": 0}), 29) == []
    assert step(alerts, picture({"g": 0}), 30) == [(RESOLVED, "g")]
    assert alerts.firing() == []
    assert [each.state for each in alerts.recent] == [FIRING, RESOLVED]


def test_what_comes_and_goes_neither_fires_nor_is_resolved_each_time() -> None:
    alerts = Alerts([LAG])
    for now_s in range(0, 100, 5):
        assert step(alerts, picture({"g": 500 if now_s % 10 else 0}), now_s) == []
    step(alerts, picture({"g": 500}), 100)
    assert step(alerts, picture({"g": 500}), 110) == [(FIRING, "g")]
    for now_s in range(111, 200, 5):
        assert step(alerts, picture({"g": 500 if now_s % 2 else 0}), now_s) == []


def test_unknown_leaves_it_as_it_was() -> None:
    alerts = Alerts([LAG])
    step(alerts, picture({"g": 500}), 0)
    step(alerts, picture({"g": 500}), 10)
    for now_s in range(11, 100, 10):
        assert step(alerts, picture({"g": None}), now_s) == []
        assert step(alerts, picture({"g": 500}), now_s + 1, is_up=False) == []
    assert [each.target for each in alerts.firing()] == ["g"]
    assert step(alerts, picture({}), 200) == []
    assert step(alerts, picture({}), 210) == [(RESOLVED, "g")], "a group that is gone lags no more"


@pytest.mark.parametrize(
    ("target", "found"), [("", ["a-1", "a-2", "b"]), ("a-*", ["a-1", "a-2"]), ("b", ["b"]), ("*", ["a-1", "a-2", "b"])]
)
def test_rules_are_about_some(target: str, found: list[str]) -> None:
    alerts = Alerts([Rule(name="x", kind="lag", above=1, for_s=0, target=target)])
    assert [each for _, each in step(alerts, picture({"a-1": 9, "a-2": 9, "b": 9}), 0)] == found


def test_partitions() -> None:
    alerts = Alerts([Rule(name="u", kind="under_replicated", for_s=0), Rule(name="o", kind="offline", for_s=0)])
    assert step(alerts, picture(under_replicated=3), 0) == [(FIRING, "")]
    assert step(alerts, picture(under_replicated=3, offline=1), 1) == [(FIRING, "")]
    assert sorted(each.kind for each in alerts.firing()) == ["offline", "under_replicated"]
    assert step(alerts, picture(), 2) == [(RESOLVED, ""), (RESOLVED, "")]


def test_brokers_that_are_fenced_or_gone() -> None:
    alerts = Alerts([Rule(name="b", kind="broker_down", for_s=0)])
    assert step(alerts, picture(brokers=(broker(1), broker(2), broker(3)), replicas=(1, 2)), 0) == []
    assert step(alerts, picture(brokers=(broker(1), broker(2, True), broker(3)), replicas=(1, 2)), 1) == [(FIRING, "2")]
    assert step(alerts, picture(brokers=(broker(1),), replicas=(1, 2)), 2) == []
    assert [each.target for each in alerts.firing()] == ["2"], "3 has gone for good: nothing counts on it"
    assert step(alerts, picture(brokers=(broker(1), broker(2)), replicas=(1, 2)), 3) == [(RESOLVED, "2")]


def test_a_query_has_failed_or_not_whatever_the_number() -> None:
    alerts = Alerts([Rule(name="q", kind="failed_queries", above=5, for_s=0)])
    assert step(alerts, picture(), 0, failed={"failed_queries": {"a": 1, "b": 0}}) == [(FIRING, "a")]
    assert step(alerts, picture(), 1, failed={"failed_queries": None}) == []
    assert step(alerts, picture(), 2, failed={"failed_queries": {"a": 0, "b": 0}}) == [(RESOLVED, "a")]


def test_failed_tasks_and_a_cluster_that_is_down() -> None:
    alerts = Alerts([Rule(name="f", kind="failed_tasks", for_s=0), Rule(name="c", kind="cluster_down", for_s=0)])
    assert step(alerts, picture(), 0, failed={"failed_tasks": {"sink": 2, "source": 0}}) == [(FIRING, "sink")]
    assert step(alerts, picture(), 1, failed={"failed_tasks": None}, is_up=False) == [(FIRING, "")]
    assert step(alerts, picture(), 2, failed={"failed_tasks": {"sink": 0}}) == [(RESOLVED, "sink"), (RESOLVED, "")]


def test_states_are_bounded() -> None:
    alerts = Alerts([Rule(name="x", kind="lag", above=0, for_s=0)])
    step(alerts, picture({f"g{n}": 5 for n in range(10_000)}), 0)
    assert len(alerts.firing()) == STATES_MAX


def test_other_rules_and_those_that_are_off() -> None:
    alerts = Alerts([Rule(name="x", kind="lag", above=1, for_s=0), LAG])
    step(alerts, picture({"g": 500}), 0)
    alerts.set_rules([LAG])
    assert alerts.firing() == []
    assert step(alerts, picture({"g": 500}), 10) == [(FIRING, "g")], "what stayed goes on where it was"
    alerts.set_rules([Rule(name="lag", kind="lag", above=100, for_s=10, is_on=False)])
    assert step(alerts, picture({"g": 500}), 20) == []


def test_rules_are_kept_and_a_broken_file_is_no_end(tmp_path: Path) -> None:
    file = RuleFile(tmp_path, "../../etc/passwd")
    assert file.load() == list(DEFAULTS)
    file.save([LAG])
    assert file.load() == [LAG]
    [path] = tmp_path.iterdir()
    assert path.stat().st_mode & 0o077 == 0
    path.write_text('[{"name": ')
    assert file.load() == list(DEFAULTS)


def test_an_alert_says_what_and_since_when() -> None:
    alerts = Alerts([Rule(name="x", kind="lag", above=1, for_s=0, webhook="ops")])
    [told] = alerts.step(picture({"g": 9}), is_up=True, failed={}, now_ms=5)
    assert told == Alert(
        rule="x", kind="lag", target="g", state=FIRING, value=9, above=1, since_ms=5, at_ms=5, webhook="ops"
    )


async def _connectors(call: Call) -> Response:
    tasks = [{"id": number, "state": state, "worker_id": "w"} for number, state in enumerate(("FAILED", "RUNNING"))]
    status = {"connector": {"state": "RUNNING", "worker_id": "w"}, "tasks": tasks}
    return json_answer({"sink": {"info": {"config": {}, "type": "sink"}, "status": status}})


async def _queries(call: Call) -> Response:
    told = [{"id": "CTAS_A_0", "state": "RUNNING"}, {"id": "CTAS_B_1", "state": "ERROR"}]
    return json_answer([{"@type": "queryDescriptions", "queryDescriptions": told}])


@pytest.mark.parametrize(
    ("kind", "setting", "endpoint", "target"),
    [
        ("failed_tasks", "connect.url", Endpoint("GET", "/connectors", _connectors, "Connectors."), "sink"),
        ("failed_queries", "ksql.url", Endpoint("POST", "/ksql", _queries, "Statements."), "CTAS_B_1"),
    ],
)
def test_what_has_failed_is_asked_of_its_service(
    brokers: KafkaCluster, kind: str, setting: str, endpoint: Endpoint, target: str
) -> None:
    with running(App("service", [endpoint])) as server:
        console = ControlCenterService(brokers.bootstrap_servers, {setting: server.urls[0]})
        try:
            alerts = console.center.parts.alerting.of("default")
            rule = {"name": "failed", "kind": kind, "for_s": 0}
            assert console.call("PUT", f"{CLUSTER}/alerts", {"rules": [rule]}).status_code == 200

            async def asked() -> None:
                assert alerts._asking is not None
                await asyncio.wait({alerts._asking})

            console.look()
            console.thread.run(asked())
            console.look()
            [firing] = console.get(f"{CLUSTER}/alerts/firing").json()["firing"]
            assert (firing["target"], firing["value"]) == (target, 1)
        finally:
            console.stop()
