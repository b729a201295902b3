"""A platform for a browser: broker, schema registry, KSQL server and control center, as `riacho up` starts them; and
Connect where it is asked for, whose first connector starts Spark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, Message, Producer, TopicPartition
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    NewTopic,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from e2e.shell import Shell
from support.schema_registry_process import until

ALWAYS = ("schema-registry", "ksqldb-server", "control-center")
# With rights to look at, and all of them for whoever has no name.
AUTHORIZER = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:ANONYMOUS",
}
WAIT_S = 60.0
# A name that would be a page of its own, if it were ever taken for one.
HOSTILE = "<img src=x onerror=alert(1)>/tx 1"


class BrowserPlatform(Shell):
    def __init__(self, home: Path, connect: Mapping[str, str] | None = None) -> None:
        """`connect`: with a worker of these settings."""
        services = ALWAYS if connect is None else (*ALWAYS, "connect")
        super().__init__(home, {"RIACHO_ONLY": ",".join(("broker", *services))})
        named = ("", "metrics-", *(f"{name}-" for name in services))
        ports = [word for each in named for word in (f"--{each}port", "0")]
        rights = [word for name, value in AUTHORIZER.items() for word in ("-c", f"{name}={value}")]
        settings = {
            "control-center": {"cluster.name": "Local", "riacho.console.refresh.ms": "500"},
            # Its topic would stand first in a list of which the walk takes the first row.
            "ksqldb-server": {"ksql.logging.processing.topic.auto.create": "false"},
        }
        if connect is not None:
            settings["connect"] = dict(connect)
        files = [word for each in settings.items() for word in self._settings(*each)]
        told = self.run("up", "--detach", "--ephemeral", *ports, *rights, *files)
        found = dict(re.findall(r"^  (\S+) +(\S+)$", told, re.MULTILINE))
        self.url = found["control-center"]
        self.bootstrap = found["bootstrap"]
        self.registry = found["schema-registry"]
        self.ksql_url = found["ksqldb-server"]
        self.admin = AdminClient({"bootstrap.servers": self.bootstrap})

    def _settings(self, service: str, properties: Mapping[str, str]) -> tuple[str, str]:
        file = self.home / f"{service}.properties"
        file.write_text("".join(f"{name}={value}\n" for name, value in properties.items()))
        return f"--{service}-config", str(file)

    def create_topic(self, name: str, partitions: int = 1) -> None:
        admin = AdminClient({"bootstrap.servers": self.bootstrap})
        admin.create_topics([NewTopic(name, partitions, 1)])[name].result(WAIT_S)

    def produce(self, topic: str, count: int, key: str = "k", headers: dict[str, str] | None = None) -> None:
        producer = Producer({"bootstrap.servers": self.bootstrap})
        for number in range(count):
            producer.produce(topic, f'{{"number": {number}}}', f"{key}{number}", partition=0, headers=headers or {})
        assert producer.flush(WAIT_S) == 0

    def produce_values(self, topic: str, *values: str) -> None:
        producer = Producer({"bootstrap.servers": self.bootstrap})
        for value in values:
            producer.produce(topic, value)
        assert producer.flush(WAIT_S) == 0

    def message(self, topic: str, offset: int) -> Message:
        """Of the first partition, as a Kafka client reads it."""
        return self.messages(topic, 1, offset)[0]

    def messages(self, topic: str, count: int, offset: int = 0) -> list[Message]:
        """Of the first partition, as a Kafka client reads them."""
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": "reads-some"})
        try:
            consumer.assign([TopicPartition(topic, 0, offset)])
            found = consumer.consume(count, WAIT_S)
            assert len(found) == count
            return found
        finally:
            consumer.close()

    def watermarks(self, topic: str) -> tuple[int, int]:
        """The first offset of the first partition, and the next one."""
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": "reads-some"})
        try:
            low, high = consumer.get_watermark_offsets(TopicPartition(topic, 0), WAIT_S)
            return low, high
        finally:
            consumer.close()

    def commit(self, group: str, topic: str, offset: int) -> None:
        """As a group whose members have gone."""
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": group})
        try:
            consumer.commit(offsets=[TopicPartition(topic, 0, offset)], asynchronous=False)
        finally:
            consumer.close()

    def transact(self, transactional_id: str, topic: str) -> Producer:
        """Begin a transaction, which stays open for as long as the tests may take."""
        settings = {"transactional.id": transactional_id, "transaction.timeout.ms": 900_000}
        producer = Producer({"bootstrap.servers": self.bootstrap, **settings})
        producer.init_transactions(WAIT_S)
        producer.begin_transaction()
        producer.produce(topic, b"{}", partition=1)
        assert producer.flush(WAIT_S) == 0
        return producer

    def allow(self, principal: str, operation: AclOperation, topic: str) -> None:
        entry = AclBinding(
            ResourceType.TOPIC, topic, ResourcePatternType.LITERAL, principal, "*", operation, AclPermissionType.ALLOW
        )
        self.admin.create_acls([entry])[entry].result(WAIT_S)

    def rights_of(self, principal: str) -> set[tuple[ResourceType, str, ResourcePatternType, AclOperation]]:
        wanted = AclBindingFilter(
            ResourceType.ANY, None, ResourcePatternType.ANY, principal, None, AclOperation.ANY, AclPermissionType.ANY
        )
        found = self.admin.describe_acls(wanted, request_timeout=WAIT_S).result(WAIT_S)
        return {(each.restype, each.name, each.resource_pattern_type, each.operation) for each in found}

    def create_user(self, name: str, password: str) -> None:
        info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
        made = self.admin.alter_user_scram_credentials([UserScramCredentialUpsertion(name, info, password.encode())])
        made[name].result(WAIT_S)

    def users(self) -> dict[str, list[ScramMechanism]]:
        found = self.admin.describe_user_scram_credentials(request_timeout=WAIT_S).result(WAIT_S)
        return {name: [each.mechanism for each in user.scram_credential_infos] for name, user in found.items()}

    def committed(self, group: str, topic: str) -> int:
        admin = AdminClient({"bootstrap.servers": self.bootstrap})
        asked = [ConsumerGroupTopicPartitions(group, [TopicPartition(topic, 0)])]
        found: ConsumerGroupTopicPartitions = admin.list_consumer_group_offsets(asked)[group].result(WAIT_S)
        return int(found.topic_partitions[0].offset)

    def register(self, subject: str, schema: object, **more: object) -> int:
        """The schema's id. What is no text is written as JSON."""
        text = schema if isinstance(schema, str) else json.dumps(schema)
        path = f"{self.registry}/subjects/{quote(subject, safe='')}/versions"
        answer = httpx.post(path, json={"schema": text, **more}, timeout=WAIT_S)
        assert answer.status_code == 200, answer.text
        return int(answer.json()["id"])

    def versions(self, subject: str) -> list[int]:
        """As the registry tells them; none where there is no such subject."""
        answer = httpx.get(f"{self.registry}/subjects/{quote(subject, safe='')}/versions", timeout=WAIT_S)
        return [] if answer.status_code == 404 else [int(each) for each in answer.json()]

    def schema(self, subject: str) -> dict[str, Any]:
        """The latest version, as the registry tells it."""
        answer = httpx.get(f"{self.registry}/subjects/{quote(subject, safe='')}/versions/latest", timeout=WAIT_S)
        found: dict[str, Any] = answer.raise_for_status().json()
        return found

    def wait_for(self, path: str, text: str) -> None:
        """Until the console tells so: it looks at the cluster every now and then."""
        until(lambda: text in httpx.get(f"{self.url}/api/v1/clusters/default/{path}", timeout=WAIT_S).text)

    def topics(self) -> set[str]:
        return set(AdminClient({"bootstrap.servers": self.bootstrap}).list_topics(timeout=WAIT_S).topics)


@contextmanager
def running_platform(home: Path, connect: Mapping[str, str] | None = None) -> Iterator[BrowserPlatform]:
    platform = BrowserPlatform(home, connect)
    try:
        yield platform
    finally:
        platform.run("down")
