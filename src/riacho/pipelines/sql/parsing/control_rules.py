"""Queries that run, and the session: from rules of control.lark to values."""

from __future__ import annotations

from lark import Token, Transformer, v_args

from riacho.pipelines.sql.parsing.literals import Name, unquoted
from riacho.pipelines.sql.parsing.shared_rules import text_of
from riacho.pipelines.sql.syntax.statements import (
    AlterSystem,
    DefineVariable,
    Pause,
    Resume,
    RunScript,
    SetProperty,
    Terminate,
    UndefineVariable,
    UnsetProperty,
)


@v_args(inline=True)
class ControlRules(Transformer[Token, object]):
    def terminate(self, query_id: Name | str | None) -> Terminate:
        return Terminate(_id(query_id))

    def pause(self, query_id: Name | str | None) -> Pause:
        return Pause(_id(query_id))

    def resume(self, query_id: Name | str | None) -> Resume:
        return Resume(_id(query_id))

    def set_property(self, name: Token, value: Token) -> SetProperty:
        return SetProperty(unquoted(name), unquoted(value))

    def unset_property(self, name: Token) -> UnsetProperty:
        return UnsetProperty(unquoted(name))

    def alter_system(self, name: Token, value: Token) -> AlterSystem:
        return AlterSystem(unquoted(name), unquoted(value))

    def define_variable(self, name: Token, value: Token) -> DefineVariable:
        return DefineVariable(str(name), unquoted(value))

    def undefine_variable(self, name: Token) -> UndefineVariable:
        return UndefineVariable(str(name))

    def run_script(self, path: Name | str) -> RunScript:
        return RunScript(text_of(path))


def _id(query_id: Name | str | None) -> str | None:
    return None if query_id is None else text_of(query_id)
