"""Clients that call themselves followers."""

from __future__ import annotations

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.environment import SystemRng
from riacho.broker.fetch.fetch_sessions import FetchScope, FetchSessionCache
from riacho.broker.fetch.fetch_source import FetchSource
from riacho.broker.handlers import fetch
from riacho.broker.quotas.replication_quota import ReplicationQuotas
from riacho.security.standard_authorizer import StandardAuthorizer
from riacho.wire.messages.fetch_request import FetchRequest
from support.broker_fakes import FakeBroker
from support.parts import hosting_parts
from support.registered_brokers import broker_endpoints
from support.request_contexts import request_context


class NoSessions(FetchSessionCache):
    """Remembers whether a follower's was asked for, and opens none."""

    def __init__(self) -> None:
        super().__init__(0, 120_000, SystemRng())
        self.asked: list[bool] = []

    def open(self, request: FetchRequest, version: int, now_ms: int, is_follower: bool = False) -> FetchScope:
        self.asked.append(is_follower)
        raise KafkaError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)


def test_whoever_calls_himself_a_follower_gets_no_follower_s_place() -> None:
    broker, authorizer = FakeBroker(), StandardAuthorizer()
    authorizer.load({})
    broker.authorizer = authorizer
    sessions = NoSessions()
    source = FetchSource(
        replicas=broker.replicas,
        sessions=sessions,
        replica_selector=None,
        replication_quotas=ReplicationQuotas(1, broker.metadata),
        endpoints=broker_endpoints("host"),
        metrics=broker.metrics,
        clock=broker.clock,
        loop=broker.loop,
        size_bytes_max=broker.limits.fetch_size_bytes_max,
    )
    ctx = request_context(
        broker.parts, 12, hosting=hosting_parts(fetch_source=source), listener_name="", client_host=""
    )
    for principal in ("User:eve", "User:broker"):
        ctx.principal = principal
        fetch.handle(ctx, FetchRequest(replica_id=2))
        ctx.authorizer = StandardAuthorizer({"User:broker"})
    assert sessions.asked == [False, True]
