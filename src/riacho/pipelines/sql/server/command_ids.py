"""The ids that clients ask about a command by: kind, name and what was done, as ksqlDB has them."""

from __future__ import annotations

from riacho.pipelines.sql.syntax import statements as syntax
from riacho.pipelines.sql.types import quoted


def command_id(statement: syntax.Statement) -> str:
    match statement:
        case syntax.CreateSource(kind=kind, name=name) | syntax.CreateAsSelect(kind=kind, name=name):
            return f"{kind.value.lower()}/{quoted(name)}/create"
        case syntax.AlterSource(kind=kind, name=name):
            return f"{kind.value.lower()}/{quoted(name)}/alter"
        case syntax.DropSource(kind=kind, name=name):
            return f"{kind.value.lower()}/{quoted(name)}/drop"
        case syntax.InsertInto(target=target):
            return f"stream/{quoted(target)}/create"
        case syntax.CreateType(name=name):
            return f"type/{name}/create"
        case syntax.DropType(name=name):
            return f"type/{name}/drop"
        case syntax.Terminate(query_id=query_id):
            return f"terminate/{query_id or 'all'}/execute"
        case syntax.Pause(query_id=query_id):
            return f"pause/{query_id or 'all'}/execute"
        case syntax.Resume(query_id=query_id):
            return f"resume/{query_id or 'all'}/execute"
        case _:
            raise AssertionError(f"{type(statement).__name__} is no command")
