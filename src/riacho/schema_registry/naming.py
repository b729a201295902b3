"""Names of subjects and contexts.

A context is a name space of its own: ids, subjects, config and mode. The default one is called `.` and is left out of
names; a subject of another is written `:.context:subject`. `:.context:` alone means the context itself (its config, its
mode), `:.__GLOBAL:` what holds for all contexts, and `:*:` any context in a search.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DEFAULT_CONTEXT = "."
GLOBAL_CONTEXT = ".__GLOBAL"
ANY_CONTEXT = ":*:"
_CONTEXT_PREFIX = ":."
_RESERVED_SUBJECTS = frozenset({"__GLOBAL", "__EMPTY"})
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class QualifiedSubject:
    """`context` begins with a dot, or is `*`; `subject` is empty where the context itself is meant."""

    context: str
    subject: str

    @property
    def context_name(self) -> str:
        """The context as it stands before a subject: nothing for the default one."""
        return "" if self.context == DEFAULT_CONTEXT else f":{self.context}:"

    @property
    def is_context(self) -> bool:
        return not self.subject

    def __str__(self) -> str:
        return self.context_name + self.subject


def parse_subject(name: str) -> QualifiedSubject:
    if name.startswith(_CONTEXT_PREFIX):
        context, _, subject = name[1:].partition(":")
        return QualifiedSubject(context, subject)
    if name.startswith(ANY_CONTEXT):
        return QualifiedSubject("*", name[len(ANY_CONTEXT) :])
    return QualifiedSubject(DEFAULT_CONTEXT, name)


def normalize_subject(name: str) -> str:
    """One spelling a subject: `:.:x` is `x`, `:.ctx` is `:.ctx:`."""
    return str(parse_subject(name)) if name.startswith(":") else name


def context_of(name: str | None) -> str:
    return DEFAULT_CONTEXT if name is None else parse_subject(name).context


def context_name_of(name: str | None) -> str:
    """As the texts of errors have it: empty for the default context."""
    return "" if name is None else parse_subject(name).context_name


def qualify_with_parent(name: str, parent: str) -> str:
    """A name that says no context belongs to the one of `parent`: references and aliases are written so."""
    found = parse_subject(name)
    if found.context != DEFAULT_CONTEXT:
        return str(found)
    return str(QualifiedSubject(context_of(parent), found.subject))


def is_valid_subject(name: str, *, for_settings: bool = False) -> bool:
    """`for_settings`: of a config or a mode, which the global context may have too."""
    if _CONTROL.search(name):
        return False
    found = parse_subject(name)
    if found.subject in _RESERVED_SUBJECTS or found.context == "*":
        return False
    return for_settings or found.context != GLOBAL_CONTEXT


def normalize_context(name: str) -> str:
    """`ctx`, `.ctx`, `:.ctx:` become `:.ctx:`, the default one the empty text. ValueError for what cannot be one."""
    bare = name.removeprefix(":").removesuffix(":")
    if ":" in bare:
        raise ValueError("Context name cannot contain a colon")
    if not bare.startswith("."):
        bare = f".{bare}"
    return "" if bare == DEFAULT_CONTEXT else f":{bare}:"


def in_scope(subject: str, scope: str | None) -> bool:
    """Whether a subject is meant by `scope`: itself, its context, the global context, or None for everything."""
    if scope is None or scope == subject:
        return True
    found = parse_subject(scope)
    return found.is_context and found.context in (GLOBAL_CONTEXT, context_of(subject))
