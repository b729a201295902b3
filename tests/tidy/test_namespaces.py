"""Tests build what is ours: a `SimpleNamespace` in place of a broker, a node or a part of one goes on answering when
the real one has changed, and no type checker sees it."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
# Where one may stand, and for what: something that is not ours, and has more to it than a test could build.
ALLOWED = {
    "support/simulated_files.py": "what `os.stat` gives of a file that is simulated",
    "unit/broker/access/test_odd_tokens.py": "the key set of a library that may not be installed",
    "unit/rest_proxy/producing/test_known_topics.py": "the metadata of librdkafka's client",
    "unit/pipelines/sql/runner/test_state_store.py": "the state client of PySpark, whose parts are its own business",
    "unit/pipelines/spark/test_web_ui.py": "the JVM behind a Spark session, as Py4J reaches it",
    "unit/single_writer/test_cluster_size.py": "the metadata of librdkafka's client",
}


def namespace_lines(tree: ast.Module) -> list[int]:
    """Where the class is imported, or reached through its module: under whatever name, nothing else makes one."""
    modules = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == "types"
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "types":
            found += [node.lineno for alias in node.names if alias.name == "SimpleNamespace"]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found += [node.lineno] * (node.value.id in modules and node.attr == "SimpleNamespace")
    return sorted(found)


def test_nothing_of_ours_is_a_namespace() -> None:
    using = {
        str(path.relative_to(TESTS))
        for path in sorted(TESTS.rglob("*.py"))
        if namespace_lines(ast.parse(path.read_text()))
    }
    assert sorted(using - ALLOWED.keys()) == [], "build the real part (`support/parts.py`), or write a class for it"
    assert sorted(ALLOWED.keys() - using) == [], "nothing there needs its leave any more"


def test_one_is_found_under_any_name() -> None:
    assert namespace_lines(ast.parse("from types import SimpleNamespace as Broker\nbroker = Broker(a=1)\n")) == [1]
    assert namespace_lines(ast.parse("import types\nbroker = types.SimpleNamespace(a=1)\n")) == [2]
    assert namespace_lines(ast.parse("import types as t\nx: t.ModuleType\ny = t.SimpleNamespace()\n")) == [3]
    assert namespace_lines(ast.parse("from types import ModuleType\nSimpleNamespace = ModuleType\n")) == []
