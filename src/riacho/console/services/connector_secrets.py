"""Secrets in the configs of connectors: shown as dots, and put back where a config comes back with the dots.

Secret is what the plugin's definition types as a password, what is called like one, and a password within a URL. A
reference to a config provider (`${file:...}`) is none: who reads it knows where to look, and no more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

HIDDEN = "••••••••"
_WORDS = ("password", "secret", "token", "jaas", "credential", "user.info", "api.key", "apikey", "passphrase",
          "private.key", "access.key", "sas.", "keystore.key")  # fmt: skip
# Called like secrets, and none.
_PLAIN = ("tokenizer", "max.tokens")
_REFERENCE = re.compile(r"\$\{[^{}]*\}")
_LOGIN_IN_URL = re.compile(r"(://[^\s/@:]*:)([^\s/@]+)(?=@)")
_PARAMETER_IN_URL = re.compile(r"((?:password|pwd|secret|token|sig)=)([^\s&;]+)", re.IGNORECASE)
# Shorter ones would take letters out of ordinary words.
_SECRET_LENGTH_MIN = 4


def is_called_secret(name: str) -> bool:
    lower = name.lower()
    return any(word in lower for word in _WORDS) and not any(word in lower for word in _PLAIN)


def is_reference(value: str) -> bool:
    return _REFERENCE.fullmatch(value.strip()) is not None


class Secrets:
    """Of one connector's config. `passwords`: the settings that its definition types so; None where there is no
    definition, and then nothing but what is known to be harmless is shown."""

    HARMLESS = frozenset({"name", "connector.class", "tasks.max", "topics", "topics.regex", "topic"})

    def __init__(self, config: Mapping[str, str], passwords: Collection[str] | None) -> None:
        self._config = config
        self._passwords = passwords

    def shown(self) -> dict[str, str]:
        return {name: self._shown(name, value) for name, value in self._config.items()}

    def hidden(self) -> list[str]:
        """Names of settings that are not shown as they are."""
        return sorted(name for name, value in self._config.items() if self._shown(name, value) != value)

    def restored(self, given: Mapping[str, str]) -> dict[str, str]:
        """What comes back as it was shown is as it was."""
        shown = self.shown()
        return {name: self._config[name] if shown.get(name) == value else value for name, value in given.items()}

    def without(self, text: str) -> str:
        """A text, a trace for one, without the secrets that it may quote."""
        for value in sorted(self._values(), key=len, reverse=True):
            text = text.replace(value, HIDDEN)
        return _hidden_in_urls(text)

    def _shown(self, name: str, value: str) -> str:
        if not value or is_reference(value):
            return value
        return HIDDEN if self._is_secret(name) else _hidden_in_urls(value)

    def _is_secret(self, name: str) -> bool:
        if self._passwords is None:
            return name not in self.HARMLESS
        return name in self._passwords or is_called_secret(name)

    def _values(self) -> set[str]:
        if self._passwords is None:
            named = {name for name in self._config if is_called_secret(name)}
        else:
            named = {name for name in self._config if self._is_secret(name)}
        values = {self._config[name].strip() for name in named if not is_reference(self._config[name])}
        return {value for value in values if len(value) >= _SECRET_LENGTH_MIN}


def _hidden_in_urls(text: str) -> str:
    text = _LOGIN_IN_URL.sub(lambda found: found[1] + HIDDEN, text)
    return _PARAMETER_IN_URL.sub(lambda found: found[1] + HIDDEN, text)
