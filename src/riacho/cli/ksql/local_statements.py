"""Statements of the session, which are not sent: SET, UNSET, DEFINE, UNDEFINE, SHOW VARIABLES, RUN SCRIPT."""

from __future__ import annotations

from collections.abc import Sequence

from riacho.cli.ksql.commands import CommandError
from riacho.cli.ksql.session import Session
from riacho.cli.ksql.tables import list_table
from riacho.pipelines.sql.parsing.parser import parse_one
from riacho.pipelines.sql.syntax.statements import (
    DefineVariable,
    RunScript,
    SetProperty,
    UndefineVariable,
    UnsetProperty,
)

_FIRST_WORDS = frozenset({"SET", "UNSET", "DEFINE", "UNDEFINE"})
_TWO_WORDS = frozenset({("SHOW", "VARIABLES"), ("LIST", "VARIABLES"), ("RUN", "SCRIPT")})


def run_locally(session: Session, text: str, words: Sequence[str]) -> str | RunScript | None:
    """What is to be said of it, the script that is to be run, or None where a server has to see the statement."""
    if words[0] not in _FIRST_WORDS and tuple(words) not in _TWO_WORDS:
        return None
    if tuple(words) in _TWO_WORDS and words[0] != "RUN":
        variables = session.variables
        return list_table(["Variable Name", "Value"], [[name, variables[name]] for name in variables])
    if words[0] == "RUN":
        return RunScript(_path(text))
    match parse_one(text).statement:
        case SetProperty(name, value):
            return _set(session, name, value)
        case UnsetProperty(name):
            return _unset(session, name)
        case DefineVariable(name, value):
            session.variables.define(name, value)
            return f"Variable {name} is defined."
        case UndefineVariable(name):
            if not session.variables.undefine(name):
                raise CommandError(f"Cannot undefine variable '{name}' which was never defined")
            return f"Variable {name} is undefined."
        case _:
            return None


def _path(text: str) -> str:
    """A path, in quotes or as it is."""
    written = text.split(maxsplit=2)[2].strip().removesuffix(";").strip() if len(text.split()) > 2 else ""
    path = written.strip("'\"")
    if not path:
        raise CommandError("RUN SCRIPT needs a file.")
    return path


def _set(session: Session, name: str, value: str) -> str:
    refusal = session.server.refusal_of_property(name)
    if refusal is not None:
        raise CommandError(refusal)
    before = session.properties.get(name)
    session.properties[name] = value
    if before is None:
        return (
            f"Successfully changed local property '{name}' to '{value}'. Use the UNSET command to revert your change."
        )
    return f"Successfully changed local property '{name}' from '{before}' to '{value}'."


def _unset(session: Session, name: str) -> str:
    if name not in session.properties:
        raise CommandError(f"Cannot unset local property '{name}' which was never set in the first place")
    return f"Successfully unset local property '{name}' (value was '{session.properties.pop(name)}')."
