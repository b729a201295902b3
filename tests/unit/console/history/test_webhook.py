"""Alerts are told to the URLs that the settings file has, signed, and again where that failed; nowhere else."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from riacho.base.backoff import Backoff
from riacho.base.config import ConfigError
from riacho.console.history.alerts import Alert
from riacho.console.history.webhook import Webhook, Webhooks, signature, webhooks_of
from riacho.testing import KafkaCluster
from support.control_center import CLUSTER, ControlCenterService
from support.rest_proxy_world import LoopThread
from support.webhook_receiver import Receiver

ALERT = Alert(rule="r", kind="lag", target="g", state="firing", value=9, above=1, since_ms=1, at_ms=2, webhook="ops")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


class Telling:
    def __init__(self, url: str, secret: str = "key") -> None:
        self.thread = LoopThread()
        self.thread.run(self._start(url, secret))

    async def _start(self, url: str, secret: str) -> None:
        self.webhooks = Webhooks({"ops": Webhook("ops", url, secret)}, lambda: 77, Backoff(1, 5))
        self.webhooks.start()

    def tell(self, alert: Alert) -> None:
        self.thread.run(self._tell(alert))

    async def _tell(self, alert: Alert) -> None:
        self.webhooks.tell("c1", alert)

    def close(self) -> None:
        self.thread.run(self.webhooks.stop())
        self.thread.stop()


@pytest.fixture
def telling(receiver: Receiver) -> Iterator[Telling]:
    made = Telling(receiver.url)
    yield made
    made.close()


def test_an_alert_is_told_and_signed(telling: Telling, receiver: Receiver) -> None:
    telling.tell(ALERT)
    receiver.wait(1)
    [(headers, body)] = receiver.got
    assert json.loads(body)["cluster"] == "c1"
    assert json.loads(body)["target"] == "g"
    assert headers["x-riacho-timestamp"] == "77"
    assert headers["x-riacho-signature"] == signature("key", "77", body)
    assert headers["content-type"] == "application/json"


def test_it_is_tried_again_where_that_may_help(telling: Telling, receiver: Receiver) -> None:
    receiver.statuses = [500, 503, 429, 200]
    telling.tell(ALERT)
    receiver.wait(4)
    receiver.statuses = [400]
    telling.tell(ALERT)
    telling.tell(ALERT)
    receiver.wait(6)
    assert len(receiver.got) == 6, "what is refused for good is not sent again"


def test_a_redirect_is_not_followed(telling: Telling, receiver: Receiver) -> None:
    inside = Receiver()
    try:
        receiver.location = inside.url
        for status in (301, 302, 307, 308):
            receiver.statuses = [status]
            delivery = telling.thread.run(telling.webhooks.send_test("ops", "c1"))
            assert (delivery.is_delivered, delivery.status) == (False, status)
        assert inside.got == []
    finally:
        inside.close()


def test_what_cannot_be_reached_is_told_without_its_url() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    telling = Telling(f"http://127.0.0.1:{port}/hook?token=s3cr3t")
    try:
        delivery = telling.thread.run(telling.webhooks.send_test("ops", "c1"))
        assert (delivery.is_delivered, delivery.status) == (False, None)
        assert "s3cr3t" not in str(delivery)
        assert "s3cr3t" not in repr(telling.webhooks._webhooks)
    finally:
        telling.close()


def test_those_that_wait_are_bounded(receiver: Receiver) -> None:
    telling = Telling(receiver.url)
    try:

        async def many() -> int:
            for _ in range(5_000):
                telling.webhooks.tell("c1", ALERT)
            return len(telling.webhooks._waiting)

        assert telling.thread.run(many()) <= 200
    finally:
        telling.close()


@pytest.mark.parametrize(
    ("properties", "problem"),
    [
        ({"webhooks": "ops"}, "url is not an http"),
        ({"webhooks": "ops", "webhook.ops.url": "file:///etc/passwd"}, "url is not an http"),
        ({"webhooks": "o/s", "webhook.o/s.url": "http://x"}, "is no name"),
    ],
)
def test_settings_that_cannot_be_used(properties: dict[str, str], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        webhooks_of(properties)


def fall_behind(brokers: KafkaCluster, name: str, count: int) -> None:
    producer = Producer({"bootstrap.servers": brokers.bootstrap_servers})
    for _ in range(count):
        producer.produce(f"topic-of-{name}", b"v", partition=0)
    producer.flush()
    consumer = Consumer({"bootstrap.servers": brokers.bootstrap_servers, "group.id": name})
    consumer.commit(offsets=[TopicPartition(f"topic-of-{name}", 0, 1)], asynchronous=False)
    consumer.close()


def test_rules_by_http_and_no_url_but_the_files(brokers: KafkaCluster, receiver: Receiver, tmp_path: Path) -> None:
    own = {
        "riacho.console.webhooks": "ops",
        "riacho.console.webhook.ops.url": receiver.url,
        "riacho.console.webhook.ops.secret": "key",
        "riacho.console.dir": str(tmp_path),
    }
    console = ControlCenterService(brokers.bootstrap_servers, own)
    try:
        settings = console.get(f"{CLUSTER}/alerts").json()
        assert settings["webhooks"] == ["ops"]
        assert "s3cr3t" not in json.dumps(settings)
        for webhook in ("http://169.254.169.254/latest", receiver.url, "other", ""):
            rules = {"rules": [{"name": "x", "kind": "lag", "webhook": webhook}]}
            assert console.call("PUT", f"{CLUSTER}/alerts", rules).status_code == 422
            assert console.post(f"{CLUSTER}/alerts/test", {"webhook": webhook}).status_code == 404
        twice = {"rules": [{"name": "x", "kind": "lag"}] * 2}
        assert console.call("PUT", f"{CLUSTER}/alerts", twice).status_code == 422
        for bad in (
            {"name": "", "kind": "lag"},
            {"name": "x", "kind": "evil"},
            {"name": "x", "kind": "lag", "for_s": -1},
        ):
            assert console.call("PUT", f"{CLUSTER}/alerts", {"rules": [bad]}).status_code == 422
        assert console.post(f"{CLUSTER}/alerts/test", {"webhook": "ops"}).json()["is_delivered"] is True
        fall_behind(brokers, "behind", 20)
        rules = [{"name": "late", "kind": "lag", "above": 5, "for_s": 0, "webhook": "ops", "target": "beh*"}]
        rules.append({"name": "later", "kind": "lag", "above": 500, "for_s": 0})
        assert console.call("PUT", f"{CLUSTER}/alerts", {"rules": rules}).status_code == 200
        assert [each["name"] for each in console.get(f"{CLUSTER}/alerts").json()["rules"]] == ["late", "later"]
        console.look()
        firing = console.get(f"{CLUSTER}/alerts/firing").json()
        assert [(each["rule"], each["target"], each["value"]) for each in firing["firing"]] == [("late", "behind", 19)]
        assert [each["state"] for each in firing["recent"]] == ["firing"]
        receiver.wait(2)
        told = json.loads(receiver.got[1][1])
        assert (told["cluster"], told["rule"], told["state"]) == ("default", "late", "firing")
    finally:
        console.stop()
    again = ControlCenterService(brokers.bootstrap_servers, own)
    try:
        assert [each["name"] for each in again.get(f"{CLUSTER}/alerts").json()["rules"]] == ["late", "later"]
    finally:
        again.stop()
