"""Topic names by regular expression, as Kafka's IncludeList reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from riacho.cli.kafka.launch import ToolError
from riacho.metadata.image.topic_names import INTERNAL_TOPICS


def topic_pattern(text: str) -> re.Pattern[str]:
    """Commas are alternatives and quotes mean nothing: `--topic 'a,b'` matches both."""
    plain = text.strip().replace(",", "|").replace(" ", "").strip("\"'")
    try:
        return re.compile(plain)
    except re.error as error:
        raise ToolError(f"Error: '{text}' is not a regular expression: {error}") from None


def topic_filter(text: str | None, *, exclude_internal: bool) -> Callable[[str], bool]:
    pattern = topic_pattern(text) if text is not None else None

    def is_allowed(name: str) -> bool:
        if exclude_internal and name in INTERNAL_TOPICS:
            return False
        return pattern is None or pattern.fullmatch(name) is not None

    return is_allowed


def matching_topics(names: Iterable[str], text: str | None, *, exclude_internal: bool = False) -> list[str]:
    return sorted(filter(topic_filter(text, exclude_internal=exclude_internal), names))
