"""Profiles: client settings under a name, a properties file each, for `--profile NAME`.

They are in `$XDG_CONFIG_HOME/riacho/profiles` or `~/.config/riacho/profiles`, readable by their owner alone, since a
login is what most of them are for. Besides clients' settings one may name the services that belong to the cluster:
`schema.registry.url`, `connect.url` and `ksql.url`. `riacho.production=true` has `riacho shell` show it in red.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

import click

from riacho.cli.failures import did_you_mean

_SUFFIX = ".properties"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_SECRET = re.compile(r"password|secret|jaas|key\.pem|keystore\.key$|token|user\.info", re.IGNORECASE)
HIDDEN = "[hidden]"


def profiles_dir(environment: Mapping[str, str] = os.environ) -> Path:
    home = environment.get("XDG_CONFIG_HOME")
    return (Path(home) if home else Path.home() / ".config") / "riacho" / "profiles"


def profile_names() -> list[str]:
    return sorted(path.name.removesuffix(_SUFFIX) for path in profiles_dir().glob(f"*{_SUFFIX}"))


def read_profile(name: str) -> dict[str, str]:
    from riacho.base.config import parse_properties

    try:
        return parse_properties(profile_file(name).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise _unknown(name) from None


def save_profile(name: str, properties: Mapping[str, str]) -> Path:
    file = profile_file(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{os.getpid()}.new")
    draft.touch(mode=0o600)
    draft.write_text("".join(f"{key}={_escaped(value)}\n" for key, value in sorted(properties.items())))
    draft.replace(file)
    return file


def delete_profile(name: str) -> None:
    try:
        profile_file(name).unlink()
    except FileNotFoundError:
        raise _unknown(name) from None


def shown(properties: Mapping[str, str]) -> dict[str, str]:
    """For eyes: without what is secret."""
    return {key: _shown(key, value) for key, value in sorted(properties.items())}


def _shown(key: str, value: str) -> str:
    from riacho.client.http_target import without_user

    if _SECRET.search(key):
        return HIDDEN
    # A service's address may hold a login.
    return without_user(value) if key.endswith(".url") or "://" in value else value


def profile_file(name: str) -> Path:
    """Whether it is there or not; UsageError for what can be no profile's name."""
    if not _NAME.fullmatch(name):
        raise click.UsageError(f"{name!r} is no name of a profile: letters, digits, '.', '_' and '-'.")
    return profiles_dir() / f"{name}{_SUFFIX}"


def _unknown(name: str) -> click.ClickException:
    return click.ClickException(f"There is no profile '{name}'{did_you_mean(name, profile_names())}")


def _escaped(value: str) -> str:
    """As Java's properties files want it."""
    return value.replace("\\", "\\\\").replace("\n", "\\n")
