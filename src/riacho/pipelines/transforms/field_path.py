"""Where a field is: one name (syntax V1), or names parted by dots, in backticks where they hold dots (V2, KIP-821)."""

from __future__ import annotations

from riacho.base.config import ConfigError, one_of_any_case
from riacho.pipelines.config_def import ConfigType, Definition, Importance

FIELD_SYNTAX_VERSION = Definition(
    "field.syntax.version",
    ConfigType.STRING,
    "V1",
    doc="The syntax of field paths: V1 names fields of the root only, V2 reaches nested ones by dotted notation, with "
    "backtick pairs around names that contain dots.",
    valid=one_of_any_case("V1", "V2"),
    importance=Importance.HIGH,
)


def steps_of(path: str, version: str) -> list[str]:
    """The names on the way to the field; ConfigError for a backtick without its pair."""
    if version.upper() == "V1":
        return [path]
    steps: list[str] = []
    at = 0
    while at < len(path):
        if path[at] == "`":
            step, at = _quoted(path, at)
        else:
            end = path.find(".", at)
            step, at = (path[at:], len(path)) if end < 0 else (path[at:end], end + 1)
        steps.append(step)
    return [*steps, ""] if path.endswith(".") else steps


def _quoted(path: str, opening: int) -> tuple[str, int]:
    """The name in backticks, and where the next one starts. Within it, a backtick is escaped or has no dot after it."""
    name = ""
    start = at = opening + 1
    while True:
        at = path.find("`", at)
        is_last = at == len(path) - 1
        escaped = at > 0 and path[at - 1] == "\\"
        if at < 0 or (is_last and escaped):
            raise ConfigError(
                f"Incomplete backtick pair in path: [{path}], consider adding a backslash before backtick at position "
                f"{opening} to escape it"
            )
        if is_last:
            return name + path[start:at], at + 1
        if path[at + 1] == "." and not escaped:
            return name + path[start:at], at + 2
        if path[at + 1] == ".":
            name += path[start : at - 1] + "`"
            start = at + 1
        at += 1
