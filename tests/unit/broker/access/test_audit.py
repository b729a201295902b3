"""The audit log: who was denied what, who changed what, one line each."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.broker.access.audit import CHANGES, audit_denials, audited
from riacho.broker.handlers.table import BY_KEY
from riacho.broker.logs import Logs
from riacho.broker.requests.later import Later
from riacho.broker.requests.request_context import RequestContext
from riacho.security.operations import AclOperation, AclResourceType
from riacho.wire.apis import request_class
from riacho.wire.messages.create_acls_request import AclCreation, CreateAclsRequest
from riacho.wire.messages.create_topics_request import CreatableTopic, CreateTopicsRequest
from riacho.wire.messages.create_topics_response import CreatableTopicResult, CreateTopicsResponse
from riacho.wire.messages.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from riacho.wire.messages.incremental_alter_configs_response import IncrementalAlterConfigsResponse
from support.broker_fakes import FakeBroker, LogLines
from support.wire_messages import RandomMessages

PRODUCE, CREATE_TOPICS, CREATE_ACLS, ALTER = BY_KEY[0], BY_KEY[19], BY_KEY[30], BY_KEY[44]
WHO = "principal=User:bob host=10.1.2.3 client_id=app"


class Denier:
    """Allows nothing."""

    def allows(self, *_: Any) -> bool:
        return False

    def authorize_by_resource_type(self, *_: Any) -> bool:
        return False


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def logs(lines: list[str]) -> Logs:
    audit = logging.Logger("audit")
    handler = LogLines()
    handler.lines = lines
    audit.addHandler(handler)
    quiet = logging.Logger("quiet")
    return Logs(quiet, quiet, audit)


@pytest.fixture
def ctx() -> RequestContext:
    broker = FakeBroker()
    broker.authorizer = Denier()
    context = broker.new_context("CLIENTS", "10.1.2.3")
    context.principal, context.client_id, context.version = "User:bob", "app", 7
    return context


def test_a_denied_request_is_one_line(logs: Logs, ctx: RequestContext, lines: list[str]) -> None:
    for topic in ("a", "b", "a"):
        assert not ctx.allows(AclOperation.WRITE, AclResourceType.TOPIC, topic)
    audit_denials(logs, ctx, PRODUCE)
    assert lines == [f"INFO denied {WHO} api=Produce version=7 needs=WRITE:TOPIC:a,WRITE:TOPIC:b"]
    assert ctx.denials == []


def test_questions_that_filter_a_listing_are_no_denials(logs: Logs, ctx: RequestContext) -> None:
    assert not ctx.allows(AclOperation.DESCRIBE, AclResourceType.TOPIC, "a", is_audited=False)
    assert ctx.allowed(AclOperation.DESCRIBE, AclResourceType.TOPIC, ["a", "b"], is_audited=False) == set()
    assert ctx.denials == []


def test_a_line_has_an_end(logs: Logs, ctx: RequestContext, lines: list[str]) -> None:
    for at in range(50):
        ctx.allows(AclOperation.READ, AclResourceType.TOPIC, f"t{at}")
    audit_denials(logs, ctx, PRODUCE)
    assert lines[0].endswith("READ:TOPIC:t19 more=30")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("a b", '"READ:GROUP:a b"'),
        ('x" principal=User:root', '"READ:GROUP:x\\" principal=User:root"'),
        ("line\nbreak", '"READ:GROUP:line\\nbreak"'),
        ("ümlaut", '"READ:GROUP:\\u00fcmlaut"'),
        ("", "READ:GROUP:"),
    ],
)
def test_nobody_writes_lines_of_his_own(
    logs: Logs, ctx: RequestContext, lines: list[str], name: str, told: str
) -> None:
    ctx.allows(AclOperation.READ, AclResourceType.GROUP, name)
    audit_denials(logs, ctx, PRODUCE)
    assert lines == [f"INFO denied {WHO} api=Produce version=7 needs={told}"]


def test_a_change_is_one_line_with_what_came_of_it(logs: Logs, ctx: RequestContext, lines: list[str]) -> None:
    request = CreateTopicsRequest(topics=[CreatableTopic(name="a"), CreatableTopic(name="b")])
    results = [
        CreatableTopicResult(name="a"),
        CreatableTopicResult(name="b", error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED),
    ]
    response = CreateTopicsResponse(topics=results)
    assert audited(logs, ctx, CREATE_TOPICS, request, response) is response
    response.topics.pop()
    audited(logs, ctx, CREATE_TOPICS, request, response)
    assert lines == [
        f"INFO change {WHO} api=CreateTopics version=7 target=a,b outcome=TOPIC_AUTHORIZATION_FAILED",
        f"INFO change {WHO} api=CreateTopics version=7 target=a,b outcome=ok",
    ]


def test_a_change_that_comes_later_is_told_when_it_came(logs: Logs, ctx: RequestContext, lines: list[str]) -> None:
    request = CreateTopicsRequest(topics=[CreatableTopic(name="a")])
    later = Later()
    outcome = audited(logs, ctx, CREATE_TOPICS, request, later)
    heard: list[Any] = []
    outcome.then(heard.append)
    assert lines == []
    later.resolve(CreateTopicsResponse())
    assert len(heard) == 1
    assert lines == [f"INFO change {WHO} api=CreateTopics version=7 target=a outcome=ok"]


def test_a_client_that_hangs_up_leaves_its_line(logs: Logs, ctx: RequestContext, lines: list[str]) -> None:
    abandoned: list[bool] = []
    later = Later(on_abandon=lambda: abandoned.append(True))
    outcome = audited(logs, ctx, CREATE_TOPICS, CreateTopicsRequest(topics=[CreatableTopic(name="a")]), later)
    outcome.then(lambda _: None)
    outcome.abandon()
    assert abandoned == [True]
    assert lines == [f"INFO change {WHO} api=CreateTopics version=7 target=a outcome=unknown"]


def test_settings_are_named_without_their_values(logs: Logs, ctx: RequestContext, lines: list[str]) -> None:
    secret = AlterableConfig(name="ssl.keystore.password", value="hush")
    request = IncrementalAlterConfigsRequest(
        resources=[AlterConfigsResource(resource_type=4, resource_name="1", configs=[secret])]
    )
    audited(logs, ctx, ALTER, request, IncrementalAlterConfigsResponse())
    assert "target=4:1:ssl.keystore.password outcome=ok" in lines[0]
    assert "hush" not in lines[0]


def test_entries_are_told_in_full(logs: Logs, ctx: RequestContext, lines: list[str]) -> None:
    acl = AclCreation(
        resource_type=2, resource_name="orders", principal="User:eve", host="*", operation=3, permission_type=2
    )
    audited(logs, ctx, CREATE_ACLS, CreateAclsRequest(creations=[acl]), None)
    assert "target=User:eve:DENY:READ:TOPIC:orders" in lines[0]


@pytest.mark.parametrize("key", CHANGES)
def test_every_change_can_be_told(key: int) -> None:
    cls = request_class(key)
    for version in range(cls.VERSIONS[0], cls.VERSIONS[1] + 1):
        assert all(isinstance(name, str) for name in CHANGES[key](RandomMessages(key).message(cls, version)))
