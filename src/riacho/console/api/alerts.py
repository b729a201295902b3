"""Alerts: the rules of a cluster, what fires now, and a test of a webhook."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from riacho.console.door.audit_log import note
from riacho.console.history.alert_rules import KINDS, RULES_MAX, Rule
from riacho.console.history.alerting import ClusterAlerts
from riacho.console.history.alerts import Alert
from riacho.console.history.webhook import Delivery
from riacho.console.parts import Parts
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError


class Rules(msgspec.Struct):
    rules: list[Rule]


class AlertSettings(msgspec.Struct):
    """`webhooks` are the names of those in the settings file."""

    rules: list[Rule]
    webhooks: list[str]
    kinds: list[str]


class Firing(msgspec.Struct):
    """`recent`: what fired or was resolved last, newest first."""

    firing: list[Alert]
    recent: list[Alert]


class WebhookTest(msgspec.Struct):
    webhook: str


def endpoints(parts: Parts) -> list[Endpoint]:
    alerting = parts.alerting

    def of(call: Call) -> ClusterAlerts:
        return alerting.of(parts.clusters.of(call).id)

    def settings(alerts: ClusterAlerts) -> Response:
        return json_answer(AlertSettings(alerts.alerts.rules, alerting.webhooks.names, list(KINDS)))

    async def get(call: Call) -> Response:
        return settings(of(call))

    async def put(call: Call) -> Response:
        alerts = of(call)
        given: Rules = await call.read(Rules)
        _check(given.rules, alerting.webhooks.names)
        note(call, rules=len(given.rules))
        try:
            alerts.set_rules(given.rules)
        except OSError as error:
            raise ApiError(500, 50001, f"The rules cannot be kept: {error.strerror}.") from None
        return settings(alerts)

    async def get_firing(call: Call) -> Response:
        alerts = of(call).alerts
        return json_answer(Firing(alerts.firing(), list(reversed(alerts.recent))))

    async def test(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        given: WebhookTest = await call.read(WebhookTest)
        note(call, webhook=given.webhook)
        if given.webhook not in alerting.webhooks.names:
            raise ApiError(404, 40405, "The settings file has no webhook of that name.")
        return json_answer(await alerting.webhooks.send_test(given.webhook, cluster.id))

    path = "/api/v1/clusters/{c}/alerts"
    return [
        Endpoint("GET", path, get, "The rules of alerts.", tag="alerts", answers={200: AlertSettings}),
        Endpoint("PUT", path, put, "Put other rules in their place.", tag="alerts", body=Rules,
                 answers={200: AlertSettings}, body_bytes_max=256 * 1024),
        Endpoint("GET", f"{path}/firing", get_firing, "What fires now, and what did of late.", tag="alerts",
                 answers={200: Firing}),
        Endpoint("POST", f"{path}/test", test, "Send a test to a webhook, once and now.", tag="alerts",
                 body=WebhookTest, answers={200: Delivery}),
    ]  # fmt: skip


def _check(rules: list[Rule], webhooks: list[str]) -> None:
    if len(rules) > RULES_MAX:
        raise ApiError(422, 42201, f"There may be {RULES_MAX} rules, not {len(rules)}.")
    names = [rule.name for rule in rules]
    if len(set(names)) < len(names):
        raise ApiError(422, 42201, "Two rules have the same name.")
    for rule in rules:
        if rule.webhook is not None and rule.webhook not in webhooks:
            raise ApiError(422, 42201, f"The settings file has no webhook {rule.webhook!r}.")
