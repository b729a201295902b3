"""A controller's own properties file, as `kafka-metadata-quorum add-controller` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from riacho.cli.kafka.launch import ToolError
from riacho.client.quorum import QuorumEndpoint
from riacho.log.meta_properties import read_meta_properties

_IS_IT = "Is this a valid controller configuration file?"


class ControllerNode(NamedTuple):
    node_id: int
    directory_id: bytes
    endpoints: list[QuorumEndpoint]


def read_controller(properties: Mapping[str, str]) -> ControllerNode:
    return ControllerNode(_node_id(properties), _directory_id(properties), controller_endpoints(properties))


def _node_id(properties: Mapping[str, str]) -> int:
    text = properties.get("node.id")
    if text is None:
        raise ToolError(f"node.id not found in configuration file. {_IS_IT}")
    try:
        node_id = int(text)
    except ValueError:
        raise ToolError(f"node.id is '{text}', not a number, in configuration file. {_IS_IT}") from None
    if node_id < 0:
        raise ToolError(f"node.id was negative in configuration file. {_IS_IT}")
    if "controller" not in properties.get("process.roles", ""):
        raise ToolError(f"process.roles did not contain 'controller' in configuration file. {_IS_IT}")
    return node_id


def metadata_directory(properties: Mapping[str, str]) -> str | None:
    """metadata.log.dir, else the first of the log directories."""
    directories = (properties.get("log.dirs") or properties.get("log.dir") or "").split(",")
    return properties.get("metadata.log.dir") or directories[0].strip() or None


def _directory_id(properties: Mapping[str, str]) -> bytes:
    directory = metadata_directory(properties)
    if directory is None:
        raise ToolError(f"Neither metadata.log.dir nor log.dirs were found. {_IS_IT}")
    try:
        meta = read_meta_properties(directory)
    except (OSError, ValueError) as error:
        raise ToolError(f"Unable to read meta.properties from {directory}: {error}") from None
    if meta is None:
        raise ToolError(f"Unable to read meta.properties from {directory}")
    return meta.directory_id


def controller_endpoints(properties: Mapping[str, str]) -> list[QuorumEndpoint]:
    """Where others reach the controller: its advertised listeners, else those it listens on."""
    listeners = {
        endpoint.listener: endpoint
        for key in ("listeners", "advertised.listeners")
        for endpoint in parse_listeners(properties.get(key, ""))
    }
    names = properties.get("controller.listener.names")
    if not names:
        raise ToolError(f"controller.listener.names was not found. {_IS_IT}")
    found = []
    for name in (part.strip().upper() for part in names.split(",")):
        if name not in listeners:
            raise ToolError(f"Cannot find information about controller listener name: {name}")
        found.append(listeners[name])
    return found


def parse_listeners(text: str) -> list[QuorumEndpoint]:
    """`NAME://host:port,...`; a listener without a host is on this machine."""
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, scheme, address = part.partition("://")
        host, colon, port = address.rpartition(":")
        if not scheme or not colon or not port.isdecimal():
            raise ToolError(f"'{part}' is not a listener; write NAME://host:port")
        found.append(QuorumEndpoint(name.upper(), host.strip("[]") or "localhost", int(port)))
    return found
