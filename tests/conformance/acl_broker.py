"""A broker that knows its users and asks what they may do: SASL/PLAIN on both listeners, StandardAuthorizer.

`admin` is the one super user; the others, `u0` to `u399`, may do what they are granted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from conformance.raw import RawConnection
from conformance.running_broker import PROPERTIES
from support.ports import free_port
from support.riacho_process import RiachoProcess

ADMIN = "admin"
PASSWORD = "a-secret"
USERS = 400
_LOGIN_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"


@dataclass(frozen=True, slots=True)
class SecuredBroker:
    kind: str
    port: int
    controller_port: int
    directory: Path

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    def connect(self, user: str = ADMIN, *, to_controller: bool = False) -> RawConnection:
        connection = RawConnection(("127.0.0.1", self.controller_port if to_controller else self.port))
        log_in(connection, user)
        return connection


def log_in(connection: RawConnection, user: str, password: str = PASSWORD) -> None:
    assert connection.ask("SaslHandshake", 1, mechanism="PLAIN").error_code == 0
    answer = connection.ask("SaslAuthenticate", 2, auth_bytes=f"\0{user}\0{password}".encode())
    assert answer.error_code == 0, answer.error_message


def client_properties(user: str = ADMIN) -> dict[str, str]:
    """For the tools: what their `--command-config` holds."""
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.jaas.config": f'{_LOGIN_MODULE} required username="{user}" password="{PASSWORD}";',
    }


@contextmanager
def run_secured(kind: str, directory: Path, more: Mapping[str, str] | None = None) -> Iterator[SecuredBroker]:
    port, controller_port = free_port(), free_port()
    properties = _properties(port, controller_port) | dict(more or {})
    if kind == "riacho":
        properties["controller.quorum.voters"] = f"1@127.0.0.1:{controller_port}"
        process = RiachoProcess(directory, properties)
        process.port = port
        try:
            process.start()
            yield SecuredBroker(kind, port, controller_port, directory)
        finally:
            if process.process is not None:
                process.stop()
        return
    from support.apache_kafka import ApacheKafka

    properties["controller.quorum.bootstrap.servers"] = f"127.0.0.1:{controller_port}"
    apache = ApacheKafka(directory, properties, port=port)
    try:
        apache.start()
        yield SecuredBroker(kind, port, controller_port, directory)
    finally:
        apache.stop()


def _properties(port: int, controller_port: int) -> dict[str, str]:
    users = " ".join(f'user_{user}="{PASSWORD}"' for user in [ADMIN, *(f"u{at}" for at in range(USERS))])
    jaas = f'{_LOGIN_MODULE} required username="{ADMIN}" password="{PASSWORD}" {users};'
    return {
        **PROPERTIES,
        "listeners": f"CLIENTS://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}",
        "advertised.listeners": f"CLIENTS://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}",
        "listener.security.protocol.map": "CLIENTS:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
        "inter.broker.listener.name": "CLIENTS",
        "sasl.enabled.mechanisms": "PLAIN",
        "sasl.mechanism.inter.broker.protocol": "PLAIN",
        "sasl.mechanism.controller.protocol": "PLAIN",
        "listener.name.clients.plain.sasl.jaas.config": jaas,
        "listener.name.controller.plain.sasl.jaas.config": jaas,
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": f"User:{ADMIN}",
        "share.coordinator.state.topic.num.partitions": "2",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
    }
