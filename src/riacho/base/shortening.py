"""Text of others in a sentence of ours, cut where it is long: a reason may hold a whole schema."""

from __future__ import annotations

REASON_LENGTH_MAX = 300
_CUT = "..."


def shortened(text: str, length_max: int = REASON_LENGTH_MAX) -> str:
    """Its beginning, which says most; what is cut off shows as dots, within the length."""
    return text if len(text) <= length_max else text[: length_max - len(_CUT)] + _CUT
