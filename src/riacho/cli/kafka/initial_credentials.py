"""`kafka-storage format --add-scram`: users who can log in from a cluster's first moment (KIP-900).

`SCRAM-SHA-256=[name=alice,password=secret]`, with `iterations` and `salt` if wanted, or `saltedpassword` and `salt` in
base64 in place of the password.
"""

from __future__ import annotations

import base64
import binascii
import re
import secrets
from collections.abc import Iterable

from riacho.base.config import ConfigError
from riacho.base.scram import (
    ITERATIONS_MAX,
    ITERATIONS_MIN,
    SCRAM_BY_NAME,
    ScramMechanism,
    credential_from_salted,
    salted_password,
)
from riacho.cli.kafka.launch import ToolError
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.scram_credentials import scram_record

_OPTION = re.compile(r"\s*(?P<name>[a-z]+)\s*=\s*(?P<value>(?:\"[^\"]*\")|[^,\"]*)\s*(?:,|$)")
_SALT_BYTES = 24


def initial_credentials(texts: Iterable[str]) -> list[MetadataRecord]:
    found: dict[tuple[str, int], MetadataRecord] = {}
    for text in texts:
        name, _, rest = text.partition("=")
        mechanism = SCRAM_BY_NAME.get(name.strip())
        if mechanism is None:
            raise ToolError(f"The add-scram mechanism {name} is not supported.")
        try:
            options = _options(rest)
        except ConfigError as error:
            raise ToolError(f"--add-scram: {error}") from None
        user = options.get("name")
        if not user:
            raise ToolError("You must supply 'name' to add-scram")
        found[user, mechanism] = _record(mechanism, user, options)
    return list(found.values())


def _record(mechanism: ScramMechanism, user: str, options: dict[str, str]) -> MetadataRecord:
    iterations = options.get("iterations", str(ITERATIONS_MIN))
    if not iterations.isdecimal() or not ITERATIONS_MIN <= int(iterations) <= ITERATIONS_MAX:
        limits = f"from {ITERATIONS_MIN} to {ITERATIONS_MAX}"
        raise ToolError(f"The 'iterations' value must be {limits} for add-scram, not {iterations}")
    salt = _decoded("salt", options["salt"]) if "salt" in options else secrets.token_bytes(_SALT_BYTES)
    if ("password" in options) == ("saltedpassword" in options):
        raise ToolError("You must supply one of 'password' or 'saltedpassword' to add-scram")
    if "saltedpassword" in options:
        if "salt" not in options:
            raise ToolError("You must supply 'salt' with 'saltedpassword' to add-scram")
        salted = _decoded("saltedpassword", options["saltedpassword"])
    else:
        salted = salted_password(mechanism, options["password"].encode(), salt, int(iterations))
    return scram_record(user, mechanism, credential_from_salted(mechanism, salted, salt, int(iterations)))


def _decoded(name: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        raise ToolError(f"The '{name}' of add-scram is not base64") from None


def _options(text: str) -> dict[str, str]:
    """The pairs between brackets; ConfigError."""
    inner = text.strip()
    if not (inner.startswith("[") and inner.endswith("]")):
        raise ConfigError("a SCRAM credential is written in brackets: [iterations=8192,password=...]")
    inner = inner[1:-1]
    options: dict[str, str] = {}
    position = 0
    while position < len(inner):
        found = _OPTION.match(inner, position)
        if found is None or found.end() == position:
            raise ConfigError("a SCRAM credential has an option that cannot be read")
        options[found["name"]] = found["value"].strip().strip('"')
        position = found.end()
    return options
