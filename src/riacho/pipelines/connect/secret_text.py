"""Secrets in configs: filled in on the way to the runner (`client/config_providers.py`), and kept out of all that comes
back.

The API shows the text as it was given; only a start command ever has the values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from riacho.base.config import ConfigError
from riacho.security.jaas import parse_jaas

HIDDEN = "[hidden]"
# Settings that are called so hold secrets, whoever they belong to.
_WORDS = (
    "password", "secret", "token", "jaas", "credential", "user.info", "api.key", "key.pem", "keystore.key",
    "access.key", "account.key",
)  # fmt: skip


def is_secret(name: str) -> bool:
    """Whether a setting of that name holds a secret."""
    return any(word in name.lower() for word in _WORDS)


def secret_values(config: Mapping[str, str], named: Iterable[str] = ()) -> set[str]:
    """What is given for settings that are called like secrets, for those that are named, and what is secret in them."""
    names = {name for name in config if is_secret(name)} | set(named)
    found = {config[name] for name in names if config.get(name)}
    for name in names:
        if name.endswith("sasl.jaas.config"):
            found |= _login_secrets(config[name])
    return found


def _login_secrets(text: str) -> set[str]:
    try:
        options = parse_jaas(text).options
    except ConfigError:
        return set()
    return {value for name, value in options.items() if value and is_secret(name)}


class Mask:
    """Takes known secrets out of texts."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        wanted = {part for secret in secrets for part in (secret, secret.strip()) if part}
        longest_first = sorted(wanted, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def hide(self, text: str) -> str:
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)
