"""From the flags of a tool to an open cluster."""

from __future__ import annotations

from riacho.cli.kafka.flags.jopt import Arguments, UsageError
from riacho.cli.kafka.launch import bootstrap_servers
from riacho.cli.kafka.properties import load_properties
from riacho.client.cluster import Cluster
from riacho.client.settings import client_settings


def open_cluster(arguments: Arguments, *, client_id: str = "") -> Cluster:
    """Settings come from `--command-config`; `--bootstrap-server` goes before its bootstrap.servers."""
    path = arguments.text("command-config")
    properties = load_properties(path) if path else {}
    if client_id:
        properties.setdefault("client.id", client_id)
    if arguments.has("bootstrap-controller"):
        if arguments.has("bootstrap-server"):
            raise UsageError("Only one of --bootstrap-server and --bootstrap-controller can be given.")
        settings = client_settings(arguments.need("bootstrap-controller"), properties)
        return Cluster(settings._replace(is_to_controllers=True))
    given = None if arguments.has("bootstrap-server") else properties.get("bootstrap.servers")
    return Cluster(client_settings(given or bootstrap_servers(arguments), properties))
