"""The StatefulSet of deploy/kubernetes forms a cluster, and restarts one by one without a record lost."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.kubernetes_pods import BASE, KUBERNETES, NAMESPACE, PIPELINES, Machine, Pod, machine, manifests
from e2e.own_loopback import namespaces_are_allowed
from support.child_process import child_process

pytestmark = [
    pytest.mark.timeout(240),
    pytest.mark.skipif(not namespaces_are_allowed(), reason="no network namespace can be made here"),
]

ADDRESSES = {ordinal: f"127.0.1.{ordinal}" for ordinal in (1, 2, 3)}
SERVICES = {
    "schema-registry": "127.0.2.1",
    "rest-proxy": "127.0.2.2",
    "connect": "127.0.2.3",
    "ksqldb-server": "127.0.2.4",
    "control-center": "127.0.2.5",
}
# `make test` has the first of them; `make proofs` all.
TRIED = list(SERVICES) if os.environ.get("RIACHO_PROOFS") else ["schema-registry"]
PASSWORDS = {name: f"{name}-password-of-a-test" for name in ("load", *TRIED)}
LOGIN = """
security.protocol=SASL_SSL
sasl.mechanism=SCRAM-SHA-512
sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="load" password="{password}";
ssl.truststore.type=PEM
ssl.truststore.location={ca}
"""
# Writes with acks=all until its input ends, then tells what was acknowledged and what was not, and what it reads back.
LOAD = """
import json, select, sys
from confluent_kafka import Consumer, Producer

login = json.loads(sys.argv[1])
acknowledged, failed = [], []

def told(error, message):
    failed.append(str(error)) if error else acknowledged.append(int(message.value()))

producer = Producer(login | {"enable.idempotence": True, "linger.ms": 1})
number = 0
while not select.select([sys.stdin], [], [], 0.02)[0]:
    producer.produce("orders", str(number), on_delivery=told)
    producer.poll(0)
    number += 1
producer.flush(60)
consumer = Consumer(login | {"group.id": "readers", "auto.offset.reset": "earliest", "enable.partition.eof": True})
consumer.subscribe(["orders"])
read, ended = [], set()
while len(ended) < 3:
    message = consumer.poll(30)
    if message is None:
        break
    if message.error():
        ended.add(message.partition())
    else:
        read.append(int(message.value()))
consumer.close()
print(json.dumps({"written": number, "acknowledged": sorted(acknowledged), "failed": failed, "read": sorted(read)}))
"""
# A handshake without a certificate of one's own is over when the first byte is asked for.
STRANGER = """
import socket, ssl, sys
context = ssl.create_default_context(cafile=sys.argv[1])
with socket.create_connection((sys.argv[2], int(sys.argv[3]))) as plain:
    try:
        with context.wrap_socket(plain, server_hostname="bootstrap") as channel:
            channel.recv(1)
    except ssl.SSLError as error:
        print(error.reason)
"""


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Secrets and ConfigMaps as they would be mounted."""
    directory = tmp_path_factory.mktemp("k")
    made = subprocess.run(
        ["bash", str(KUBERNETES / "certificates.sh"), str(directory / "tls"), NAMESPACE],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    assert sorted(path.name for path in (directory / "tls").iterdir()) == [
        "ca.crt",
        "ca.key",
        "ca.srl",
        "tls-combined.pem",
    ]
    for name in ("ca", "users", "console", *(f"user-{name}" for name in TRIED)):
        (directory / name).mkdir()
    shutil.copy(directory / "tls" / "ca.crt", directory / "ca")
    for user, password in PASSWORDS.items():
        (directory / "users" / user).write_text(password)
    for name in TRIED:
        (directory / f"user-{name}" / "password").write_text(PASSWORDS[name])
    (directory / "console" / "users").write_text("ann: ann-password,admin\n")
    for place in (BASE, PIPELINES):
        shutil.copytree(place / "config" / "rights", directory / "rights", dirs_exist_ok=True)
    (directory / "rights" / "load").write_text(
        "--topic orders --group readers --operation Read --operation Describe\n--topic orders --operation Write\n"
    )
    return directory


def configured(pod: Pod, files: list[str], directory: Path = BASE) -> Pod:
    """With the files of its ConfigMap where it will look for them."""
    place = pod.places["/etc/riacho"]
    place.mkdir()
    for file in files:
        (place / file).write_text(pod.here((directory / "config" / file).read_text()))
    pod.machine.pods.append(pod)
    return pod


def broker(on: Machine, secrets: Path, ordinal: int) -> Pod:
    spec = manifests("broker.yaml")["StatefulSet", "broker"]["spec"]
    name, own = f"broker-{ordinal}", on.directory / f"broker-{ordinal}"
    (own / "data").mkdir(parents=True)
    fields = {
        "metadata.name": name,
        "metadata.namespace": NAMESPACE,
        "metadata.labels['apps.kubernetes.io/pod-index']": str(ordinal),
    }
    places = {
        "/var/lib/riacho": own / "data",
        "/etc/riacho": own / "etc",
        "/run/secrets/riacho/tls": secrets / "tls",
    }
    pod = Pod(on, name, ADDRESSES[ordinal], spec["template"]["spec"], fields, places)
    return configured(pod, ["broker.properties", "admin.properties"])


def service(on: Machine, secrets: Path, name: str) -> Pod:
    directory = PIPELINES if name in ("connect", "ksqldb-server") else BASE
    spec = manifests(f"{name}.yaml", directory)["Deployment", name]["spec"]["template"]["spec"]
    own = on.directory / name
    (own / "data").mkdir(parents=True)
    places = {
        "/etc/riacho": own / "etc",
        "/var/lib/riacho": own / "data",
        "/run/secrets/riacho/tls": secrets / "ca",
        "/run/secrets/riacho/user": secrets / f"user-{name}",
        "/run/secrets/riacho/console": secrets / "console",
    }
    fields = {"status.podIP": SERVICES[name], "metadata.namespace": NAMESPACE}
    return configured(Pod(on, name, SERVICES[name], spec, fields, places), [f"{name}.properties"], directory)


@pytest.fixture(scope="module")
def cluster(secrets: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    names = {
        address: [f"broker-{ordinal}.broker.{NAMESPACE}.svc", f"broker-{ordinal}.broker", "bootstrap"]
        for ordinal, address in ADDRESSES.items()
    } | {address: [name] for name, address in SERVICES.items()}
    with machine(tmp_path_factory.mktemp("m"), names) as on:
        ordinals = manifests("broker.yaml")["StatefulSet", "broker"]["spec"]
        assert (ordinals["replicas"], ordinals["ordinals"]["start"]) == (len(ADDRESSES), min(ADDRESSES))
        brokers = [broker(on, secrets, ordinal) for ordinal in ADDRESSES]
        for pod in brokers:
            pod.start()
        for pod in brokers:
            pod.wait_for("startupProbe")
            pod.wait_for("readinessProbe")
        yield on


def set_up_users(cluster: Machine, secrets: Path) -> None:
    """What the Job does."""
    job = manifests("broker.yaml")["Job", "users"]["spec"]["template"]["spec"]["containers"][0]
    assert job["command"] == ["bash", "/etc/riacho/users.sh"]
    variables = {each["name"]: each["value"] for each in job["env"]}
    cluster.run(
        ["bash", str(BASE / "config" / "users.sh")],
        USERS=str(secrets / "users"),
        RIGHTS=str(secrets / "rights"),
        ADMIN=str(cluster.pods[0].places["/etc/riacho"] / "admin.properties"),
        **variables,
    )


def admin(cluster: Machine, *words: str) -> str:
    tool, *options = words
    own = cluster.pods[0].places["/etc/riacho"] / "admin.properties"
    return cluster.run([tool, "--bootstrap-server", "bootstrap:9094", "--command-config", str(own), *options])


def test_restarted_one_by_one_they_lose_nothing(cluster: Machine, secrets: Path) -> None:
    set_up_users(cluster, secrets)
    made = admin(cluster, "kafka-topics", "--create", "--topic", "orders", "--partitions", "3")
    assert made == "Created topic orders.\n"
    login = {
        "bootstrap.servers": "bootstrap:9092", "security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "load", "sasl.password": PASSWORDS["load"], "ssl.ca.location": str(secrets / "ca" / "ca.crt"),
    }  # fmt: skip
    words = cluster.words([sys.executable, "-c", LOAD, json.dumps(login)], {})
    with child_process(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as load:
        # As a StatefulSet is updated: the last one first, and the next when that is ready.
        for pod in reversed(cluster.pods):
            pod.stop()
            pod.start()
            pod.wait_for("startupProbe")
            pod.wait_for("readinessProbe")
        out, _ = load.communicate("", timeout=90)
    told = json.loads(out)
    assert told["failed"] == []
    assert told["acknowledged"] == list(range(told["written"]))
    assert told["read"] == told["acknowledged"]
    described = admin(cluster, "kafka-topics", "--describe", "--topic", "orders")
    assert described.count("ReplicationFactor: 3") == 1
    assert "min.insync.replicas=2" in described


@pytest.mark.parametrize("name", TRIED)
def test_a_service_logs_in_with_the_password_of_its_file(cluster: Machine, secrets: Path, name: str) -> None:
    pod = service(cluster, secrets, name)
    pod.start()
    pod.wait_for("startupProbe")
    pod.wait_for("readinessProbe")
    port = pod.container["ports"][0]["containerPort"]
    names = (name, f"{name}.{NAMESPACE}", f"{name}.{NAMESPACE}.svc", SERVICES[name])
    for host, status in {**{f"{each}:{port}": "200" for each in names}, "evil.example": "403"}.items():
        assert pod.asked(port, "/health", host) == status, host
    assert PASSWORDS[name] not in pod.log
    for trouble in (" no effect", "AUTHORIZATION", "not authorized", "Traceback"):
        assert trouble not in pod.log, pod.log[-3000:]
    if name == "schema-registry":
        # The others look for it.
        return
    pod.stop()


@pytest.mark.parametrize("port", [9093, 9094])
def test_who_has_no_certificate_is_not_a_node(cluster: Machine, secrets: Path, port: int) -> None:
    ca = str(secrets / "ca" / "ca.crt")
    told = cluster.run([sys.executable, "-c", STRANGER, ca, ADDRESSES[1], str(port)])
    assert "CERTIFICATE_REQUIRED" in told


def test_a_short_or_quoting_password_is_refused(cluster: Machine, secrets: Path, tmp_path: Path) -> None:
    for password in ("short", "with]a,bracket-in-it-that-ends"):
        (tmp_path / "ann").write_text(password)
        words = cluster.words(
            ["bash", str(BASE / "config" / "users.sh")], {"USERS": str(tmp_path), "BOOTSTRAP": "none:1"}
        )
        done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 1
        assert done.stderr.startswith("The password of ann has to be 16 letters")
        assert password not in done.stderr
