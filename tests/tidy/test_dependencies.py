"""What each room imports is declared where those who install that room will get it.

The environment of the tests has everything, so a package that is missing from the extras is missed by nobody but the
first user: `make release-check` installs as a user does, this looks at every import.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "riacho"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# The extras that a room may count on beside the core's packages. Several sets: each alone has to do.
EXTRAS: dict[str, list[set[str]]] = {
    "schemas": [{"services"}, {"spark"}],
    "web": [{"services"}],
    "single_writer": [{"services"}],
    "schema_registry": [{"services"}],
    "rest_proxy": [{"services"}],
    "console": [{"services"}],
    # PyJWT is looked for where a setting names an identity provider, and told by name where it is not there.
    "console/door": [{"services", "security"}],
    "pipelines": [{"spark"}],
    "pipelines/connect": [{"services", "spark"}],
    "pipelines/sql": [{"services", "spark"}],
    # The prompt; statements from a file or a pipe need no more than the core has and lark.
    "cli/ksql": [{"services"}],
    # Told by name where it is not there.
    "cli/shell": [{"services"}],
    # Looked for when a setting asks for it, and told by name where it is not there.
    "broker": [{"security"}],
    "security": [{"security"}],
    "testing": [{"security"}],
    # `riacho.spark()`.
    "__init__.py": [{"spark"}],
}
# The test kit's plugin is loaded by pytest itself.
_PRESENT = {"testing": {"pytest"}}


def _name(requirement: str) -> str:
    return re.split(r"[<>=!~\[; ]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def _declared(extras: set[str]) -> set[str]:
    listed = [*PROJECT["dependencies"], *(each for extra in extras for each in PROJECT["optional-dependencies"][extra])]
    return {_name(requirement) for requirement in listed}


def _room(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    longer = "/".join(parts[:2])
    return longer if longer in EXTRAS else parts[0]


class _WithoutTypeChecking(ast.NodeTransformer):
    def visit_If(self, node: ast.If) -> ast.AST:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return ast.Pass()
        return self.generic_visit(node)


def _imported(path: Path) -> set[str]:
    """The first part of each absolute import that is neither ours nor Python's; what only a type checker follows is
    left out."""
    found = set()
    tree = _WithoutTypeChecking().visit(ast.parse(path.read_text()))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            found.add(node.module.partition(".")[0])
    return found - sys.stdlib_module_names - {"riacho"}


def _undeclared() -> list[str]:
    known = packages_distributions()
    missing = set()
    for path in PACKAGE.rglob("*.py"):
        room = _room(path)
        for module in _imported(path) - _PRESENT.get(room, set()):
            providers = {_name(each) for each in known.get(module, [module])}
            for extras in EXTRAS.get(room, [set()]):
                if not providers & _declared(extras):
                    missing.add(f"{room} imports {module}, which is in none of: core {' '.join(sorted(extras))}")
    return sorted(missing)


def test_every_import_is_declared_for_its_room() -> None:
    assert _undeclared() == []


def test_every_room_with_extras_is_there() -> None:
    assert [room for room in EXTRAS if not (PACKAGE / room).exists()] == []


@pytest.mark.parametrize("extra", ["sql"])
def test_what_pyspark_needs_for_python_columns_is_in_the_spark_extra(extra: str) -> None:
    """PySpark imports these by itself when DataFrames and Python meet; no import of ours would show it."""
    wanted = {_name(each) for each in requires("pyspark") or [] if f'extra == "{extra}"' in each}
    assert wanted
    assert wanted - _declared({"spark"}) == set()


def test_the_extra_all_has_every_extra_but_that_for_developing() -> None:
    inside = re.fullmatch(r"riacho\[(.*)\]", PROJECT["optional-dependencies"]["all"][0])
    assert inside is not None
    assert set(inside[1].split(",")) == PROJECT["optional-dependencies"].keys() - {"all", "dev", "docs"}
