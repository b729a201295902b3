"""What names of any length and kind do to the logs."""

from __future__ import annotations

import pytest

from riacho.broker.access.audit import audit_denials
from riacho.broker.handlers.table import BY_KEY
from riacho.broker.requests.later import Later
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.heartbeat_response import HeartbeatResponse
from support.broker_fakes import FakeBroker, LogLines, api, connect, request_frame


def test_names_of_any_length_do_not_fill_the_audit_log() -> None:
    broker = FakeBroker()
    lines = LogLines()
    broker.logs.audit.addHandler(lines)
    ctx = broker.new_context("", "")
    ctx.client_id = "c" * 30_000
    ctx.denials = [(AclOperation.READ, AclResourceType.TOPIC, f"{at}{'t' * 30_000}") for at in range(30)]
    audit_denials(broker.logs, ctx, BY_KEY[1])
    [line] = lines.lines
    assert len(line) < 10_000
    assert "more=10" in line


def test_what_is_denied_late_is_on_record_with_its_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """A transactional write is asked about after its coordinator was."""
    waiting = Later()
    monkeypatch.setitem(BY_KEY, 12, api(12, lambda ctx, request: waiting))
    broker = FakeBroker()
    lines = LogLines()
    broker.logs.audit.addHandler(lines)
    connection, _ = connect(broker.listener())
    connection.data_received(request_frame(HeartbeatRequest(), 4))
    connection.context.denials.append((AclOperation.WRITE, AclResourceType.TOPIC, "orders"))
    waiting.resolve(HeartbeatResponse())
    denied = [line for line in lines.lines if "denied" in line]
    assert len(denied) == 1
    assert "api=Heartbeat" in denied[0]
    assert "needs=WRITE:TOPIC:orders" in denied[0]


def test_a_name_with_a_line_break_stays_in_its_line_of_the_access_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BY_KEY, 12, api(12, lambda ctx, request: HeartbeatResponse()))
    broker = FakeBroker()
    connection, _ = connect(broker.listener())
    connection.context.principal = "User:eve\n2026-01-01 INFO all is well"
    connection.data_received(request_frame(HeartbeatRequest(), 4))
    [line] = broker.access_lines
    assert "\n" not in line
