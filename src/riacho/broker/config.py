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
from riacho.metadata.broker_configs import BROKER_KEYS, broker_key
from riacho.metadata.broker_values import BrokerValues
from riacho.metadata.brokers import SECURITY_PROTOCOLS

_LISTENER = re.compile(r"(?P<name>[^:/]+)://(?:\[(?P<ip6>[0-9a-fA-F:.%]+)\]|(?P<host>[^:\[\]]*)):(?P<port>-?[0-9]+)")
_WILDCARDS = ("", "0.0.0.0", "::")
_SERVED_PROTOCOLS = ("PLAINTEXT",)


class ListenerAddress(NamedTuple):
    name: str
    host: str
    port: int
    protocol: str


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
        self._check()

    def get(self, name: str) -> Any:
        """The typed value, the table's default where nothing is set. A name that no table knows is an error here."""
        assert broker_key(name) is not None, f"no such setting: {name}"
        return self._values.get(name)

    def is_set(self, name: str) -> bool:
        return name in self.static

    def unknown(self) -> list[str]:
        return sorted(name for name in self.static if broker_key(name) is None)

    def warnings(self) -> list[str]:
        return [f"property {name} is not known and is ignored{_suggestion(name)}" for name in self.unknown()]

    def protocol_of(self, listener_name: str) -> str:
        protocol = self._protocols.get(listener_name)
        if protocol is None and listener_name in self._controller_names:
            return "PLAINTEXT"
        if protocol is None:
            raise ConfigError(f"listener {listener_name} has no security protocol in listener.security.protocol.map")
        return protocol

    def advertised(self, listener_name: str, bound_port: int) -> tuple[str, int]:
        """Where clients of a listener are told to go: as set, else where it is bound."""
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

    def _check(self) -> None:
        if self.roles != {"broker", "controller"}:
            # A node of one role needs others to be of any use, and clusters of several are not served yet.
            raise ConfigError("process.roles must be broker,controller: this version runs both in one process")
        voters = [int(voter.partition("@")[0]) for voter in self.get("controller.quorum.voters")]
        if voters and voters != [self.node_id]:
            raise ConfigError(f"controller.quorum.voters must name node {self.node_id} alone, the whole quorum so far")
        if not self.broker_listeners:
            raise ConfigError("listeners has no listener for clients: all of them are in controller.listener.names")
        for listener in self.broker_listeners:
            if listener.protocol not in _SERVED_PROTOCOLS:
                # Better no broker than one that talks in the clear where encryption was asked for.
                problem = f"listener {listener.name} is to speak {listener.protocol}, which is not served yet"
                raise ConfigError(f"{problem}: only PLAINTEXT is")
        names = {listener.name for listener in self.listeners}
        for listener in self.advertised_listeners:
            if listener.name not in names:
                raise ConfigError(f"advertised.listeners has {listener.name}, which is not in listeners")
            if listener.host in _WILDCARDS:
                raise ConfigError(
                    f"advertised.listeners gives {listener.name} the address {listener.host or '0.0.0.0'!r}, "
                    "which no client can reach"
                )


def load_config(path: Path | None, overrides: Mapping[str, str] | None = None) -> tuple[BrokerConfig, list[str]]:
    """The settings of a file, of the environment and of `overrides`, with warnings about the unknown ones."""
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
    config = BrokerConfig(properties)
    return config, config.warnings()


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
