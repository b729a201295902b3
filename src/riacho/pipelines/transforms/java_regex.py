"""Java regular expressions: Spark evaluates them as Java does, this says what is wrong with them before it does.

Spark's `rlike` and `regexp_replace` are java.util.regex, so a record meets the same engine as in Kafka. Validation runs
without a JVM: only what is surely an error in Java is refused (a bracket left open, a quantifier of nothing); the rest
is left to the JVM. Not supported: patterns that end in a comment of the `(?x)` mode, since a bracket is put after them.
"""

from __future__ import annotations

import re

from pyspark.sql import Column

from riacho.base.config import Value, invalid

_SURE = {
    "missing ), unterminated subpattern": "Unclosed group",
    "unbalanced parenthesis": "Unmatched closing ')'",
    "nothing to repeat": "Dangling meta character",
    "unterminated character set": "Unclosed character class",
    "bad escape (end of pattern)": "Unexpected internal error",
}
_GROUP_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9]*")


def valid_regex(name: str, value: Value) -> None:
    text = _as_python(str(value))
    try:
        re.compile(text)
    except re.error as error:
        if error.msg in _SURE:
            where = "" if error.pos is None else f" near index {error.pos + 1}"
            raise invalid(name, value, f"Invalid regex: {_SURE[error.msg]}{where}") from None
    except (OverflowError, RecursionError):
        raise invalid(name, value, "Invalid regex: too large") from None


def _as_python(text: str) -> str:
    """Java's words where Python has others, so that its compiler finds the brackets. Meaning does not matter."""
    text = re.sub(r"\\Q(.*?)(\\E|$)", lambda found: re.escape(found.group(1)), text, flags=re.DOTALL)
    text = re.sub(r"\(\?<(?![=!])", "(?P<", text)
    return re.sub(r"\\[pPx]\{[^}]*\}|\\[zGhHRvVXN]", ".", text)


def matches(column: Column, regex: str) -> Column:
    """`Matcher.matches`: the whole text, not a part of it."""
    return column.rlike(rf"\A(?:{regex})\z")


def groups(regex: str) -> tuple[int, frozenset[str]]:
    """How many groups a pattern captures, and the names that some have."""
    bare = re.sub(r"\\Q.*?(\\E|$)|\\.", "", regex, flags=re.DOTALL)
    bare = re.sub(r"\[\^?\]?[^\]]*\]", "", bare)
    names = re.findall(r"\(\?<([a-zA-Z][a-zA-Z0-9]*)>", bare)
    return len(re.findall(r"\((?!\?)", bare)) + len(names), frozenset(names)


def replacement_fault(regex: str, replacement: str) -> tuple[str, str] | None:
    """(exception, message) that `Matcher.replaceFirst` would throw for this replacement, or None."""
    count, names = groups(regex)
    illegal = "java.lang.IllegalArgumentException"
    at = 0
    while at < len(replacement):
        letter, rest = replacement[at], replacement[at + 1 :]
        at += 1
        if letter == "\\":
            if not rest:
                return illegal, "character to be escaped is missing"
            at += 1
        elif letter == "$":
            if not rest:
                return illegal, "Illegal group reference: group index is missing"
            if rest[0] == "{":
                name, closed, _ = rest[1:].partition("}")
                if not closed or not _GROUP_NAME.fullmatch(name):
                    return illegal, "named capturing group is missing trailing '}'"
                if name not in names:
                    return illegal, f"No group with name {{{name}}}"
                at += len(name) + 2
            elif not rest[0].isdigit():
                return illegal, "Illegal group reference"
            elif int(rest[0]) > count:
                return "java.lang.IndexOutOfBoundsException", f"No group {rest[0]}"
    return None
