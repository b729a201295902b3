"""Identifiers and strings as text that is read back as they are."""

from __future__ import annotations

import re

from riacho.pipelines.sql.parsing.keywords import QUOTED_AS_NAMES
from riacho.pipelines.sql.types import quoted

_PLAIN = re.compile(r"[A-Z_][A-Z0-9_]*", re.ASCII)


def identifier_text(name: str) -> str:
    """As it is where it is read back as it is, else in back-ticks."""
    is_plain = _PLAIN.fullmatch(name) is not None and name not in QUOTED_AS_NAMES
    return name if is_plain else quoted(name)


def string_text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
