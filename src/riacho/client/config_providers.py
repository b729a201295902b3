"""Values that stand elsewhere: `${provider:path:key}` in settings, filled in when they are read (KIP-297).

`config.providers` names the providers, with Kafka's classes: FileConfigProvider (a properties file),
DirectoryConfigProvider (a file a key), EnvVarConfigProvider. `allowed.paths` and `allowlist.pattern` bound what they
may read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from riacho.base.config import ConfigError, parse_properties

PREFIX = "config.providers."
_VARIABLE = re.compile(r"\$\{([^}:]*):(?:([^}]*?):)?([^}]*?)\}")
_SIZE_BYTES_MAX = 1024 * 1024
# Reads one key of one path.
Provider = Callable[[str, str], str]


class Providers:
    def __init__(self, providers: Mapping[str, Provider]) -> None:
        self._providers = dict(providers)

    def resolve(self, config: Mapping[str, str]) -> tuple[dict[str, str], set[str]]:
        """(the config with secrets filled in, the secrets). ConfigError where one cannot be had."""
        secrets: set[str] = set()

        def value(found: re.Match[str]) -> str:
            provider = self._providers.get(found[1])
            if provider is None:
                # As in Kafka: what names no provider is plain text.
                return found[0]
            secret = provider(found[2] or "", found[3])
            secrets.add(secret)
            return secret

        return {name: _VARIABLE.sub(value, text) for name, text in config.items()}, secrets


def providers_of(properties: Mapping[str, str], environment: Mapping[str, str] | None = None) -> Providers:
    """ConfigError when a provider's class is not one of Kafka's three."""
    names = [name.strip() for name in properties.get("config.providers", "").split(",") if name.strip()]
    made: dict[str, Provider] = {}
    for name in names:
        prefix = f"{PREFIX}{name}."
        given = properties.get(f"{prefix}class", "").rpartition(".")[2]
        paths = [
            Path(part.strip()) for part in properties.get(f"{prefix}param.allowed.paths", "").split(",") if part.strip()
        ]
        if given == "FileConfigProvider":
            made[name] = _file_provider(paths)
        elif given == "DirectoryConfigProvider":
            made[name] = _directory_provider(paths)
        elif given == "EnvVarConfigProvider":
            pattern = properties.get(f"{prefix}param.allowlist.pattern", ".*")
            made[name] = _environment_provider(pattern, os.environ if environment is None else environment)
        else:
            kinds = "FileConfigProvider, DirectoryConfigProvider and EnvVarConfigProvider"
            raise ConfigError(f"{prefix}class is '{given}'; there are {kinds}")
    return Providers(made)


def _file_provider(allowed: list[Path]) -> Provider:
    def read(path: str, key: str) -> str:
        found = parse_properties(_text_of(Path(path), allowed))
        if key not in found:
            raise ConfigError(f"The file {path} has no key '{key}'.")
        return found[key]

    return read


def _directory_provider(allowed: list[Path]) -> Provider:
    def read(path: str, key: str) -> str:
        if not key or Path(key).name != key:
            raise ConfigError(f"'{key}' is not the name of a file in {path}.")
        return _text_of(Path(path) / key, allowed)

    return read


def _environment_provider(pattern: str, environment: Mapping[str, str]) -> Provider:
    try:
        allowed = re.compile(pattern)
    except re.error as error:
        raise ConfigError(f"allowlist.pattern is not a pattern: {error}") from None

    def read(path: str, key: str) -> str:
        if path or not allowed.fullmatch(key) or key not in environment:
            raise ConfigError(f"The environment variable '{key}' is not there, or may not be read.")
        return environment[key]

    return read


def _text_of(path: Path, allowed: Iterable[Path]) -> str:
    bounds = [each.resolve() for each in allowed]
    real = path.resolve()
    if bounds and not any(real == each or each in real.parents for each in bounds):
        raise ConfigError(f"{path} is not under one of allowed.paths.")
    if real.exists() and not real.is_file():
        # A pipe would never end to be read.
        raise ConfigError(f"{path} is not a file.")
    try:
        with real.open(encoding="utf-8") as file:
            return file.read(_SIZE_BYTES_MAX)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise ConfigError(f"The file {path} cannot be read: {reason}.") from None
