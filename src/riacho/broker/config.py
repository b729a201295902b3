"""A broker's settings as it starts: `server.properties`, `KAFKA_*` environment variables, overrides, in that order.

With no settings at all it is a single node: id 1, broker and controller in one, on 127.0.0.1:9092. Every value is
checked here, at birth; what is wrong is one ConfigError with one sentence. Properties that nothing knows are kept
(DescribeConfigs lists them, without their value, as they may be secrets) and give a warning.
"""

from __future__ import annotations

import difflib
import os
import re
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from riacho.base.config import ConfigError, parse_properties, properties_from_environment
from riacho.client.config_providers import PREFIX as PROVIDERS_PREFIX
from riacho.client.config_providers import providers_of
from riacho.metadata.image.brokers import SECURITY_PROTOCOLS
from riacho.metadata.settings.broker_configs import BROKER_KEYS, broker_key
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.metadata.settings.ineffective_configs import ineffective_at_start

_LISTENER = re.compile(r"(?P<name>[^:/]+)://(?:\[(?P<ip6>[0-9a-fA-F:.%]+)\]|(?P<host>[^:\[\]]*)):(?P<port>-?[0-9]+)")
_WILDCARDS = ("", "0.0.0.0", "::")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
# Settings of the authorizer, which no table of Kafka's has (`authorization.py`).
_READ_ELSEWHERE = ("super.users", "allow.everyone.if.no.acl.found")


class ListenerAddress(NamedTuple):
    name: str
    host: str
    port: int
    protocol: str


class QuorumVoter(NamedTuple):
    """One entry of `controller.quorum.voters`."""

    node_id: int
    host: str
    port: int


class BrokerConfig:
    def __init__(self, properties: Mapping[str, str] | None = None) -> None:
        self.static: dict[str, str] = _with_both_ids(dict(properties or {}))
        self._values = BrokerValues(self.static)
        for name, text in self.static.items():
            key = broker_key(name)
            if key is not None:
                key.parse(text)
        self.node_id: int = self.get("node.id")
        self.roles: frozenset[str] = frozenset(self.get("process.roles"))
        self.log_dirs: list[str] = self.get("log.dirs") or self.get("log.dir")
        self.metadata_log_dir: str | None = self.get("metadata.log.dir")
        self._controller_names = {name.upper() for name in self.get("controller.listener.names")}
        self._protocols = self._protocol_map()
        self.listeners = self._parse_listeners("listeners")
        self.broker_listeners = [found for found in self.listeners if found.name not in self._controller_names]
        self.controller_listeners = [found for found in self.listeners if found.name in self._controller_names]
        self.advertised_listeners = (
            self._parse_listeners("advertised.listeners") if self.get("advertised.listeners") else []
        )
        self.quorum_voters = [_voter(entry) for entry in self.get("controller.quorum.voters")]
        self.quorum_bootstrap = [_host_and_port(entry) for entry in self.get("controller.quorum.bootstrap.servers")]
        self.inter_broker_listener_name = self._inter_broker_listener()
        self._check()

    @property
    def values(self) -> BrokerValues:
        """As they were when the node started; what changes meanwhile is in the metadata."""
        return self._values

    @property
    def is_broker(self) -> bool:
        return "broker" in self.roles

    @property
    def is_controller(self) -> bool:
        return "controller" in self.roles

    @property
    def is_alone(self) -> bool:
        """The whole quorum is this node: nobody else is needed to decide anything."""
        others = [voter for voter in self.quorum_voters if voter.node_id != self.node_id]
        return self.is_controller and not others and all(map(self._is_own_controller, self.quorum_bootstrap))

    def _is_own_controller(self, address: tuple[str, int]) -> bool:
        host, port = address
        own = [*self.controller_listeners, *self.advertised_listeners]
        return any(
            port == listener.port and (host == listener.host or (host in _LOOPBACK and _is_local(listener.host)))
            for listener in own
            if listener.name in self._controller_names
        )

    def is_controller_listener(self, name: str) -> bool:
        return name in self._controller_names

    def get(self, name: str) -> Any:
        """The typed value, the table's default where nothing is set. A name that no table knows is an error here."""
        assert broker_key(name) is not None, f"no such setting: {name}"
        return self._values.get(name)

    def is_set(self, name: str) -> bool:
        return name in self.static

    def unknown(self) -> list[str]:
        return sorted(name for name in self.static if broker_key(name) is None)

    def warnings(self) -> list[str]:
        return [*unknown_properties(self.static), *ineffective_properties(self.static)]

    def protocol_of(self, listener_name: str) -> str:
        protocol = self._protocols.get(listener_name)
        if protocol is None and listener_name in self._controller_names:
            return "PLAINTEXT"
        if protocol is None:
            raise ConfigError(f"listener {listener_name} has no security protocol in listener.security.protocol.map")
        return protocol

    def advertised(self, listener_name: str, bound_port: int) -> tuple[str, int]:
        """The advertised address of a listener: as set, else where it is bound."""
        for found in self.advertised_listeners:
            if found.name == listener_name:
                return found.host, found.port or bound_port
        host = next((found.host for found in self.listeners if found.name == listener_name), "")
        return own_host() if host in _WILDCARDS else host, bound_port

    def _protocol_map(self) -> dict[str, str]:
        entries = (entry.partition(":") for entry in self.get("listener.security.protocol.map").split(",") if entry)
        protocols = {name.strip().upper(): protocol.strip().upper() for name, _, protocol in entries}
        for name, protocol in protocols.items():
            if protocol not in SECURITY_PROTOCOLS:
                raise ConfigError(f"listener.security.protocol.map gives {name} the unknown protocol {protocol!r}")
        return protocols

    def _parse_listeners(self, setting: str) -> list[ListenerAddress]:
        found = [self._parse_listener(setting, text) for text in self.get(setting)]
        names = [listener.name for listener in found]
        ports = [(listener.host, listener.port) for listener in found if listener.port]
        if len(set(names)) != len(names):
            raise ConfigError(f"{setting} names a listener twice: {','.join(names)}")
        if setting == "listeners" and len(set(ports)) != len(ports):
            raise ConfigError(f"{setting} gives two listeners the same address")
        return found

    def _parse_listener(self, setting: str, text: str) -> ListenerAddress:
        match = _LISTENER.fullmatch(text)
        if match is None or not 0 <= int(match["port"]) <= 65535:
            raise ConfigError(f"{setting} has {text!r}, which is not of the form NAME://host:port")
        name = match["name"].upper()
        return ListenerAddress(name, match["ip6"] or match["host"] or "", int(match["port"]), self.protocol_of(name))

    def _inter_broker_listener(self) -> str:
        name: str | None = self.get("inter.broker.listener.name")
        if name is not None:
            return name.strip().upper()
        protocol = self.get("security.inter.broker.protocol").upper()
        named = [listener.name for listener in self.broker_listeners if listener.name == protocol]
        spoken = [listener.name for listener in self.broker_listeners if listener.protocol == protocol]
        return (named or spoken or [protocol])[0]

    def _check(self) -> None:
        if not self.roles or not self.roles <= {"broker", "controller"}:
            raise ConfigError("process.roles must be broker, controller, or broker,controller")
        if self.is_broker:
            self._check_broker()
        self._check_quorum()
        names = {listener.name for listener in self.listeners}
        for listener in self.advertised_listeners:
            if listener.name not in names:
                raise ConfigError(f"advertised.listeners has {listener.name}, which is not in listeners")
            if listener.host in _WILDCARDS:
                raise ConfigError(
                    f"advertised.listeners gives {listener.name} the address {listener.host or '0.0.0.0'!r}, "
                    "which no client can reach"
                )

    def _check_broker(self) -> None:
        if not self.broker_listeners:
            raise ConfigError("listeners has no listener for clients: all of them are in controller.listener.names")
        if self.inter_broker_listener_name not in {listener.name for listener in self.broker_listeners}:
            name = self.inter_broker_listener_name
            if not self._values.is_set("inter.broker.listener.name"):
                raise ConfigError(
                    f"brokers would speak with each other by {name}, and no listener does: set "
                    "inter.broker.listener.name to one of listeners, or security.inter.broker.protocol"
                )
            raise ConfigError(f"inter.broker.listener.name {name} is not among the listeners for clients and brokers")
        self._check_inter_broker_mechanism()

    def _check_inter_broker_mechanism(self) -> None:
        name = self.inter_broker_listener_name
        if not self.protocol_of(name).startswith("SASL"):
            return
        own = f"listener.name.{name.lower()}.sasl.enabled.mechanisms"
        enabled = self._values.get(own if self._values.is_set(own) else "sasl.enabled.mechanisms")
        mechanism = self.get("sasl.mechanism.inter.broker.protocol")
        if not isinstance(enabled, list) or mechanism not in enabled:
            problem = f"sasl.mechanism.inter.broker.protocol {mechanism}"
            raise ConfigError(f"{problem} is not in sasl.enabled.mechanisms of listener {name}")

    def _check_quorum(self) -> None:
        voter_ids = [voter.node_id for voter in self.quorum_voters]
        if len(set(voter_ids)) != len(voter_ids):
            raise ConfigError("controller.quorum.voters names a node twice")
        if not self.is_controller:
            if self.node_id in voter_ids:
                problem = f"controller.quorum.voters names node {self.node_id}"
                raise ConfigError(f"{problem}, which has not the role controller in process.roles")
            if self.controller_listeners:
                problem = f"listeners has {self.controller_listeners[0].name}"
                raise ConfigError(f"{problem}, a listener of controllers, but process.roles has no controller")
            if not voter_ids and not self.quorum_bootstrap:
                problem = "process.roles has no controller"
                raise ConfigError(f"{problem}: controller.quorum.bootstrap.servers or .voters must say where they are")
            return
        if voter_ids and self.node_id not in voter_ids:
            raise ConfigError(f"controller.quorum.voters does not name node {self.node_id}, which is a controller")
        if not self.is_broker and self.broker_listeners:
            problem = f"listeners has {self.broker_listeners[0].name}, which is not in controller.listener.names"
            raise ConfigError(f"{problem}: a node with the role controller alone serves no clients")
        if not self.is_alone and not self.controller_listeners:
            problem = "the other controllers could not reach this one"
            raise ConfigError(f"listeners has no listener of controller.listener.names: {problem}")


def unknown_properties(properties: Mapping[str, str]) -> list[str]:
    """A sentence for each that nothing knows, with the name that may have been meant."""
    unread = sorted(
        name
        for name in properties
        if broker_key(name) is None and name not in _READ_ELSEWHERE and not name.startswith(PROVIDERS_PREFIX)
    )
    return [f"property {name} is not known and is ignored{_suggestion(name)}" for name in unread]


def ineffective_properties(properties: Mapping[str, str]) -> list[str]:
    """One sentence, if any, for all that have no effect here."""
    names = ineffective_at_start(properties)
    return [f"these properties have no effect here: {', '.join(names)}"] if names else []


def load_config(path: Path | None, overrides: Mapping[str, str] | None = None) -> tuple[BrokerConfig, list[str]]:
    """The settings of a file, of the environment and of `overrides`; warnings of what is unknown or has no effect."""
    properties: dict[str, str] = {}
    if path is not None:
        try:
            properties.update(parse_properties(path.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path} cannot be read: {error}") from error
    if "CLUSTER_ID" in os.environ:
        # The one variable of the container images that has no prefix.
        properties["cluster.id"] = os.environ["CLUSTER_ID"]
    properties.update(properties_from_environment(os.environ))
    properties.update(overrides or {})
    # Here alone, where the file and its references are the operator's: what comes over the wire reaches no file.
    properties, _ = providers_of(properties).resolve(properties)
    config = BrokerConfig(properties)
    return config, config.warnings()


def _is_local(host: str) -> bool:
    return host in _WILDCARDS or host in _LOOPBACK


def own_host() -> str:
    """This machine by name, where the name leads anywhere; a broker bound to every address is reached by it."""
    name = socket.gethostname()
    try:
        socket.getaddrinfo(name, None)
    except OSError:
        return "127.0.0.1"
    return name


def _with_both_ids(properties: dict[str, str]) -> dict[str, str]:
    """`broker.id` is the older name of `node.id`: whichever is set, both read the same."""
    node_id, broker_id = properties.get("node.id"), properties.get("broker.id")
    if node_id is not None and broker_id is not None and node_id.strip() != broker_id.strip():
        raise ConfigError(f"node.id is {node_id} but broker.id is {broker_id}: they must be the same")
    found = node_id if node_id is not None else broker_id
    if found is not None:
        properties["node.id"] = properties["broker.id"] = found
    return properties


def _suggestion(name: str) -> str:
    close = difflib.get_close_matches(name, BROKER_KEYS, n=1, cutoff=0.85)
    return f"; did you mean {close[0]}?" if close else ""


def _voter(entry: str) -> QuorumVoter:
    node_id, _, address = entry.strip().partition("@")
    return QuorumVoter(int(node_id), *_host_and_port(address))


def _host_and_port(address: str) -> tuple[str, int]:
    host, _, port = address.strip().rpartition(":")
    return host.strip("[]"), int(port)
