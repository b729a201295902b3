"""What a line may replace instead of making it: asked about where it is there, and where nobody can say."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from riacho.cli.shell.danger.danger import Danger


class Made(Enum):
    """What commands make, or give something new where it is there; the values are what would become of it."""

    USER = "Replace the password of {name}"
    PIPELINE = "Replace the config of the pipeline {name}"
    RULE = "Change the rule {name}"


# None: nobody can say.
IsThere = Callable[[Made, str], bool | None]


def not_asked(kind: Made, name: str) -> bool | None:
    return None


def danger_of_making(kind: Made, name: str, is_there: IsThere) -> Danger | None:
    found = is_there(kind, name)
    if found is False:
        return None
    return Danger(kind.value.format(name=name) + ("" if found else ", if there is one already"))
