"""Variables: `${name}` in a statement is what DEFINE gave that name, in any case of letters.

The value goes in as it is, without quotes of its own: `'${format}'` is a string, `${replicas}` a number. A reference
that nobody defined stays, and `$${name}` is `${name}` and no reference. Comments are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.parsing.bounds import TEXT_CHARACTERS_MAX

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
# Values contain references of their own only when they were defined so, and then they are text: no second round.
_REFERENCE = re.compile(
    r"(?P<comment>--[^\n]*+|/\*.*?\*/)|(?P<string>'[^']*+(?>(?:''[^']*+)*)')|\$(?P<escaped>\$\{[^}]*+\})"
    r"|\$\{(?P<name>[A-Za-z_]\w*+)\}",
    re.DOTALL | re.ASCII,
)
_IN_STRING = re.compile(r"\$(?P<escaped>\$\{[^}]*+\})|\$\{(?P<name>[A-Za-z_]\w*+)\}", re.ASCII)


class Variables(Mapping[str, str]):
    """What is defined, by name in any case of letters; iteration gives names as they were written."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values: dict[str, tuple[str, str]] = {}
        for name, value in (values or {}).items():
            self.define(name, value)

    def define(self, name: str, value: str) -> None:
        if NAME.fullmatch(name) is None:
            raise KsqlError(
                f"Illegal variable name '{name[:80]}': a name begins with a letter or an underscore and has letters, "
                "digits and underscores."
            )
        self._values[name.upper()] = (name, value)

    def undefine(self, name: str) -> bool:
        """False where there was none."""
        return self._values.pop(name.upper(), None) is not None

    def __getitem__(self, name: str) -> str:
        return self._values[name.upper()][1]

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._values.values())

    def __len__(self) -> int:
        return len(self._values)


def substituted(text: str, variables: Mapping[str, str]) -> str:
    """The text with values in place of references."""
    if "${" not in text:
        return text
    values = {name.upper(): value for name, value in variables.items()}

    def replaced(found: re.Match[str]) -> str:
        groups = found.groupdict()
        if groups.get("comment") is not None:
            return found.group()
        if groups.get("string") is not None:
            return _IN_STRING.sub(replaced, found.group())
        if groups["escaped"] is not None:
            return groups["escaped"]
        return values.get(groups["name"].upper(), found.group())

    made = _REFERENCE.sub(replaced, text)
    if len(made) > TEXT_CHARACTERS_MAX:
        raise KsqlError(f"With its variables the request has more than {TEXT_CHARACTERS_MAX} characters.")
    return made
