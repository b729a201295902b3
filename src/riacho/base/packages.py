"""How to get the packages that an extra of this project brings, said the same way everywhere."""

from __future__ import annotations


def how_to_install(*extras: str) -> str:
    """Riacho is on no package index yet, so its name alone would find nothing."""
    return f"pip install '.[{','.join(extras)}]' where Riacho's sources are"
