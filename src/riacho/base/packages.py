"""How to get the packages that an extra of this project brings, said the same way everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


def how_to_install(*extras: str) -> str:
    """Riacho is on no package index yet, so its name alone would find nothing."""
    return f"pip install '.[{','.join(extras)}]' where Riacho's sources are"


@contextmanager
def brought_by(extra: str, what: str) -> Iterator[None]:
    """Around imports: ModuleNotFoundError for a missing package names the extra that installs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "riacho":
            raise
        message = f"{what} needs the package {error.name}, which is not installed: {how_to_install(extra)}."
        raise ModuleNotFoundError(message, name=error.name) from None
