"""The clusters of the shell, and the one that is chosen: what F2 goes through and `cluster-select` picks from.

They are, in this order, the one that was named on the command line, those of the settings file, the profiles, and the
one that `riacho` speaks with by itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from riacho.cli.shell.cluster_addresses import ClusterAddresses

# Profiles have their mark beside clients' settings, as they have the services' addresses there.
PRODUCTION = "riacho.production"
_LOOKS_LIKE_PRODUCTION = re.compile(r"(^|[^a-z])(prod|prd|production|producao|produção|live)([^a-z]|$)", re.IGNORECASE)
_TRUE = ("true", "yes", "on", "1")


@dataclass(frozen=True, slots=True)
class ToolSettings:
    """What tools of one kind are given: a file of client settings, and properties of how they read or print records."""

    config: Path | None = None
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellCluster:
    """`is_usual` is the cluster that `riacho` finds by itself, where it is told of none."""

    addresses: ClusterAddresses
    profile: str | None = None
    admin: ToolSettings = ToolSettings()
    consumer: ToolSettings = ToolSettings()
    producer: ToolSettings = ToolSettings()
    is_usual: bool = False

    @property
    def name(self) -> str:
        return self.addresses.name


class NoSuchCluster(Exception):
    """One sentence."""


class Clusters:
    def __init__(self, clusters: Iterable[ShellCluster], chosen: str | None = None) -> None:
        """At least one; of two with a name the first counts."""
        self._by_name: dict[str, ShellCluster] = {}
        for cluster in clusters:
            self._by_name.setdefault(cluster.name, cluster)
        self.chosen = self._by_name.get(chosen or "") or next(iter(self._by_name.values()))

    @property
    def names(self) -> list[str]:
        return list(self._by_name)

    def get(self, name: str) -> ShellCluster:
        found = self._by_name.get(name)
        if found is None:
            from riacho.cli.failures import did_you_mean

            raise NoSuchCluster(f"There is no cluster '{name}'{did_you_mean(name, self._by_name)}")
        return found

    def select(self, name: str) -> ShellCluster:
        self.chosen = self.get(name)
        return self.chosen

    def renew(self, usual: ShellCluster) -> bool:
        """Another cluster may run on this machine now; whether the chosen one is another than before."""
        was_chosen = self.chosen.is_usual
        others = {name: cluster for name, cluster in self._by_name.items() if not cluster.is_usual}
        self._by_name = {**others, **({usual.name: usual} if usual.name not in others else {})}
        if not was_chosen or usual == self.chosen:
            return False
        self.chosen = self._by_name[usual.name]
        return True

    def next(self) -> ShellCluster:
        names = self.names
        return self.select(names[(names.index(self.chosen.name) + 1) % len(names)])


def is_production(name: str, mark: object = None) -> bool:
    """By its mark; where it has none, by its name: a red prompt too many does no harm."""
    if mark is None or str(mark).strip() == "":
        return _LOOKS_LIKE_PRODUCTION.search(name) is not None
    return str(mark).strip().lower() in _TRUE


def usual_cluster() -> ShellCluster:
    """The one that commands speak with where nothing is named."""
    from riacho.cli.connect_client import ConnectClient
    from riacho.cli.ksql.main import usual_url
    from riacho.cli.profiles import profile_file
    from riacho.cli.schema_options import registry_url
    from riacho.cli.target import find_target

    profile, config = os.environ.get("RIACHO_PROFILE") or None, os.environ.get("RIACHO_COMMAND_CONFIG")
    target = find_target(profile=profile, command_config=Path(config) if config else None)
    name = profile or target.bootstrap
    file = Path(config) if config else profile_file(profile) if profile else None
    return ShellCluster(
        addresses=ClusterAddresses(
            name=name,
            bootstrap=target.bootstrap,
            properties=dict(target.properties),
            schema_registry_url=registry_url(target, None),
            connect_url=ConnectClient(None).url,
            ksql_url=usual_url(),
            is_production=is_production(name, target.properties.get(PRODUCTION)),
        ),
        admin=ToolSettings(file),
        is_usual=True,
    )


def profile_cluster(name: str) -> ShellCluster:
    from riacho.cli.profiles import profile_file, read_profile
    from riacho.cli.target import find_target

    target = find_target(profile=name)
    properties = read_profile(name)
    kept = ToolSettings(profile_file(name))
    return ShellCluster(
        addresses=ClusterAddresses(
            name=name,
            bootstrap=target.bootstrap,
            properties=dict(target.properties),
            schema_registry_url=properties.get("schema.registry.url"),
            connect_url=properties.get("connect.url"),
            ksql_url=properties.get("ksql.url"),
            is_production=is_production(name, properties.get(PRODUCTION)),
        ),
        profile=name,
        admin=kept,
        consumer=kept,
        producer=kept,
    )


def named_cluster(bootstrap: str | None, config: Path | None) -> ShellCluster:
    """By -b and --command-config on the shell's own line."""
    from riacho.cli.target import find_target

    target = find_target(bootstrap, config)
    return ShellCluster(
        addresses=ClusterAddresses(
            name=target.bootstrap,
            bootstrap=target.bootstrap,
            properties=dict(target.properties),
            schema_registry_url=target.properties.get("schema.registry.url"),
            is_production=is_production(target.bootstrap, target.properties.get(PRODUCTION)),
        ),
        admin=ToolSettings(config),
        consumer=ToolSettings(config),
        producer=ToolSettings(config),
    )
