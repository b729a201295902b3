"""A value that does not fit, on its way from the place of the fault up to whoever asked, gathering the path."""

from __future__ import annotations

from riacho.schemas.json_text import write_json
from riacho.schemas.parsed import DataError, Json, SchemaError

SHOWN_MAX = 60
PATH_MAX = 400


class Misfit(Exception):
    """Steps are added from the inside out: a field's name, a key, or an index."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self._steps: list[str | int] = []

    def inside(self, step: str | int) -> Misfit:
        self._steps.append(step)
        return self

    def error(self) -> DataError:
        path = ""
        for step in reversed(self._steps):
            path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
        path = _sendable(path if len(path) <= PATH_MAX else f"{path[:PATH_MAX]}...")
        return DataError(f"{path}: {self.reason}" if path else self.reason)


def misfit(expected: str, value: Json) -> Misfit:
    return Misfit(f"expected {expected}, got {shown(value)}")


def shown(value: Json) -> str:
    """A glimpse of the value; containers by their kind only, as they may be large."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    try:
        text = write_json(value)
    except (SchemaError, AssertionError, ValueError):
        return f"a {type(value).__name__}"
    return _sendable(text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}...")


def _sendable(text: str) -> str:
    """Without halves of surrogate pairs, which a value may have, and an answer may not."""
    return text.encode("utf-8", "replace").decode()
