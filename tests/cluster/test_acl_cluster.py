"""Three nodes that ask what a user may do: whoever gets the request, whoever decides on it, and whoever takes over."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)

from support.cluster_processes import Node
from support.ports import free_port
from support.riacho_cluster import RiachoCluster

pytestmark = pytest.mark.timeout(180)

_PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
_NODES = f'{_PLAIN} required username="node" password="node-secret" user_node="node-secret";'
_CLIENTS = f'{_PLAIN} required user_root="root-secret" user_ann="ann-secret";'


class GuardedCluster(RiachoCluster):
    """The plain listener is the test's own view of the cluster; users come by EXTERNAL."""

    def __init__(self, directory: Path, **options: Any) -> None:
        self.internal = {node_id: free_port() for node_id in (1, 2, 3)}
        self.external = {node_id: free_port() for node_id in (1, 2, 3)}
        super().__init__(directory, 3, **options)

    def server_properties(self, node: Node) -> dict[str, str]:
        own = super().server_properties(node)
        more = f"INTERNAL://127.0.0.1:{self.internal[node.node_id]},EXTERNAL://127.0.0.1:{self.external[node.node_id]}"
        for name in ("listeners", "advertised.listeners"):
            own[name] = f"{own[name]},{more}"
        protocols = {
            "PLAINTEXT": "PLAINTEXT",
            **dict.fromkeys(("INTERNAL", "EXTERNAL", "CONTROLLER"), "SASL_PLAINTEXT"),
        }
        return own | {
            "listener.security.protocol.map": ",".join(f"{name}:{protocol}" for name, protocol in protocols.items()),
            "inter.broker.listener.name": "INTERNAL",
            "sasl.enabled.mechanisms": "PLAIN",
            "sasl.mechanism.inter.broker.protocol": "PLAIN",
            "sasl.mechanism.controller.protocol": "PLAIN",
            "listener.name.internal.plain.sasl.jaas.config": _NODES,
            "listener.name.controller.plain.sasl.jaas.config": _NODES,
            "listener.name.external.plain.sasl.jaas.config": _CLIENTS,
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:node;User:root;User:ANONYMOUS",
        }

    def client(self, user: str, node_ids: tuple[int, ...] = (1, 2, 3)) -> dict[str, Any]:
        return {
            "bootstrap.servers": ",".join(f"127.0.0.1:{self.external[node_id]}" for node_id in node_ids),
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            "sasl.username": user,
            "sasl.password": f"{user}-secret",
        }

    def output(self) -> str:
        return "".join(node.output_file.read_text(errors="replace") for node in self.nodes.values())


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[GuardedCluster]:
    with GuardedCluster(tmp_path) as running:
        yield running


def outcome(work: Callable[[], Any]) -> int:
    """0, or the code of the error."""
    try:
        work()
    except KafkaException as error:
        return int(error.args[0].code())
    return 0


def create(config: dict[str, Any], name: str) -> int:
    admin = AdminClient(config)
    return outcome(lambda: admin.create_topics([NewTopic(name, 1, 3)])[name].result(30))


def produce(config: dict[str, Any], topic: str) -> int:
    codes: list[int] = []
    producer = Producer(config | {"message.timeout.ms": 10_000, "enable.idempotence": False})
    producer.produce(topic, b"v", on_delivery=lambda error, _: codes.append(error.code() if error else 0))
    producer.flush(20)
    return codes[0]


def entry(name: str, operation: AclOperation) -> AclBinding:
    prefixed = ResourcePatternType.PREFIXED
    return AclBinding(ResourceType.TOPIC, name, prefixed, "User:ann", "*", operation, AclPermissionType.ALLOW)


def grant(cluster: GuardedCluster, *entries: AclBinding) -> None:
    admin = AdminClient(cluster.client("root"))
    for future in admin.create_acls(list(entries)).values():
        future.result(30)


def until(is_so: Callable[[], bool], timeout_s: float = 30) -> None:
    deadline = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.1)


def test_every_node_answers_alike_and_the_decision_is_on_record(cluster: GuardedCluster) -> None:
    """Two of the three bring it to the third in an envelope, which carries the client's name."""
    for node_id in (1, 2, 3):
        assert create(cluster.client("ann", (node_id,)), f"ann-{node_id}") == KafkaError.TOPIC_AUTHORIZATION_FAILED
    denied = [line for line in cluster.output().splitlines() if " denied principal=User:ann " in line]
    assert {f"ann-{at}" for at in (1, 2, 3)} <= {line.partition("CREATE:TOPIC:")[2].split(",")[0] for line in denied}
    assert all(" host=127.0.0.1 " in line and " api=CreateTopics " in line for line in denied)
    grant(cluster, entry("ann-", AclOperation.CREATE), entry("ann-", AclOperation.WRITE))
    for node_id in (1, 2, 3):
        assert create(cluster.client("ann", (node_id,)), f"ann-{node_id}") == 0
    changes = [line for line in cluster.output().splitlines() if " change principal=" in line]
    assert any("api=CreateAcls" in line and "principal=User:root" in line and "outcome=ok" in line for line in changes)
    assert any("api=CreateTopics" in line and "target=ann-1 outcome=ok" in line for line in changes)
    for node_id in (1, 2, 3):
        assert produce(cluster.client("ann"), f"ann-{node_id}") == 0
    assert create(cluster.client("ann"), "bob-1") == KafkaError.TOPIC_AUTHORIZATION_FAILED


def test_entries_outlive_every_controller_and_a_restart(cluster: GuardedCluster) -> None:
    grant(cluster, entry("ann-", AclOperation.CREATE))
    for node_id in (1, 2, 3):
        cluster.kill(node_id)
        left = tuple(other for other in (1, 2, 3) if other != node_id)
        until(lambda left=left, node_id=node_id: create(cluster.client("ann", left), f"ann-{node_id}") in (0, 36))
        assert create(cluster.client("ann", left), f"bob-{node_id}") == KafkaError.TOPIC_AUTHORIZATION_FAILED
        cluster.start(node_id)
    wanted = AclBindingFilter(
        ResourceType.TOPIC,
        None,
        ResourcePatternType.ANY,
        "User:ann",
        None,
        AclOperation.ANY,
        AclPermissionType.ANY,
    )
    for node_id in (1, 2, 3):
        admin = AdminClient(cluster.client("root", (node_id,)))
        until(lambda admin=admin: len(admin.describe_acls(wanted).result(30)) == 1)
    root = AdminClient(cluster.client("root"))
    removed = root.delete_acls([wanted])[wanted].result(30)
    assert len(removed) == 1
    until(lambda: create(cluster.client("ann"), "ann-9") == KafkaError.TOPIC_AUTHORIZATION_FAILED)
