"""No exception is made once and raised often: each raise adds to its traceback, which then holds all that the frames
held, for ever."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREES = {path: ast.parse(path.read_text()) for path in sorted((ROOT / "src").rglob("*.py"))}
# Looks like one, and is none: librdkafka's error code with a text.
_NO_EXCEPTIONS = {("confluent_kafka", "KafkaError")}


def test_no_module_or_class_keeps_an_exception() -> None:
    exceptions = exception_names()
    assert {"KafkaError", "WireError", "ValueError"} <= exceptions
    kept = [f"{path.relative_to(ROOT)}:{line}" for path, tree in TREES.items() for line in kept_lines(tree, exceptions)]
    assert kept == []


def test_one_that_is_kept_is_found() -> None:
    source = "LOST = KafkaError(1)\nclass A:\n    gone: KafkaError = base.KafkaError(1)\n    rule = f(KafkaError(1))\n"
    assert list(kept_lines(ast.parse(source), {"KafkaError"})) == [1, 3, 4]
    fine = "from confluent_kafka import KafkaError\nPENDING = KafkaError(1)\ndef f():\n    wrong = ValueError()\n"
    assert list(kept_lines(ast.parse(fine), {"KafkaError", "ValueError"})) == []


def exception_names() -> set[str]:
    """Of the language, and whatever here descends from one, over any number of classes."""
    found = {name for name, value in vars(builtins).items() if _is_exception(value)}
    classes = [node for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    while True:
        more = {node.name for node in classes if any(_name(base) in found for base in node.bases)} - found
        if not more:
            return found
        found |= more


def _is_exception(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def kept_lines(tree: ast.Module, exceptions: set[str]) -> Iterator[int]:
    others = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if (node.module, alias.name) in _NO_EXCEPTIONS
    }
    # Another room's exception may have the name of a class here that is none.
    own = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    others |= {node.name for node in own if not any(_name(base) in exceptions for base in node.bases)}
    bodies = [tree.body, *(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
    for statement in (statement for body in bodies for statement in body):
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            for node in _outside_functions(statement.value):
                if isinstance(node, ast.Call) and _name(node.func) in exceptions - others:
                    yield statement.lineno


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """What is worked out when the module is read; a lambda's body is not."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.Lambda):
            yield from _outside_functions(child)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
