"""The shell's settings and clusters, in the form of kafka-shell's `~/.kafka-shell/config.yaml`.

An existing one is taken over as it is. Another place may be named; without either, `save` begins
`~/.config/riacho/shell.yaml`. What nobody here knows stays in the file: `save` changes the values that it has to, and
no other byte.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from riacho.cli.shell.cluster_addresses import ClusterAddresses
from riacho.cli.shell.clusters import ShellCluster, ToolSettings, is_production

_FILE_BYTES_MAX = 1024 * 1024
_CLUSTERS_MAX = 500
# More are not told.
_IGNORED_MAX = 20
_EMPTY = "version: 1\n"
# What has an effect; the names behind `cluster` are those of a cluster, behind `settings` those of its tools.
_KNOWN = {
    "": ("version", "enable", "cluster", "clusters"),
    "cluster": (
        "bootstrap_servers", "schema_registry_url", "connect_url", "ksql_server_url", "production",
        "admin_client_settings", "consumer_settings", "producer_settings",
        # Has a remark of its own.
        "command_prefix",
    ),
    "settings": ("config", "properties"),
}  # fmt: skip


class SettingsError(Exception):
    """A file that cannot be used; one sentence."""


@dataclass(frozen=True, slots=True)
class Toggles:
    """`enable` of the file."""

    history: bool = True
    save_on_exit: bool = False
    auto_complete: bool = True
    auto_suggest: bool = True
    inline_help: bool = True
    fuzzy_search: bool = True


@dataclass(frozen=True, slots=True)
class Settings:
    """`path` is where they are written. What was found odd is in `remarks`, a sentence each; `ignored` are the names of
    what has no effect here."""

    path: Path
    toggles: Toggles = Toggles()
    cluster: str | None = None
    clusters: tuple[ShellCluster, ...] = ()
    remarks: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    is_broken: bool = False

    def with_toggles(self, **changes: bool) -> Settings:
        return replace(self, toggles=replace(self.toggles, **changes))


@dataclass(slots=True)
class _Reading:
    base: Path
    remarks: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)

    def remark(self, text: str) -> None:
        if text not in self.remarks:
            self.remarks.append(text)

    def ignore(self, name: str) -> None:
        if name not in self.ignored and len(self.ignored) < _IGNORED_MAX:
            self.ignored.append(name)

    def ignore_unknown(self, found: dict[Any, Any], kind: str, prefix: str = "") -> None:
        for name in found:
            if name not in _KNOWN[kind]:
                self.ignore(f"{prefix}{name}")


def usual_path(environment: Mapping[str, str] = os.environ) -> Path:
    theirs = Path.home() / ".kafka-shell" / "config.yaml"
    if theirs.exists():
        return theirs
    home = environment.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "riacho" / "shell.yaml"


def read_settings_file(path: Path) -> Settings:
    """Never fails: what cannot be used is left out, and told in a sentence."""
    try:
        found = _parsed(path)
    except FileNotFoundError:
        return Settings(path)
    except (SettingsError, OSError) as error:
        told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        remark = f"{path} cannot be used, so its settings and clusters are left out: {told.rstrip('.')}."
        return Settings(path, remarks=(remark,), is_broken=True)
    reading = _Reading(path.parent)
    reading.ignore_unknown(found, "")
    clusters = tuple(_clusters(found.get("clusters"), reading))
    chosen = found.get("cluster")
    toggles = _toggles(found.get("enable"), reading)
    return Settings(
        path, toggles, str(chosen) if chosen else None, clusters, tuple(reading.remarks), tuple(reading.ignored)
    )


def write_settings(settings: Settings, cluster: str) -> None:
    """The values that the shell changes, into the text that is there. OSError; SettingsError where it is broken."""
    from riacho.cli.shell.yaml_values import with_values

    path = settings.path
    try:
        text = path.read_text(encoding="utf-8")
        mode = path.stat().st_mode & 0o777
    except FileNotFoundError:
        text, mode = _EMPTY, 0o600
    toggles = settings.toggles
    changed = with_values(
        text,
        {
            ("enable", "inline_help"): toggles.inline_help,
            ("enable", "fuzzy_search"): toggles.fuzzy_search,
            ("cluster",): cluster,
        },
    )
    if changed == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    # Through a link, the file that it names is replaced and not the link.
    target = path.resolve()
    draft = target.with_name(f".{target.name}.{os.getpid()}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(changed)
    draft.replace(target)


def _parsed(path: Path) -> dict[str, Any]:
    import yaml

    from riacho.cli.shell.yaml_values import load_plain

    with path.open("rb") as file:
        data = file.read(_FILE_BYTES_MAX + 1)
    if len(data) > _FILE_BYTES_MAX:
        raise SettingsError(f"it is larger than {_FILE_BYTES_MAX} bytes")
    try:
        found = load_plain(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise SettingsError("it is no text") from None
    except yaml.YAMLError as error:
        raise SettingsError(_place(error)) from None
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise SettingsError("it holds no settings by name")
    return found


def _place(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or "it is no YAML"
    return f"{problem} in line {mark.line + 1}" if mark is not None else str(problem)


def _toggles(found: object, reading: _Reading) -> Toggles:
    if found is None:
        return Toggles()
    if not isinstance(found, dict):
        reading.remark("'enable' of the settings is left out: it has to have names and true or false.")
        return Toggles()
    known = {name: found[name] for name in Toggles.__slots__ if isinstance(found.get(name), bool)}
    for name in found:
        if name not in known:
            reading.ignore(f"enable.{name}")
    return replace(Toggles(), **known)


def _clusters(found: object, reading: _Reading) -> list[ShellCluster]:
    if not isinstance(found, dict):
        if found is not None:
            reading.remark("'clusters' of the settings is left out: it has to have a cluster under each name.")
        return []
    made = []
    for name, about in list(found.items())[:_CLUSTERS_MAX]:
        if not isinstance(about, dict) or not isinstance(about.get("bootstrap_servers"), str):
            reading.remark(f"The cluster '{name}' of the settings is left out: it has no bootstrap_servers.")
            continue
        made.append(_cluster(str(name), about, reading))
    return made


def _cluster(name: str, about: dict[Any, Any], reading: _Reading) -> ShellCluster:
    if about.get("command_prefix"):
        # Commands run in this process; what a file has in front of them is not run at all.
        reading.remark("command_prefix has no effect: commands run in the shell's own process.")
    reading.ignore_unknown(about, "cluster")
    admin = _tool_settings(about, "admin_client_settings", reading)
    if admin.properties:
        # They are for reading and printing records.
        reading.ignore("admin_client_settings.properties")
    return ShellCluster(
        addresses=ClusterAddresses(
            name=name,
            bootstrap=about["bootstrap_servers"],
            properties=_client_settings(admin.config, reading),
            schema_registry_url=_text(about.get("schema_registry_url")),
            connect_url=_text(about.get("connect_url")),
            ksql_url=_text(about.get("ksql_server_url")),
            is_production=is_production(name, about.get("production")),
        ),
        admin=admin,
        consumer=_tool_settings(about, "consumer_settings", reading),
        producer=_tool_settings(about, "producer_settings", reading),
    )


def _tool_settings(about: dict[Any, Any], kind: str, reading: _Reading) -> ToolSettings:
    found = about.get(kind)
    if not isinstance(found, dict):
        if found is not None:
            reading.ignore(kind)
        return ToolSettings()
    reading.ignore_unknown(found, "settings", f"{kind}.")
    config = _text(found.get("config"))
    properties = found.get("properties")
    given = properties if isinstance(properties, dict) else {}
    return ToolSettings(
        # As kafka-shell's tools take it: from where one works.
        Path(config).expanduser() if config else None,
        {str(key): _property(value) for key, value in given.items()},
    )


def _client_settings(file: Path | None, reading: _Reading) -> dict[str, str]:
    """What completion logs in with. Commands read the file themselves, and tell what is wrong with it."""
    from riacho.base.config import parse_properties

    if file is None:
        return {}
    try:
        properties = parse_properties(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        reading.remark(f"{file}, which the settings name, cannot be read: {reason}.")
        return {}
    properties.pop("bootstrap.servers", None)
    return properties


def _property(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _text(value: object) -> str | None:
    return str(value) if value else None
