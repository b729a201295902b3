"""What somebody with bad intentions could do to a broker, and cannot."""

from __future__ import annotations

import base64
import json
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.sampled_rate import SampledRate
from riacho.broker.access.audit import audit_denials
from riacho.broker.config import BrokerConfig
from riacho.broker.handlers import fetch, metadata
from riacho.broker.handlers.table import BY_KEY
from riacho.broker.produce.produce_lane import offer_lane
from riacho.broker.quotas import client_quota
from riacho.broker.quotas.client_quota import ClientQuota
from riacho.broker.requests.addresses import canonical
from riacho.broker.requests.later import Later
from riacho.broker.requests.request_context import RequestContext
from riacho.broker.serving.tls_acceptor import TlsAcceptor
from riacho.metadata.credentials.delegation_token_requests import decide_create_token
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.security.oauth import OauthServer
from riacho.security.operations import AclOperation, AclResourceType
from riacho.security.sasl import SaslFailure
from riacho.security.standard_authorizer import StandardAuthorizer
from riacho.wire.messages.create_delegation_token_request import CreateDelegationTokenRequest
from riacho.wire.messages.fetch_request import FetchRequest
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.heartbeat_response import HeartbeatResponse
from riacho.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from riacho.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from riacho.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from riacho.wire.records import Record, build_batch
from support.broker_fakes import FakeBroker, LogLines, api, connect, request_frame
from support.metadata_broker import Context, MetadataBroker, run

IDLE_MS = 600_000


# --- lanes


def test_a_write_that_still_waits_to_be_allowed_opens_no_lane() -> None:
    """A transactional batch is put before its coordinator first, and only then is its topic asked for: a lane by then
    would take the next batch without any question."""
    broker: Any = FakeBroker()
    kept: list[object] = []
    hosted = SimpleNamespace(is_internal=False, rules=SimpleNamespace(appends_time=False), topic="t", index=0)
    broker.replicas = SimpleNamespace(known=lambda topic, index: hosted)
    broker.logs.logs_data_path = False
    connection: Any = SimpleNamespace(
        broker=broker, context=RequestContext(broker, "", ""), keep_lane=kept.append, listener=None
    )
    connection.context.version = 9
    records = bytes(build_batch([Record(offset_delta=0, timestamp_delta=0, key=None, value=b"v")], base_timestamp=0))
    data = TopicProduceData(name="t", partition_data=[PartitionProduceData(index=0, records=records)])
    request = ProduceRequest(transactional_id="x", acks=-1, timeout_ms=1, topic_data=[data])
    frame = bytearray(request_frame(request, 9))[4:]
    offer_lane(connection, frame, request, Later(is_exclusive=True))
    assert kept == []
    # One that was written and waits for its commit has been asked for.
    offer_lane(connection, frame, request, Later())
    assert len(kept) == 1


# --- connections that never end


def test_a_client_that_is_muted_for_years_does_not_keep_its_connection_for_years() -> None:
    broker = FakeBroker()
    listener = broker.listener()
    connection, transport = connect(listener)
    connection.mute(10**9)
    broker.clock.at_ms += IDLE_MS
    assert listener.close_idle(broker.clock.at_ms, IDLE_MS) == 0
    broker.clock.at_ms += 1
    assert listener.close_idle(broker.clock.at_ms, IDLE_MS) == 1
    assert transport.is_closing()


def test_a_request_that_waits_for_weeks_with_others_behind_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """While others are behind it the socket is not read, so nobody would see that the client is gone."""
    monkeypatch.setitem(BY_KEY, 12, api(12, lambda ctx, request: Later()))
    broker = FakeBroker()
    listener = broker.listener()
    alone, alone_transport = connect(listener)
    crowded, crowded_transport = connect(listener)
    alone.data_received(request_frame(HeartbeatRequest(), 4))
    crowded.data_received(request_frame(HeartbeatRequest(), 4) * 2)
    broker.clock.at_ms += IDLE_MS + 1
    listener.close_idle(broker.clock.at_ms, IDLE_MS)
    assert [alone_transport.is_closing(), crowded_transport.is_closing()] == [False, True]


def test_a_client_that_does_not_read_cannot_keep_a_closed_connection() -> None:
    broker = FakeBroker()
    connection, transport = connect(broker.listener())
    transport.unsent_size_bytes = 1
    connection.close()
    assert transport.is_closing()
    assert not transport.is_aborted
    [timer] = broker.loop.timers
    timer.fire()
    assert transport.is_aborted


def test_whoever_reads_all_is_closed_without_ado() -> None:
    broker = FakeBroker()
    connection, _ = connect(broker.listener())
    connection.close()
    assert broker.loop.timers == []


def test_room_is_made_by_somebody_who_has_not_gone_yet() -> None:
    broker = FakeBroker()
    for name in ("INSIDE", "A"):
        broker.listener(name)
    broker.connection_quotas.set_values(BrokerValues({"max.connections": "2"}))
    broker.config.inter_broker_listener_name = "INSIDE"
    gone, _ = connect(broker.listeners[1])
    other, other_transport = connect(broker.listeners[1])
    gone.last_request_ms, other.last_request_ms = 1, 2
    gone.close()
    connect(broker.listeners[0])
    assert other_transport.is_closing()


# --- addresses


@pytest.mark.parametrize("host", ["::ffff:10.0.0.9", "::FFFF:10.0.0.9"])
def test_a_client_of_version_4_has_one_address_at_every_listener(host: str) -> None:
    """Where a listener takes both versions a client's address of version 4 is shown as one of version 6, by which it
    would slip through entries and limits for its host."""
    broker = broker_with_limit_per_ip(1)
    connection, _ = connect(broker.listeners[0], host)
    assert connection.context.client_host == "10.0.0.9"
    assert connect(broker.listeners[0], "10.0.0.9")[1].is_aborted
    assert canonical(host) == "10.0.0.9"
    assert canonical("::1") == "::1"


def broker_with_limit_per_ip(count: int) -> FakeBroker:
    broker = FakeBroker()
    broker.listener()
    broker.connection_quotas.set_values(BrokerValues({"max.connections.per.ip": str(count)}))
    return broker


# --- handshakes


class UnfinishedTask:
    def add_done_callback(self, done: Any) -> None:
        """It never is."""

    def cancel(self) -> None:
        """Nothing to end."""


class AcceptingBroker(FakeBroker):
    def __init__(self) -> None:
        super().__init__()
        self.started: list[Any] = []
        self.loop.create_task = self._create_task

    def _create_task(self, work: Any) -> Any:
        work.close()
        task = UnfinishedTask()
        self.started.append(task)
        return task


def test_handshakes_under_way_count_against_the_limit_of_an_address() -> None:
    broker = AcceptingBroker()
    listener = broker.listener()
    broker.connection_quotas.set_values(BrokerValues({"max.connections.per.ip": "3"}))
    connect(listener, "10.0.0.9")
    listening = socket.socket()
    acceptor = TlsAcceptor(listener, listening)
    broker.started.clear()
    for host in ("10.0.0.9",) * 4 + ("10.0.0.8",):
        acceptor._begin(socket.socket(), host)
    assert len(broker.started) == 3
    assert broker.metrics.rejected_connections == 2
    acceptor.close()


# --- logins


def deep_token() -> str:
    """Its header is nested deeper than any parser goes."""
    header = base64.urlsafe_b64encode(b"[" * 40_000).decode().rstrip("=")
    return f"{header}.e30.c2ln"


def test_a_token_nested_too_deep_is_refused_like_any_other() -> None:
    pytest.importorskip("jwt")
    from riacho.security.jwt_validation import ClaimRules, signed_token_claims, validator

    keys = SimpleNamespace(keys=[])
    server = OauthServer(validator(lambda token: signed_token_claims(token, keys), ClaimRules()))  # type: ignore[arg-type]
    challenge = server.evaluate(f"n,,\x01auth=Bearer {deep_token()}\x01\x01".encode(), 0)
    assert json.loads(challenge) == {"status": "invalid_token"}
    with pytest.raises(SaslFailure):
        server.evaluate(b"\x01", 0)


@pytest.mark.parametrize("time", ["1e308", "1" + "0" * 400])
def test_a_time_beyond_all_times_is_refused_like_any_other(time: str) -> None:
    from riacho.security.jwt_validation import ClaimRules, unsecured_token_claims, validator

    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    header, claims = json.dumps({"alg": "none"}), '{"sub":"eve","exp":' + time + "}"
    token = f"{part(header)}.{part(claims)}."
    server = OauthServer(validator(unsecured_token_claims, ClaimRules(needs_issued_at=False)))
    challenge = server.evaluate(f"n,,\x01auth=Bearer {token}\x01\x01".encode(), 0)
    assert json.loads(challenge) == {"status": "invalid_token"}
    assert not server.is_complete


# --- logs


def test_names_of_any_length_do_not_fill_the_audit_log() -> None:
    broker: Any = FakeBroker()
    lines = LogLines()
    broker.logs.audit.addHandler(lines)
    ctx = RequestContext(broker, "", "")
    ctx.client_id = "c" * 30_000
    ctx.denials = [(AclOperation.READ, AclResourceType.TOPIC, f"{at}{'t' * 30_000}") for at in range(30)]
    audit_denials(ctx, BY_KEY[1])
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


# --- memory


def test_client_ids_made_up_by_the_thousand_share_a_meter_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_quota, "_METERS_MAX", 10)
    quota = ClientQuota("producer_byte_rate", lambda: SampledRate(11, 1000))
    quota.set_limits({(("client-id", None),): {"producer_byte_rate": 5.0}})
    meters = [quota.meter("User:eve", f"{at}", 0) for at in range(1_000)]
    assert len(list(quota.meters())) == 11
    assert meters[-1] is meters[-2]
    assert meters[-1] is not meters[0]
    assert meters[-1] is not None
    assert meters[-1].bound == 5.0


def test_a_client_id_of_any_length_costs_no_more_than_a_long_one() -> None:
    quota = ClientQuota("producer_byte_rate", lambda: SampledRate(11, 1000))
    quota.set_limits({(("client-id", None),): {"producer_byte_rate": 5.0}})
    meter = quota.meter("User:eve", "x" * 30_000, 0)
    assert meter is not None
    assert meter.client_id is not None
    assert len(meter.client_id) < 1_000


def test_answers_on_names_that_cannot_be_are_not_kept() -> None:
    authorizer = StandardAuthorizer()
    authorizer.load({})
    for name in ("t" * 30_000, "t"):
        assert not authorizer.allows("User:eve", "h", AclOperation.READ, AclResourceType.TOPIC, name)
    assert len(authorizer._answers) == 1


def test_whoever_calls_himself_a_follower_gets_no_follower_s_place() -> None:
    broker: Any = FakeBroker()
    broker.authorizer = StandardAuthorizer()
    broker.authorizer.load({})
    asked: list[bool] = []

    def no_session(request: Any, version: int, now_ms: int, is_follower: bool) -> Any:
        asked.append(is_follower)
        raise KafkaError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)

    broker.fetch_sessions = SimpleNamespace(open=no_session)
    ctx = RequestContext(broker, "", "")
    ctx.version = 12
    for principal in ("User:eve", "User:broker"):
        ctx.principal = principal
        fetch.handle(ctx, FetchRequest(replica_id=2))
        broker.authorizer = StandardAuthorizer({"User:broker"})
    assert asked == [False, True]


# --- changes by the back door


def test_topics_that_come_by_being_asked_for_count_as_changes(tmp_path: Path) -> None:
    broker = MetadataBroker(tmp_path, {"num.partitions": "50"})
    broker.quotas.set_limits(
        SimpleNamespace(client_quotas={(("user", None),): {"controller_mutation_rate": 1.0}})  # type: ignore[arg-type]
    )

    def ask(name: str) -> Any:
        request = MetadataRequest(topics=[MetadataRequestTopic(name=name)], allow_auto_topic_creation=True)
        return run(metadata.handle(Context(broker, 13), request))

    first, second = ask("one"), ask("two")
    assert first.topics[0].error_code == 0
    assert second.topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert second.throttle_time_ms > 0
    assert "two" not in broker.metadata.image.topics
    broker.close()


# --- tokens


def test_a_token_is_for_a_user_and_nothing_else() -> None:
    """Whoever logs in by it is that user, whatever kind of principal it was made for."""
    values = BrokerValues({"delegation.token.secret.key": "s"})
    request = CreateDelegationTokenRequest(owner_principal_type="Robot", owner_principal_name="admin")
    decision = decide_create_token(values, request, "User:eve", "id", 0)
    assert decision.reply.error_code == ErrorCode.INVALID_PRINCIPAL_TYPE
    assert decision.records == []


# --- whatever else goes wrong in a login


def test_a_mechanism_that_is_offered_and_not_there_ends_in_a_refusal() -> None:
    broker: Any = FakeBroker()
    settings = {"listeners": "SASL_PLAINTEXT://h:2", "sasl.enabled.mechanisms": "GSSAPI"}
    broker.config = BrokerConfig({"inter.broker.listener.name": "SASL_PLAINTEXT", **settings})
    broker.metadata = SimpleNamespace(values=broker.config.values)
    connection, transport = connect(broker.listener("SASL_PLAINTEXT"))
    connection.data_received(request_frame(SaslHandshakeRequest(mechanism="GSSAPI"), 1))
    broker.loop.timers[-1].fire()
    assert transport.is_closing()
    assert broker.metrics.authentications.failed == 1


def test_a_login_that_breaks_our_own_code_is_a_login_that_failed() -> None:
    broker: Any = FakeBroker()
    module = "org.apache.kafka.common.security.plain.PlainLoginModule"
    broker.config = BrokerConfig(
        {
            "listeners": "PLAINTEXT://h:1,SASL_PLAINTEXT://h:2",
            "sasl.enabled.mechanisms": "PLAIN",
            "listener.name.sasl_plaintext.plain.sasl.jaas.config": f'{module} required user_alice="secret";',
        }
    )
    broker.metadata = SimpleNamespace(values=broker.config.values)
    connection, transport = connect(broker.listener("SASL_PLAINTEXT"))
    connection.data_received(request_frame(SaslHandshakeRequest(mechanism="PLAIN"), 1))
    assert connection.gate is not None

    def break_down(response: bytes, now_ms: int) -> bytes:
        raise ZeroDivisionError

    connection.gate._server = SimpleNamespace(evaluate=break_down, is_complete=False)  # type: ignore[assignment]
    connection.data_received(request_frame(SaslAuthenticateRequest(auth_bytes=b"\0alice\0secret"), 2))
    broker.loop.timers[-1].fire()
    assert transport.is_closing()
    assert connection.context.principal == "User:ANONYMOUS"
    assert broker.metrics.authentications.failed == 1
    assert not any("secret" in line for line in broker.error_lines)
