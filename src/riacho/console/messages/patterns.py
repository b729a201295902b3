"""Regular expressions of searches: RE2 without groups, for which alone the time follows from the length of the text.

With groups, RE2 leaves its automaton for a slower one whose time grows with the pattern as well: a line of nested stars
takes a minute for ten kilobytes (`tests/unit/console/messages/test_expression.py`).
"""

from __future__ import annotations

from collections.abc import Callable

import re2

# Of the program and its automaton; repetitions like x{1,1000} are refused by it.
_MEMORY_BYTES_MAX = 64 * 1024


class PatternError(ValueError):
    """No regular expression, or one that is too large; without a full stop."""


def searcher(pattern: str) -> Callable[[str], bool]:
    """Whether a text has a match somewhere. PatternError."""
    options = re2.Options()
    options.max_mem = _MEMORY_BYTES_MAX
    options.log_errors = False
    options.never_capture = True
    try:
        search = re2.compile(pattern, options).search
    except re2.error as error:
        reason = error.args[0]
        detail = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise PatternError(f"The text is not a regular expression that can be used ({detail})") from None

    def matches(text: str) -> bool:
        try:
            return search(text) is not None
        except UnicodeEncodeError:
            return False

    return matches
