"""A JAAS file that the JVM's option names: `KAFKA_OPTS=-Djava.security.auth.login.config=/etc/kafka/client.jaas`.

So Java clients that have no `sasl.jaas.config` find their login, and scripts that set the variable work here as well.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping

from riacho.base.config import ConfigError
from riacho.security.jaas import jaas_section

VARIABLE = "KAFKA_OPTS"
_OPTION = "-Djava.security.auth.login.config="
_SECTION = "KafkaClient"
_SIZE_BYTES_MAX = 1 << 20


def login_from_environment(environment: Mapping[str, str] = os.environ) -> str | None:
    """What `sasl.jaas.config` would say; None when no file is named, ConfigError when it is of no use."""
    path = _named(environment.get(VARIABLE, ""))
    if path is None:
        return None
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(_SIZE_BYTES_MAX)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ConfigError(f"{path}, which {VARIABLE} names, cannot be read: {reason}") from None
    found = jaas_section(text, _SECTION)
    if found is None:
        raise ConfigError(f"{path}, which {VARIABLE} names, has no section {_SECTION}")
    return found


def _named(options: str) -> str | None:
    try:
        words = shlex.split(options)
    except ValueError:
        words = options.split()
    # The last one counts, as for the JVM; two equals signs mean that no other file counts.
    paths = [word[len(_OPTION) :].removeprefix("=") for word in words if word.startswith(_OPTION)]
    return paths[-1].removeprefix("file:") if paths else None
