"""ACLs, SCRAM users and quotas of brokers that have an authorizer; and what those without one say."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from riacho.testing import KafkaCluster
from support.control_center import CLUSTER, ControlCenterService

ACLS, USERS, QUOTAS = (f"{CLUSTER}/{noun}" for noun in ("acls", "users", "quotas"))
AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
    "super.users": "User:ANONYMOUS",
}


def acl(principal: str, operation: str, topic: str = "orders", **more: str) -> dict[str, str]:
    entry = {"resource_type": "TOPIC", "resource_name": topic, "pattern_type": "LITERAL"}
    return {**entry, "principal": principal, "operation": operation, **more}


@pytest.fixture(scope="module")
def secured() -> Iterator[ControlCenterService]:
    with KafkaCluster(AUTHORIZER) as cluster:
        service = ControlCenterService(cluster.bootstrap_servers)
        yield service
        service.stop()


def test_acls_are_made_listed_and_taken_away(secured: ControlCenterService) -> None:
    prefixed = acl("User:ann", "WRITE", "ord", pattern_type="PREFIXED")
    made = secured.post(ACLS, {"acls": [acl("User:ann", "READ"), prefixed, acl("User:bob", "READ", "other")]})
    assert (made.status_code, made.json()) == (201, {"count": 3})
    page = secured.get(f"{ACLS}?q=user:ann").json()
    assert (page["total"], page["has_authorizer"]) == (2, True)
    assert {(row["operation"], row["pattern_type"], row["host"], row["permission"]) for row in page["items"]} == {
        ("READ", "LITERAL", "*", "ALLOW"),
        ("WRITE", "PREFIXED", "*", "ALLOW"),
    }
    of_topic = secured.get(f"{CLUSTER}/topics/orders/acls").json()["items"]
    assert {row["principal"] for row in of_topic} == {"User:ann"}
    assert len(of_topic) == 2, "the prefix covers the topic"
    assert secured.delete(ACLS, {"acls": [prefixed]}).json() == {"count": 1}
    assert secured.get(f"{ACLS}?q=User:ann").json()["total"] == 1
    entry = secured.get("/api/v1/audit?q=PREFIXED").json()["items"][0]
    assert entry["notes"]["acls"] == "ALLOW User:ann WRITE TOPIC PREFIXED ord from *"


def test_acls_that_cannot_be(secured: ControlCenterService) -> None:
    assert secured.post(ACLS, {"acls": []}).status_code == 422
    assert secured.post(ACLS, {"acls": [acl("User:a", "ANY")]}).status_code == 422
    assert secured.delete(ACLS, {"acls": [{"principal": "User:a"}]}).status_code == 422
    wrong = secured.post(ACLS, {"acls": [acl("nobody", "READ")]})
    assert wrong.status_code == 400, wrong.text


def test_brokers_without_an_authorizer_say_so(console: ControlCenterService) -> None:
    for path in (ACLS, f"{CLUSTER}/topics/any/acls"):
        page = console.get(path).json()
        assert (page["has_authorizer"], page["items"], page["total"]) == (False, [], 0)
    refused = console.post(ACLS, {"acls": [acl("User:ann", "READ")]})
    assert (refused.status_code, refused.json()["kafka_error"]) == (501, "SECURITY_DISABLED")


def test_users_and_their_passwords(secured: ControlCenterService) -> None:
    new = {"name": "ann", "password": "hunter2-hunter2", "mechanisms": ["SCRAM-SHA-256", "SCRAM-SHA-512"]}
    assert secured.post(USERS, new).status_code == 201
    [row] = secured.get(f"{USERS}?q=ann").json()["items"]
    assert {each["mechanism"] for each in row["credentials"]} == {"SCRAM-SHA-256", "SCRAM-SHA-512"}
    assert "hunter2" not in secured.get("/api/v1/audit").text
    assert secured.delete(f"{USERS}/ann").status_code == 204
    assert secured.get(f"{USERS}?q=ann").json()["total"] == 0
    assert secured.delete(f"{USERS}/ann").status_code == 404
    assert secured.post(USERS, {**new, "iterations": 1}).status_code == 422
    assert "hunter2" not in secured.post(USERS, {**new, "mechanisms": ["PLAIN"]}).text


def test_quotas_of_users_clients_and_addresses(secured: ControlCenterService) -> None:
    rates = {"producer_byte_rate": 1048576.0, "request_percentage": 50.0}
    assert secured.post(QUOTAS, {"user": "ann", "client_id": "", "set": rates}).status_code == 204
    entry = secured.get("/api/v1/audit?what=/quotas").json()["items"][0]
    noted = {"quota": "user=ann, client-id=<default>", "set": "producer_byte_rate=1048576, request_percentage=50"}
    assert entry["notes"] == {**noted, "unset": ""}
    assert secured.post(QUOTAS, {"ip": "10.0.0.1", "set": {"connection_creation_rate": 5}}).status_code == 204
    rows = secured.get(QUOTAS).json()
    assert {"user": "ann", "client_id": "", "ip": None, "rates": rates} in rows
    assert {"user": None, "client_id": None, "ip": "10.0.0.1", "rates": {"connection_creation_rate": 5.0}} in rows
    changed = {"user": "ann", "client_id": "", "unset": ["request_percentage"]}
    assert secured.post(QUOTAS, changed).status_code == 204
    assert secured.get(QUOTAS).json()[-1]["rates"] == {"producer_byte_rate": 1048576.0}
    assert secured.delete(QUOTAS, {"user": "ann", "client_id": ""}).status_code == 204
    assert [row["ip"] for row in secured.get(QUOTAS).json()] == ["10.0.0.1"]


@pytest.mark.parametrize(
    "change",
    [
        {"set": {"producer_byte_rate": 1}},
        {"user": "a", "ip": "10.0.0.1", "set": {"producer_byte_rate": 1}},
        {"user": "a", "set": {"connection_creation_rate": 1}},
        {"user": "a", "set": {"producer_byte_rate": 0}},
        {"user": "a"},
        {"user": "a", "set": {"anything": 1}},
    ],
)
def test_quotas_that_cannot_be(secured: ControlCenterService, change: dict[str, object]) -> None:
    assert secured.post(QUOTAS, change).status_code == 422
