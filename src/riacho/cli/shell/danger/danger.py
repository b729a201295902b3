"""What a line would destroy, and how somebody says that it is meant.

What cannot be undone wants its name typed; `y` does for the rest. Where a command has a flag that says it is meant, a
line with it is not asked about, and a line that was agreed to gets it, so that nobody is asked twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Danger(NamedTuple):
    """`about` is what would be done; `name` what has to be typed, None where `y` does; `flag` stands for a yes."""

    about: str
    name: str | None = None
    flag: str | None = None


def together(found: Sequence[Danger]) -> Danger | None:
    """One question for several."""
    if not found:
        return None
    names = [danger.name for danger in found if danger.name is not None]
    return Danger("; ".join(dict.fromkeys(danger.about for danger in found)), " ".join(names) or None)


def losing(settings: dict[str, str]) -> list[str]:
    """The keys among them by which a broker may delete records, or take a leader that lacks some."""
    return [key for key, value in settings.items() if _loses(key.removeprefix("log."), value.strip().lower())]


def _loses(key: str, value: str) -> bool:
    if key.startswith("retention."):
        return value != "-1"
    if key == "unclean.leader.election.enable":
        return value == "true"
    return key == "cleanup.policy"
