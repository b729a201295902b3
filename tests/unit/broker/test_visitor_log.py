"""The agent log and the referrer log, written by the connections of clients."""

from __future__ import annotations

from typing import Any

from riacho.base.log_fields import fields
from riacho.wire.messages.api_versions_request import ApiVersionsRequest
from riacho.wire.messages.metadata_request import MetadataRequest
from support.broker_fakes import FakeBroker, ServingListener, connect, request_frame, visitor_lines

API_VERSIONS, METADATA = 18, 3


class Clients:
    def __init__(self) -> None:
        self.broker = FakeBroker()
        self.listener: ServingListener = self.broker.listener()
        self.agents, self.referrers = visitor_lines(self.broker.logs)

    def came(self, version: str | None = "2.11.0", host: str = "10.0.0.9", client_id: str | None = "app") -> Any:
        connection, _ = connect(self.listener, host)
        is_named = version is not None
        asked = ApiVersionsRequest(client_software_name="librdkafka", client_software_version=version or "")
        connection.data_received(request_frame(asked, 4 if is_named else 2, client_id=client_id))
        return connection

    def new_lines(self) -> tuple[list[str], list[str]]:
        lines = self.agents[:], self.referrers[:]
        self.agents.clear()
        self.referrers.clear()
        return lines


def ask(connection: Any, client_id: str | None = "app") -> None:
    connection.data_received(request_frame(MetadataRequest(topics=[]), 12, client_id=client_id))


def test_one_line_for_each_that_is_new() -> None:
    clients = Clients()
    who = "listener=PLAINTEXT host=10.0.0.9 principal=User:ANONYMOUS client_id=app"
    for _ in range(3):
        connection = clients.came()
        ask(connection)
        connection.connection_lost(None)
    assert clients.new_lines() == (
        [f"INFO agent first seen agent=librdkafka/2.11.0 {who}"],
        [f"INFO referrer first seen {who} agent=librdkafka/2.11.0"],
    )
    clients.came(host="10.0.0.10")
    assert [len(lines) for lines in clients.new_lines()] == [0, 1]
    clients.came(version="2.12.0")
    assert clients.new_lines() == (
        [f"INFO agent first seen agent=librdkafka/2.12.0 {who}"],
        [f"INFO referrer has another agent {who} agent=librdkafka/2.12.0 before=librdkafka/2.11.0"],
    )


def test_a_client_that_does_not_tell_its_software() -> None:
    clients = Clients()
    connection = clients.came(version=None)
    assert clients.new_lines() == ([], [])
    ask(connection)
    agents, referrers = clients.new_lines()
    assert (fields(agents[0])["agent"], fields(referrers[0])["agent"]) == ("-", "-")


def test_one_that_asked_in_a_version_of_tomorrow_is_asked_again() -> None:
    clients = Clients()
    connection, _ = connect(clients.listener)
    frame = bytearray(request_frame(ApiVersionsRequest(client_software_name="new", client_software_version="9"), 4))
    frame[6:8] = (99).to_bytes(2, "big")
    connection.data_received(frame)
    assert clients.new_lines() == ([], [])
    asked = ApiVersionsRequest(client_software_name="new", client_software_version="9")
    connection.data_received(request_frame(asked, 4))
    assert "agent=new/9" in clients.new_lines()[0][0]


def test_what_was_asked_is_told_now_and_then() -> None:
    clients = Clients()
    connection = clients.came()
    for _ in range(4):
        ask(connection)
    clients.new_lines()
    clients.broker.visitor_log.report()
    (agent,), (referrer,) = clients.new_lines()
    assert agent.startswith("INFO agent seen agent=librdkafka/2.11.0 first=")
    assert referrer.startswith(
        "INFO referrer seen listener=PLAINTEXT host=10.0.0.9 principal=User:ANONYMOUS client_id=app"
    )
    figures = fields(referrer)
    assert (figures["requests"], figures["connections"], figures["open"]) == ("5", "1", "1")
    received = sum(len(request_frame(MetadataRequest(topics=[]), 12, client_id="app")) - 4 for _ in range(4))
    assert int(figures["request_bytes"]) > received
    assert int(figures["response_bytes"]) > 0
    assert fields(agent)["requests"] == "5"
    clients.broker.visitor_log.report()
    assert clients.new_lines() == ([], [])


def test_it_is_told_by_the_clock_and_at_the_end() -> None:
    clients = Clients()
    log, loop = clients.broker.visitor_log, clients.broker.loop
    log.start(loop)
    assert loop.timers[-1].delay_s == 3_600
    connection = clients.came()
    clients.new_lines()
    loop.timers[-1].fire()
    assert [len(lines) for lines in clients.new_lines()] == [1, 1]
    ask(connection)
    log.close()
    assert loop.timers[-1].is_cancelled
    assert [len(lines) for lines in clients.new_lines()] == [1, 1]
    log.close()
    assert clients.new_lines() == ([], [])


def test_times_are_those_of_the_wall() -> None:
    clients = Clients()
    connection = clients.came()
    clients.broker.clock.at_ms += 90_000
    ask(connection)
    clients.new_lines()
    clients.broker.visitor_log.report()
    seen = fields(clients.new_lines()[1][0])
    minutes, seconds = (int(seen["last"][-n:][:2]) - int(seen["first"][-n:][:2]) for n in (5, 2))
    assert (minutes * 60 + seconds) % 3_600 == 90


def test_a_client_with_a_new_id_in_each_request_leaves_a_bounded_number_of_lines() -> None:
    clients = Clients()
    connection = clients.came()
    for number in range(300):
        ask(connection, f"id-{number}\x1b[31m")
    agents, referrers = clients.new_lines()
    assert len(agents) == 1
    assert len(referrers) == 101
    assert all(line.isprintable() for line in referrers)
    assert referrers[-1].startswith("WARNING referrers are too many to tell apart listener=PLAINTEXT host=10.0.0.9")
    assert len(clients.broker.metrics.visitors) == 101
    assert sum(visitor.open for visitor in clients.broker.metrics.visitors.all()) == 1
    connection.connection_lost(None)
    assert sum(visitor.open for visitor in clients.broker.metrics.visitors.all()) == 0
    clients.broker.visitor_log.report()
    requests = sum(int(fields(line)["requests"]) for line in clients.new_lines()[1])
    assert requests == 301


def test_strangers_leave_no_line() -> None:
    """Who has not logged in may call himself anything."""
    clients = Clients()
    connection = clients.came(client_id="first")
    clients.new_lines()

    class NotYet:
        is_complete = False

        def takes(self, frame: bytearray) -> bool:
            return False

    connection.gate = NotYet()
    ask(connection, "someone else")
    assert clients.new_lines() == ([], [])
