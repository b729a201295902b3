"""What stands in the WITH clause of a source: its properties, and within their quotes topics and formats."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from riacho.cli.shell.completion.offers import Answer, NameKind, Names, Offer, plain

_VALUE = re.compile(r"\bWITH\s*\((?:[^']|'[^']*')*?\b([A-Z_]+)\s*=\s*'([^']*)\Z", re.IGNORECASE)
# Nobody types longer ones, and a regular expression takes its time.
_CLAUSE_CHARACTERS_MAX = 2_000


def complete_value(text: str, names: Names) -> Answer:
    """At the end of a text that is within a string."""
    found = _VALUE.search(text[-_CLAUSE_CHARACTERS_MAX:])
    if found is None:
        return Answer("")
    name, typed = found.group(1).upper(), found.group(2)
    if name == "KAFKA_TOPIC":
        return Answer(typed, names.names(NameKind.TOPIC))
    if name.endswith("FORMAT") and not name.startswith("TIMESTAMP"):
        return Answer(typed, plain(_formats()))
    return Answer(typed)


def is_property_next(words: Sequence[str]) -> bool:
    """Whether a property's name follows these words and signs of a statement."""
    if not words or words[0] != "CREATE" or words[-1] not in ("(", ","):
        return False
    depth = 0
    for index in range(len(words) - 1, 0, -1):
        depth += {")": 1, "(": -1}.get(words[index], 0)
        if depth < 0:
            return words[index - 1] == "WITH"
    return False


def properties(typed: str) -> Iterator[Offer]:
    """With the quote that a text begins with."""
    from riacho.pipelines.sql.analysis.with_clause import PROPERTIES

    for name, is_text in PROPERTIES.items():
        written = f"{name}='" if is_text else f"{name}="
        yield Offer(written.lower() if typed.islower() else written, "a property of the source")


def _formats() -> list[str]:
    from riacho.pipelines.sql.formats.supported import FORMATS

    return sorted(FORMATS)
