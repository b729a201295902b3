"""Registries and proxies that trust nobody: SCRAM over TLS to brokers with ACLs, https and BASIC to their callers.

One of each is set up in Java's words, the other one in librdkafka's; one has its key as PEM, the other one as PKCS12.
Every answer is kept, and at the end no password is found in any of them, nor in what the processes wrote.
"""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import (
    AclBinding,
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

from conformance import secure_broker
from conformance.secure_broker import SCRAM_MODULE, SecureBroker
from support.certificates import PASSWORD as STORE_PASSWORD
from support.certificates import Authority, Identity
from support.service_process import START_TIMEOUT_S, ServiceProcess

pytestmark = pytest.mark.timeout(300)

KAFKA = {"registry-svc": "kafka-pass-of-registry", "proxy-svc": "kafka-pass-of-proxy"}
CALLERS = {
    "admin": "http-pass-of-admin",
    "reader": "http-pass-of-reader",
    "writer": "http-pass-of-writer",
    "deleter": "http-pass-of-deleter",
    "tuner": "http-pass-of-tuner",
    "stranger": "http-pass-of-stranger",
}
SECRETS = (*KAFKA.values(), *CALLERS.values(), STORE_PASSWORD, "wrong-pass-of-anybody")
RULES = """
allow  role:admins    *             *
allow  user:reader    read          orders-*
allow  user:writer    read,write    orders-*
allow  user:deleter   read,delete   orders-*
allow  user:tuner     read,config   orders-*
deny   user:writer    write         orders-audit
"""
ORDER = json.dumps({"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]})
AUDIT = json.dumps({"type": "record", "name": "Audit", "fields": [{"name": "by", "type": "string"}]})
REGISTRY_TYPE = "application/vnd.schemaregistry.v1+json"
V2 = "application/vnd.kafka.v2+json"


class SecureService(ServiceProcess):
    """Listens on https alone, so that is how it is asked whether it is well."""

    def __init__(self, name: str, bootstrap: str, directory: Path, properties: Mapping[str, str], ca: Path) -> None:
        super().__init__(name, bootstrap, directory, properties)
        self.url = self.url.replace("http://", "https://")
        self.properties["listeners"] = self.url
        self._client = httpx.Client(
            base_url=self.url, verify=ssl.create_default_context(cafile=str(ca)), timeout=START_TIMEOUT_S
        )
        self.answers: list[str] = []

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            try:
                if self._client.get("/health").status_code == 200:
                    return
            except httpx.TransportError:
                assert self.is_running, self.output()
            assert time.monotonic() < deadline, self.output()
            time.sleep(0.05)

    def call(
        self, user: str | None, method: str, path: str, body: object = None, *,
        password: str = "", kind: str = REGISTRY_TYPE, accept: str = "*/*",
    ) -> httpx.Response:  # fmt: skip
        login = None if user is None else (user, password or CALLERS[user])
        headers = {"Accept": accept} | ({} if body is None else {"Content-Type": kind})
        content = None if body is None else json.dumps(body).encode()
        answer = self._client.request(method, path, content=content, headers=headers, auth=login)
        self.answers.append(f"{answer.headers}\n{answer.text}")
        return answer

    def stop(self) -> int:
        self._client.close()
        return super().stop()

    def settled(self, user: str, method: str, path: str, body: object) -> httpx.Response:
        """Asked again while nobody leads yet."""
        deadline = time.monotonic() + START_TIMEOUT_S
        while (answer := self.call(user, method, path, body)).status_code >= 500:
            assert time.monotonic() < deadline, answer.text
        return answer


@dataclass
class World:
    broker: SecureBroker
    directory: Path
    users: Path
    registries: list[SecureService] = field(default_factory=list)
    proxies: list[SecureService] = field(default_factory=list)
    others: list[ServiceProcess] = field(default_factory=list)

    @property
    def authority(self) -> Authority:
        return self.broker.authority

    @property
    def services(self) -> list[SecureService]:
        return [*self.registries, *self.proxies]

    def log_end(self) -> int:
        consumer = Consumer({"bootstrap.servers": self.broker.bootstrap("PLAINTEXT"), "group.id": "audit"})
        try:
            return int(consumer.get_watermark_offsets(TopicPartition("_schemas", 0), 30)[1])
        finally:
            consumer.close()


def java_words(prefix: str, user: str, authority: Authority) -> dict[str, str]:
    login = f'{SCRAM_MODULE} required username="{user}" password="{KAFKA[user]}";'
    own = {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.jaas.config": login,
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(authority.pem),
    }
    return {prefix + name: value for name, value in own.items()}


def librdkafka_words(prefix: str, user: str, authority: Authority) -> dict[str, str]:
    own = {
        "security.protocol": "SASL_SSL",
        "sasl.mechanisms": "SCRAM-SHA-512",
        "sasl.username": user,
        "sasl.password": KAFKA[user],
        "ssl.ca.location": str(authority.pem),
    }
    return {prefix + name: value for name, value in own.items()}


def pem_key(identity: Identity) -> dict[str, str]:
    return {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(identity.pem)}


def pkcs12_key(identity: Identity) -> dict[str, str]:
    passwords = {"ssl.keystore.password": STORE_PASSWORD, "ssl.key.password": STORE_PASSWORD}
    return {"ssl.keystore.type": "PKCS12", "ssl.keystore.location": str(identity.key_store())} | passwords


def prepare_kafka(bootstrap: str) -> None:
    """Users and just enough rights, granted by the listener whose users may do everything."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    information = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
    for user, password in KAFKA.items():
        change = UserScramCredentialUpsertion(user, information, password.encode())
        for done in admin.alter_user_scram_credentials([change]).values():
            done.result(30)
    op, kind = AclOperation, ResourceType
    log = [op.DESCRIBE, op.CREATE, op.READ, op.WRITE, op.DESCRIBE_CONFIGS]
    rights = [
        *(("registry-svc", kind.TOPIC, "_schemas", each) for each in log),
        ("registry-svc", kind.GROUP, "schema-registry", op.READ),
        ("registry-svc", kind.TRANSACTIONAL_ID, "schema-registry-leader", op.WRITE),
        *(("proxy-svc", kind.TOPIC, "orders", each) for each in (op.DESCRIBE, op.READ, op.WRITE)),
        ("proxy-svc", kind.GROUP, "readers", op.READ),
        ("proxy-svc", kind.BROKER, "kafka-cluster", op.DESCRIBE),
    ]
    bindings = [
        AclBinding(kind, name, ResourcePatternType.LITERAL, f"User:{user}", "*", operation, AclPermissionType.ALLOW)
        for user, kind, name, operation in rights
    ]
    for done in admin.create_acls(bindings).values():
        done.result(30)
    for made in admin.create_topics([NewTopic(name, 1, 1) for name in ("orders", "forbidden")]).values():
        made.result(30)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    directory = tmp_path_factory.mktemp("secure")
    guarded = {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
        "auto.create.topics.enable": "false",
    }
    with secure_broker.run("riacho", directory / "broker", guarded) as broker:
        prepare_kafka(broker.bootstrap("PLAINTEXT"))
        users = directory / "users.properties"
        roles = {"admin": ",admins,people", "stranger": ""}
        lines = [f"{user}: {password}{roles.get(user, ',people')}\n" for user, password in CALLERS.items()]
        users.write_text("".join(lines))
        made = World(broker, directory, users)
        try:
            start_services(made)
            yield made
        finally:
            for service in (*made.services, *made.others):
                if service.process is not None and service.is_running:
                    service.kill()


def start_services(world: World) -> None:
    authority, bootstrap = world.authority, world.broker.bootstrap("SASL_SSL")
    rules = world.directory / "rules.txt"
    rules.write_text(RULES)
    basic = {
        "authentication.method": "BASIC",
        "authentication.user.file": str(world.users),
        "authentication.roles": "people",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(authority.pem),
    }
    registry = basic | {"inter.instance.protocol": "https", "authorization.rules.file": str(rules)}
    keys = [authority.issue("service", file_name=f"service-{number}") for number in range(4)]
    for number, own in enumerate(
        (
            java_words("kafkastore.", "registry-svc", authority) | pem_key(keys[0]),
            librdkafka_words("kafkastore.", "registry-svc", authority) | pkcs12_key(keys[1]),
        )
    ):
        place = world.directory / f"registry-{number}"
        world.registries.append(SecureService("schema-registry", bootstrap, place, registry | own, authority.pem))
    first, second = (each.url for each in world.registries)
    password = CALLERS["admin"]
    trusting = {"schema.registry.ssl.truststore.type": "PEM", "schema.registry.ssl.truststore.location": authority.pem}
    by_header = {
        "schema.registry.url": first,
        "schema.registry.basic.auth.credentials.source": "USER_INFO",
        "schema.registry.basic.auth.user.info": f"admin:{password}",
    }
    by_url = {"schema.registry.url": second.replace("https://", f"https://admin:{password}@")}
    proxy = basic | {name: str(value) for name, value in trusting.items()}
    for number, own in enumerate(
        (
            java_words("client.", "proxy-svc", authority) | pkcs12_key(keys[2]) | by_header,
            librdkafka_words("client.", "proxy-svc", authority) | pem_key(keys[3]) | by_url,
        )
    ):
        place = world.directory / f"proxy-{number}"
        world.proxies.append(SecureService("rest-proxy", bootstrap, place, proxy | own, authority.pem))
    for service in world.services:
        service.spawn()
    for service in world.services:
        service.wait_until_ready()


@pytest.mark.parametrize("path", ["/subjects", "/topics", "/v3/clusters"])
def test_who_does_not_say_who_they_are_gets_401(world: World, path: str) -> None:
    for service in world.registries if path == "/subjects" else world.proxies:
        for user, password in ((None, ""), ("admin", "wrong-pass-of-anybody"), ("nobody", "wrong-pass-of-anybody")):
            answer = service.call(user, "GET", path, password=password)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"].startswith("Basic realm=")
        # Known, but of no role that may call.
        assert service.call("stranger", "GET", path).status_code == 403
        assert service.call("admin", "GET", path).status_code == 200


def test_a_follower_forwards_over_https_in_its_callers_name(world: World) -> None:
    """One of the two leads, so one of these registrations was forwarded, and the leader asks for a login too."""
    answers = [
        service.settled("writer", "POST", f"/subjects/orders-{number}/versions", {"schema": ORDER})
        for number, service in enumerate(world.registries)
    ]
    assert [answer.status_code for answer in answers] == [200, 200], [answer.text for answer in answers]
    assert answers[0].json()["id"] == answers[1].json()["id"]
    for service in world.registries:
        assert service.call("admin", "GET", "/subjects?subjectPrefix=orders-").json() == ["orders-0", "orders-1"]


def test_each_right_permits_what_it_says_and_a_refusal_writes_nothing(world: World) -> None:
    for subject in ("orders-rights", "orders-audit", "other"):
        answer = world.registries[0].settled("admin", "POST", f"/subjects/{subject}/versions", {"schema": AUDIT})
        assert answer.status_code == 200, answer.text
    read = [("GET", "/subjects/{}/versions", None), ("GET", "/subjects/{}/versions/1", None)]
    read += [("POST", "/subjects/{}", {"schema": AUDIT})]
    write = [("POST", "/subjects/{}/versions", {"schema": ORDER})]
    delete = [("DELETE", "/subjects/{}/versions/1", None), ("DELETE", "/subjects/{}", None)]
    config = [("PUT", "/config/{}", {"compatibility": "NONE"}), ("PUT", "/mode/{}", {"mode": "READWRITE"})]
    denied = [
        *(("reader", "orders-rights", each) for each in [*write, *delete, *config]),
        *(("writer", "orders-rights", each) for each in [*delete, *config]),
        *(("deleter", "orders-rights", each) for each in [*write, *config]),
        *(("tuner", "orders-rights", each) for each in [*write, *delete]),
        *(("writer", "orders-audit", each) for each in write),
        *((user, "other", each) for user in ("reader", "writer") for each in [*read, *write, *delete, *config]),
    ]
    before = world.log_end()
    for service in world.registries:
        for user, subject, (method, path, body) in denied:
            answer = service.call(user, method, path.format(subject), body)
            assert (answer.status_code, answer.json()["error_code"]) == (403, 40301), (user, subject, method, path)
        assert "other" not in service.call("reader", "GET", "/subjects").json()
    assert world.log_end() == before
    permitted = [
        *((user, each) for user in ("reader", "writer", "deleter", "tuner") for each in read),
        *(("tuner", each) for each in config),
        *(("writer", each) for each in write),
        *(("deleter", each) for each in delete[:1]),
    ]
    for user, (method, path, body) in permitted:
        answer = world.registries[1].settled(user, method, path.format("orders-rights"), body)
        assert answer.status_code == 200, (user, method, path, answer.text)
    assert world.log_end() > before


def test_proxies_write_and_read_with_schemas_of_an_https_registry(world: World) -> None:
    for number, service in enumerate(world.proxies):
        body = {"value_schema": ORDER, "records": [{"value": {"id": number}}]}
        written = service.call("reader", "POST", "/topics/orders", body, kind="application/vnd.kafka.avro.v2+json")
        assert written.status_code == 200, written.text
        assert written.json()["offsets"] == [{"partition": 0, "offset": number, "error_code": None, "error": None}]
    for number, service in enumerate(world.proxies):
        assert consumed(service, f"reader-{number}", 2) == [{"id": 0}, {"id": 1}]


def consumed(service: SecureService, name: str, count: int) -> list[Any]:
    instance = f"/consumers/readers/instances/{name}"
    wanted = {"name": name, "format": "avro", "auto.offset.reset": "earliest"}
    assert service.call("reader", "POST", "/consumers/readers", wanted, kind=V2).status_code == 200
    partitions = {"partitions": [{"topic": "orders", "partition": 0}]}
    assert service.call("reader", "POST", f"{instance}/assignments", partitions, kind=V2).status_code == 204
    assert service.call("reader", "POST", f"{instance}/positions/beginning", partitions, kind=V2).status_code == 204
    found: list[Any] = []
    deadline = time.monotonic() + START_TIMEOUT_S
    while len(found) < count:
        answer = service.call("reader", "GET", f"{instance}/records", accept="application/vnd.kafka.avro.v2+json")
        assert answer.status_code == 200, answer.text
        assert time.monotonic() < deadline, found
        found += [record["value"] for record in answer.json()]
    assert service.call("reader", "DELETE", instance, kind=V2).status_code == 204
    return found


def test_what_brokers_forbid_the_proxy_is_refused_by_the_record(world: World) -> None:
    for service in world.proxies:
        body = {"records": [{"value": "x"}]}
        answer = service.call("reader", "POST", "/topics/forbidden", body, kind="application/vnd.kafka.json.v2+json")
        refused = answer.json()
        code = refused.get("error_code") or refused["offsets"][0]["error_code"]
        # Who may not describe a topic is not told whether it is there.
        assert code in (40301, 40401, 40403), answer.text


def test_a_registry_that_kafka_does_not_let_in_says_so_and_ends(world: World) -> None:
    own = librdkafka_words("kafkastore.", "registry-svc", world.authority) | {
        "kafkastore.sasl.password": "wrong-pass-of-anybody",
        "kafkastore.init.timeout.ms": "5000",
    }
    place = world.directory / "registry-refused"
    service = ServiceProcess("schema-registry", world.broker.bootstrap("SASL_SSL"), place, own)
    world.others.append(service)
    service.spawn()
    assert service.process is not None
    assert service.process.wait(START_TIMEOUT_S) == 1
    assert "Error: " in service.output()
    assert "Traceback" not in service.output()


def test_a_proxy_that_does_not_know_the_registrys_authority_does_not_talk_to_it(world: World) -> None:
    own = java_words("client.", "proxy-svc", world.authority)
    own["schema.registry.url"] = world.registries[0].url.replace("https://", f"https://admin:{CALLERS['admin']}@")
    service = ServiceProcess("rest-proxy", world.broker.bootstrap("SASL_SSL"), world.directory / "distrusting", own)
    world.others.append(service.start())
    body = {"value_schema": ORDER, "records": [{"value": {"id": 7}}]}
    kind = {"Content-Type": "application/vnd.kafka.avro.v2+json"}
    answer = httpx.post(f"{service.url}/topics/orders", json=body, headers=kind, timeout=START_TIMEOUT_S)
    assert (answer.status_code, answer.json()["error_code"]) == (408, 40801)
    assert "certificate" in answer.json()["message"]
    assert not [secret for secret in SECRETS if secret in answer.text]
    assert service.stop() == 0


def test_no_secret_was_said_and_all_end_well(world: World) -> None:
    """Last, as it reads what the others left, and stops everything."""
    assert [service.stop() for service in (*world.proxies, *world.registries)] == [0] * 4
    said = [world.broker.output()]
    for service in world.services:
        assert "Traceback" not in service.output()
        said += [service.output(), *service.answers]
    said += [service.output() for service in world.others]
    assert not [secret for secret in SECRETS if any(secret in each for each in said)]
