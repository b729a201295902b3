"""What a topic may be called, and which two names may not stand beside one another."""

from __future__ import annotations

import re
from collections.abc import Iterable

CONSUMER_OFFSETS = "__consumer_offsets"
TRANSACTION_STATE = "__transaction_state"
SHARE_GROUP_STATE = "__share_group_state"
CLUSTER_METADATA = "__cluster_metadata"
INTERNAL_TOPICS = frozenset({CONSUMER_OFFSETS, TRANSACTION_STATE, SHARE_GROUP_STATE})

# A partition's directory is the name, a dash and a number, and may grow a suffix while it is deleted.
_LENGTH_MAX = 249
_ALLOWED = re.compile(r"[a-zA-Z0-9._-]+")


def name_problem(name: str) -> str | None:
    """Why a topic cannot have this name, in Kafka's words; None when it can."""
    if not name:
        return "Topic name is invalid: the empty string is not allowed"
    if name in (".", ".."):
        return f"Topic name is invalid: '{name}' is not allowed"
    if len(name) > _LENGTH_MAX:
        return f"Topic name is invalid: the length of '{name}' is longer than the max allowed length {_LENGTH_MAX}"
    if not _ALLOWED.fullmatch(name):
        allowed = "ASCII alphanumerics, '.', '_' and '-'"
        return f"Topic name is invalid: '{name}' contains one or more characters other than {allowed}"
    return None


def may_collide(name: str) -> bool:
    """Metric names turn dots into underscores, so `a.b` and `a_b` would share theirs."""
    return "." in name or "_" in name


def collision_key(name: str) -> str:
    return name.replace(".", "_")


def collision_index(names: Iterable[str]) -> dict[str, str]:
    """Topics that can collide, by what they would collide on."""
    return {collision_key(name): name for name in names if may_collide(name)}
