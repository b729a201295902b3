"""`riacho user`, `riacho acl` and `riacho quota`, on a broker that asks who one is and what one may."""

from __future__ import annotations

from pathlib import Path

import pytest

from e2e.shell import Shell
from riacho.testing import KafkaCluster

AUTHORIZER = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule"
PROPERTIES = {
    "listeners": "PLAINTEXT://127.0.0.1:0,SASL_PLAINTEXT://127.0.0.1:0",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
    "inter.broker.listener.name": "PLAINTEXT",
    "sasl.enabled.mechanisms": "SCRAM-SHA-256",
    "listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config": f"{SCRAM} required;",
    "authorizer.class.name": AUTHORIZER,
    "super.users": "User:ANONYMOUS",
}


@pytest.fixture
def shell(kafka_cluster: KafkaCluster, tmp_path: Path) -> Shell:
    return Shell(tmp_path, {"KAFKA_BOOTSTRAP_SERVERS": kafka_cluster.bootstrap_servers, "RIACHO_PASSWORD": "hers"})


def _as_ana(cluster: KafkaCluster, password: str = "hers") -> tuple[str, ...]:
    listeners = cluster._threads[1].properties["listeners"]
    address = next(each for each in listeners.split(",") if each.startswith("SASL")).rpartition("/")[2]
    settings = ("security.protocol=SASL_PLAINTEXT", "sasl.mechanism=SCRAM-SHA-256", "sasl.username=ana")
    words = [word for each in (*settings, f"sasl.password={password}") for word in ("-X", each)]
    return ("-b", address, *words)


@pytest.mark.kafka(PROPERTIES)
def test_a_user_is_made_and_given_rights(shell: Shell, kafka_cluster: KafkaCluster) -> None:
    ana = _as_ana(kafka_cluster)
    kafka_cluster.create_topic("orders")
    assert "Authentication failed" in shell.fail("topic", "list", *ana)
    assert shell.run("user", "create", "ana") == "Created user ana.\n"
    assert shell.json("user", "list", "-o", "json") == [
        {"name": "ana", "mechanisms": ["SCRAM-SHA-256", "SCRAM-SHA-512"]}
    ]
    assert shell.run("topic", "list", "-o", "raw", *ana) == ""
    shell.run("acl", "allow", "ana", "write", "describe", "--topic", "ord", "--prefix")
    shell.run("produce", "orders", "one", *ana)
    shell.fail("consume", "orders", "--group", "billing", *ana)
    shell.run("acl", "allow", "ana", "read", "--topic", "orders", "--group", "billing")
    assert shell.run("consume", "orders", "--group", "billing", "-o", "raw", *ana) == "one\n"
    shell.run("acl", "deny", "ana", "all", "--topic", "orders")
    shell.fail("produce", "orders", "two", *ana)
    listed = shell.json("acl", "list", "--user", "ana", "-o", "json")
    assert [(row["may"], row["operation"], row["name"], row["pattern"]) for row in listed] == [
        ("no", "all", "orders", "literal"),
        ("yes", "describe", "ord", "prefixed"),
        ("yes", "read", "billing", "literal"),
        ("yes", "read", "orders", "literal"),
        ("yes", "write", "ord", "prefixed"),
    ]
    assert shell.run("acl", "remove", "ana", "all", "--topic", "orders", "-y") == "Removed 1 access right.\n"
    shell.run("produce", "orders", "two", *ana)
    assert shell.run("acl", "remove", "ana", "--topic", "ord", "--prefix", "-y") == "Removed 2 access rights.\n"
    assert shell.run("user", "create", "ana", "--password", "other") == "Changed user ana.\n"
    assert "Authentication failed" in shell.fail("topic", "list", *ana)
    shell.run("topic", "list", *_as_ana(kafka_cluster, "other"))
    assert shell.run("user", "delete", "ana", "-y") == "Deleted user ana.\n"
    assert "There is no user 'ana'" in shell.fail("user", "delete", "ana", "-y")


def test_what_is_no_right_is_told(shell: Shell) -> None:
    assert "did you mean 'describe'?" in shell.misuse("acl", "allow", "ana", "descrbe", "--topic", "x")
    assert "on a group" in shell.misuse("acl", "allow", "ana", "write", "--group", "x")
    assert "Say on what" in shell.misuse("acl", "allow", "ana", "read")


def test_quotas_are_set_listed_and_taken_away(shell: Shell) -> None:
    assert shell.json("quota", "list", "-o", "json") == []
    shell.run("quota", "set", "--user", "ana", "producer_byte_rate=1000000", "consumer_byte_rate=2e6")
    shell.run("quota", "set", "--client-id", "default", "request_percentage=50")
    shell.run("quota", "set", "--ip", "127.0.0.1", "connection_creation_rate=100")
    rows = [tuple(row.values()) for row in shell.json("quota", "list", "-o", "json")]
    assert sorted(rows, key=str) == sorted(
        [
            ("ana", None, None, "consumer_byte_rate", 2e6),
            ("ana", None, None, "producer_byte_rate", 1e6),
            (None, "default", None, "request_percentage", 50.0),
            (None, None, "127.0.0.1", "connection_creation_rate", 100.0),
        ],
        key=str,
    )
    shell.run("quota", "unset", "--user", "ana", "producer_byte_rate", "consumer_byte_rate")
    assert [row["user"] for row in shell.json("quota", "list", "-o", "json")].count("ana") == 0
    assert "did you mean 'producer_byte_rate'?" in shell.misuse("quota", "set", "--user", "ana", "producer_bite_rate=1")
    assert "Say whose quota" in shell.misuse("quota", "set", "producer_byte_rate=1")
    assert "above zero" in shell.misuse("quota", "set", "--user", "ana", "producer_byte_rate=much")
