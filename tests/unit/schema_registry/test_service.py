"""Changes that cannot be made here, or not at all: forwarded, or told in the original's words."""

from __future__ import annotations

import pytest
from starlette.responses import Response

from riacho.single_writer.errors import (
    LeaderUnreachable,
    LogError,
    LogTimeout,
    NotLeader,
    OutcomeUnknown,
    RecordTooLarge,
)
from riacho.web.answers import json_answer
from riacho.web.call import Call
from support.schema_registry import STRING, RegistryClient, error

CHANGES = {
    "register": ("POST", "/subjects/s/versions", {"schema": '"int"'}),
    "tag": ("POST", "/subjects/known/versions/1/tags", {}),
    "delete version": ("DELETE", "/subjects/known/versions/1", None),
    "delete subject": ("DELETE", "/subjects/known", None),
    "delete context": ("DELETE", "/contexts/.ctx", None),
    "update config": ("PUT", "/config", {"compatibility": "FULL"}),
    "delete config": ("DELETE", "/config", None),
    "update mode": ("PUT", "/mode", {"mode": "READONLY"}),
    "delete mode": ("DELETE", "/mode", None),
}
TIMED_OUT = {
    "register": "Register operation timed out",
    "tag": "Register operation timed out",
    "delete version": "Delete Schema Version operation timed out",
    "delete subject": "Delete Subject operation timed out",
    "delete context": "Delete Context operation timed out",
    "update config": "Update config operation timed out",
    "delete config": "Delete config operation timed out",
    "update mode": "Update mode operation timed out",
    "delete mode": "Delete mode operation timed out",
}
FAILED = {
    "register": "Register schema operation failed while writing to the Kafka store",
    "tag": "Register schema tags operation failed while writing to the Kafka store",
    "delete version": "Delete Schema Version operation failed while writing to the Kafka store",
    "delete subject": "Delete Subject operation failed while writing to the Kafka store",
    "delete context": "Delete Context operation failed while writing to the Kafka store",
    "update config": "Failed to update compatibility level",
    "delete config": "Failed to delete compatibility level",
    "update mode": "Failed to update mode",
    "delete mode": "Failed to delete mode",
}
FORWARDED = {"register": "register schema", "tag": "register schema tags", "delete version": "delete schema version"}
SETTINGS = ("update config", "delete config", "update mode", "delete mode")


@pytest.fixture
def registry() -> RegistryClient:
    client = RegistryClient()
    client.register("known", STRING)
    return client


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("failure", [LogTimeout("late"), OutcomeUnknown("who knows")])
def test_a_log_that_does_not_answer(registry: RegistryClient, change: str, failure: Exception) -> None:
    registry.replicated_log.failure = failure
    assert registry.call(*CHANGES[change]) == error(50002, TIMED_OUT[change])


@pytest.mark.parametrize("change", CHANGES)
def test_a_log_that_refuses(registry: RegistryClient, change: str) -> None:
    registry.replicated_log.failure = LogError("The log refused the change; nothing was written: Broker: no.")
    assert registry.call(*CHANGES[change]) == error(50001, FAILED[change])


def test_a_schema_that_is_too_large(registry: RegistryClient) -> None:
    registry.replicated_log.failure = RecordTooLarge("The log refused: Broker: Message size too large.")
    assert registry.call(*CHANGES["register"]) == error(42209, "Register operation failed because schema is too large")
    registry.replicated_log.failure = LogError("The log refused: the words too large mean nothing by themselves.")
    assert registry.call(*CHANGES["register"])[1]["error_code"] == 50001


@pytest.mark.parametrize("change", CHANGES)
def test_a_leader_that_cannot_be_reached(registry: RegistryClient, change: str) -> None:
    registry.replicated_log.is_leader = False
    registry.replicated_log.forwarded = LeaderUnreachable("The leader cannot be reached.")
    asked = FORWARDED.get(change, change)
    assert registry.call(*CHANGES[change]) == error(50003, f"Error while forwarding {asked} request to the leader")


@pytest.mark.parametrize("change", CHANGES)
def test_no_leader(registry: RegistryClient, change: str) -> None:
    registry.replicated_log.is_leader = False
    expected = FAILED[change] if change in SETTINGS else "Leader not known."
    assert registry.call(*CHANGES[change]) == error(50004, expected)


@pytest.mark.parametrize("change", CHANGES)
def test_a_follower_answers_what_the_leader_answers(registry: RegistryClient, change: str) -> None:
    seen: list[str] = []

    def answer(call: Call) -> Response:
        seen.append(f"{call.method} {call.scope['raw_path'].decode()}")
        return json_answer({"id": 7})

    registry.replicated_log.is_leader = False
    registry.replicated_log.forwarded = answer
    method, path, body = CHANGES[change]
    assert registry.call(method, path, body) == (200, {"id": 7})
    assert seen == [f"{method} {path}"]
    assert registry.replicated_log.barriers == 1


def test_a_leader_that_has_just_lost_its_office_forwards(registry: RegistryClient) -> None:
    registry.replicated_log.failure = NotLeader()
    registry.replicated_log.forwarded = lambda call: json_answer({"id": 7})
    assert registry.call(*CHANGES["register"]) == (200, {"id": 7})


def test_a_change_waits_for_somebody_to_lead(registry: RegistryClient) -> None:
    def elected_meanwhile(call: Call) -> Response:
        registry.replicated_log.is_leader = True
        raise NotLeader

    registry.replicated_log.is_leader = False
    registry.replicated_log.forwarded = elected_meanwhile
    registry.service.leader_wait_s = 60.0
    assert registry.register("s", '"int"') == 2


def test_a_refusal_of_the_leader_comes_back_as_it_is(registry: RegistryClient) -> None:
    registry.replicated_log.is_leader = False
    registry.replicated_log.forwarded = lambda call: json_answer({"error_code": 42205, "message": "no"}, status=422)
    assert registry.call(*CHANGES["register"]) == (422, {"error_code": 42205, "message": "no"})
    assert registry.replicated_log.barriers == 0


def test_what_is_registered_already_needs_no_leader(registry: RegistryClient) -> None:
    registry.replicated_log.is_leader = False
    assert registry.register("known", STRING) == 1


def test_paths_under_a_context_are_forwarded_as_what_they_mean(registry: RegistryClient) -> None:
    registry.replicated_log.is_leader = False
    registry.replicated_log.forwarded = lambda call: json_answer(call.scope["raw_path"].decode())
    assert registry.put("/contexts/.ctx/config", {"compatibility": "FULL"}) == (200, "/config/:.ctx:")


def test_schemas_that_are_large_are_prepared_in_a_thread(registry: RegistryClient) -> None:
    fields = ",".join(f'{{"name":"f{number}","type":"int","default":0}}' for number in range(1_000))
    large = f'{{"type":"record","name":"Large","fields":[{fields}]}}'
    wider = large.replace('"fields":[', '"fields":[{"name":"more","type":"int","default":0},')
    first = registry.register("large", large)
    assert registry.register("large", wider) == first + 1
    body = {"schema": large.replace('"f0","type":"int"', '"f0","type":"string"').replace(":0", ':"x"', 1)}
    assert registry.post("/compatibility/subjects/large/versions", body)[1] == {"is_compatible": False}


def test_a_leader_that_has_just_ended_is_waited_out() -> None:
    """It did not get the call, so it may be sent to the next one."""
    registry = RegistryClient()
    registry.service.leader_wait_s = 60
    registry.replicated_log.is_leader = False
    registry.replicated_log.forwarded = LeaderUnreachable("The leader cannot be reached.")
    asked = registry.replicated_log.forward

    async def forward(call: Call) -> Response:
        registry.replicated_log.is_leader = True
        return await asked(call)

    registry.replicated_log.forward = forward  # type: ignore[method-assign]
    assert registry.register("s") == 1
