"""Who votes in a new quorum: what `kafka-storage format` is told of it."""

from __future__ import annotations

from collections.abc import Mapping

from riacho.base.ids import ZERO_UUID, uuid_from_text
from riacho.cli.kafka.controller_properties import controller_endpoints
from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.launch import ToolError
from riacho.raft.voters import Endpoint, Voter, VoterSet

_FLAGS = ("standalone", "no-initial-controllers", "initial-controllers")
_STATIC_AND_DYNAMIC = (
    "You cannot specify controller.quorum.voters and format the node with --initial-controllers or --standalone. If "
    "you want to use dynamic quorum, please remove controller.quorum.voters and specify "
    "controller.quorum.bootstrap.servers instead."
)
_WHICH_VOTERS = (
    "Because controller.quorum.voters is not set on this controller, you must specify one of the following: "
    "--standalone, --initial-controllers, or --no-initial-controllers."
)


def check_flags(arguments: Arguments, properties: Mapping[str, str]) -> None:
    given = [flag for flag in _FLAGS if arguments.has(flag)]
    if len(given) > 1:
        raise UsageError(f"argument --{given[1]}: not allowed with argument --{given[0]}")
    roles = properties.get("process.roles", "")
    if properties.get("controller.quorum.voters"):
        if arguments.has("standalone") or arguments.has("initial-controllers"):
            raise ToolError(_STATIC_AND_DYNAMIC)
    elif "controller" in roles and not given:
        raise ToolError(_WHICH_VOTERS)
    if arguments.has("standalone") and "controller" not in roles:
        raise ToolError("You can only use --standalone on a controller.")


def is_dynamic(arguments: Arguments) -> bool:
    return any(arguments.has(flag) for flag in _FLAGS)


def initial_voters(
    arguments: Arguments, properties: Mapping[str, str], node_id: int, directory_id: bytes
) -> VoterSet | None:
    """The first voters of a dynamic quorum; None where the quorum is static, or this node joins it later."""
    listener = (properties.get("controller.listener.names") or "CONTROLLER").split(",")[0].strip().upper()
    if arguments.has("standalone"):
        endpoint = controller_endpoints(properties)[0]
        return VoterSet([Voter(node_id, directory_id, (Endpoint(listener, endpoint.host, endpoint.port),))])
    if arguments.has("initial-controllers"):
        return parse_controllers(arguments.need("initial-controllers"), listener)
    return None


def parse_controllers(text: str, listener: str) -> VoterSet:
    """`id@host:port:directory,...`, the directory id in its 22 characters."""
    voters = [_controller(part.strip(), listener) for part in text.split(",") if part.strip()]
    if not voters:
        raise ToolError("No controllers given.")
    ids = [voter.node_id for voter in voters]
    twice = next((node_id for node_id in ids if ids.count(node_id) > 1), None)
    if twice is not None:
        raise ToolError(f"Node id {twice} was specified more than once.")
    return VoterSet(voters)


def _controller(text: str, listener: str) -> Voter:
    node_id, _, rest = text.partition("@")
    address, _, directory = rest.rpartition(":")
    host, _, port = address.rpartition(":")
    try:
        if not node_id.isdecimal() or not host or not 0 < int(port) < 65_536:
            raise ValueError(text)
        directory_id = uuid_from_text(directory)
        if directory_id == ZERO_UUID:
            raise ValueError(text)
    except ValueError:
        raise ToolError(f"'{text}' is not a controller; write id@host:port:directory") from None
    return Voter(int(node_id), directory_id, (Endpoint(listener, _host(host), int(port)),))


def _host(text: str) -> str:
    """An IPv6 address in full, `0:0:0:0:0:0:0:1`, as Kafka's tool writes it down."""
    host = text.strip("[]")
    if ":" not in host:
        return host
    from ipaddress import AddressValueError, IPv6Address

    try:
        return ":".join(f"{int(group, 16):x}" for group in IPv6Address(host).exploded.split(":"))
    except AddressValueError:
        raise ToolError(f"'{text}' is not an address") from None
