"""Statements that destroy: in a line, in a script's file, in a script that a script runs."""

from __future__ import annotations

from pathlib import Path

from riacho.cli.shell.danger.danger import Danger, together

_SCRIPT_CHARACTERS_MAX = 1024 * 1024


def danger_of_sql(text: str) -> Danger | None:
    """Of every statement of a text."""
    return together(_found(text, set()))


def danger_of_script(path: str) -> Danger | None:
    """Of a file; one that cannot be read is for its reader to refuse."""
    return together(_found_in_file(path, set()))


def _found(text: str, scripts: set[Path]) -> list[Danger]:
    """`scripts` are those that were looked into."""
    from riacho.pipelines.sql.errors import KsqlError
    from riacho.pipelines.sql.parsing.scanner import statements

    found: list[Danger] = []
    try:
        for words in statements(text):
            tokens = [str(token) for token in words.tokens]
            if [token.upper() for token in tokens[:2]] == ["RUN", "SCRIPT"]:
                found += _found_in_file(_path(words.text), scripts)
            elif (danger := _of_tokens(tokens)) is not None:
                found.append(danger)
    except KsqlError:
        # Told when it is run, and nothing behind it is.
        pass
    return found


def _found_in_file(path: str, scripts: set[Path]) -> list[Danger]:
    try:
        file = Path(path).expanduser().resolve()
        if file in scripts or not file.is_file():
            return []
        scripts.add(file)
        with file.open(encoding="utf-8") as opened:
            return _found(opened.read(_SCRIPT_CHARACTERS_MAX), scripts)
    except (OSError, ValueError, RuntimeError):
        return []


def _path(statement: str) -> str:
    """As RUN SCRIPT takes it: in quotes or as it is."""
    return statement.split(maxsplit=2)[-1].strip().removesuffix(";").strip().strip("'\"")


def _of_tokens(tokens: list[str]) -> Danger | None:
    upper = [token.upper() for token in tokens]
    first = upper[0] if upper else ""
    at = 4 if upper[2:4] == ["IF", "EXISTS"] else 2
    if first == "DROP" and len(tokens) > at:
        kind, name = upper[1].lower(), tokens[at].strip('`"')
        if upper[-2:] == ["DELETE", "TOPIC"]:
            return Danger(f"Drop the {kind} {name} and delete its topic with all records", name)
        return Danger(f"Drop the {kind} {name}")
    if first == "TERMINATE" and len(tokens) > 1:
        return Danger("End all queries for good" if upper[1] == "ALL" else f"End the query {tokens[1]} for good")
    return None
