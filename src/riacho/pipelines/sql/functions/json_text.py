"""JSON texts as Jackson reads and prints them: strictly, with no blanks, fields in the order in which they came."""

from __future__ import annotations

import json
from typing import Any

from riacho.base.config import java_double_text

TEXT_LENGTH_MAX = 16 * 1024 * 1024
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_TRANSLATION = str.maketrans({**{chr(code): f"\\u{code:04X}" for code in range(32)}, **_ESCAPES})


def parsed(text: str) -> Any:
    """ValueError where it is no JSON."""
    if len(text) > TEXT_LENGTH_MAX:
        raise ValueError("JSON is too long")
    return json.loads(text, parse_constant=_refuse)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def printed(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return java_double_text(value)
        case str():
            return '"' + value.translate(_TRANSLATION) + '"'
        case list():
            return "[" + ",".join(map(printed, value)) + "]"
        case _:
            return "{" + ",".join(f"{printed(key)}:{printed(item)}" for key, item in value.items()) + "}"


def concatenated(texts: list[str | None]) -> str | None:
    """JSON_CONCAT: objects become one, with the last one's fields; everything else becomes a list."""
    if any(text is None for text in texts) or not texts:
        return None
    values = [parsed(text) for text in texts if text is not None]
    if all(isinstance(value, dict) for value in values):
        return printed({key: item for value in values for key, item in value.items()})
    return printed([item for value in values for item in (value if isinstance(value, list) else [value])])


def records(text: str) -> dict[str, str] | None:
    """JSON_RECORDS: the fields of an object, each value as JSON."""
    value = parsed(text)
    return {key: printed(item) for key, item in value.items()} if isinstance(value, dict) else None


def items(text: str) -> list[str] | None:
    """JSON_ITEMS: the elements of a list, each as JSON."""
    value = parsed(text)
    return [printed(item) for item in value] if isinstance(value, list) else None
