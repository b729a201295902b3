"""Names for one completion of bash, zsh or fish: asked for while the shell waits, and not for long."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from riacho.cli.shell.cluster_addresses import ClusterAddresses
from riacho.cli.shell.completion.live_names import LiveNames
from riacho.cli.shell.completion.offers import NameKind, Names, NoNames, Offer

# A shell that waits for a name is worse than one that does not know it. The question goes on in its thread, which ends
# with the process.
TIMEOUT_S = 0.6


class AskedNames:
    def __init__(self, addresses: ClusterAddresses) -> None:
        self._live = LiveNames(addresses)

    def names(self, kind: NameKind, of: str = "") -> Sequence[Offer]:
        self._live.names(kind, of)
        self._live.wait(kind, of, TIMEOUT_S)
        return self._live.names(kind, of)


def names_for(params: Mapping[str, Any]) -> Names:
    """Of the cluster that a command of `riacho` with these parameters would speak with."""
    try:
        return AskedNames(addresses_for(params))
    except Exception:
        # A traceback in the middle of a line that somebody types helps nobody.
        return NoNames()


def names_for_tool(given: Mapping[str, Sequence[str]]) -> Names:
    """Of the cluster that a kafka-* tool with these flags would speak with."""
    try:
        return AskedNames(addresses_for_tool(given))
    except Exception:
        return NoNames()


def addresses_for(params: Mapping[str, Any]) -> ClusterAddresses:
    """An exception of any kind where the command would be refused."""
    from riacho.cli.pairs import parse_pairs
    from riacho.cli.schema_options import registry_url
    from riacho.cli.target import find_target

    given = parse_pairs(params.get("settings") or (), "-X")
    target = find_target(params.get("bootstrap"), params.get("command_config"), given, params.get("profile"))
    return ClusterAddresses(
        name="",
        bootstrap=target.bootstrap,
        properties=target.properties,
        schema_registry_url=registry_url(target, params["registry"]) if "registry" in params else None,
        connect_url=_connect_url(params["url"]) if "url" in params else None,
    )


def addresses_for_tool(given: Mapping[str, Sequence[str]]) -> ClusterAddresses:
    """The same of a tool."""
    from riacho.cli.kafka.launch import DEFAULT_BOOTSTRAP_SERVERS
    from riacho.cli.target import read_settings

    servers, file = given.get("bootstrap-server"), given.get("command-config")
    properties = read_settings(Path(file[-1]) if file else None)
    bootstrap = servers[-1] if servers else os.environ.get("KAFKA_BOOTSTRAP_SERVERS") or DEFAULT_BOOTSTRAP_SERVERS
    return ClusterAddresses(name="", bootstrap=bootstrap, properties=properties)


def _connect_url(given: str | None) -> str:
    from riacho.cli.connect_client import ConnectClient

    return ConnectClient(given).url
