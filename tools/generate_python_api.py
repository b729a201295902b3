"""Write the lists of names in `docs/reference/python-api.md` from what the public modules export and its docstrings.

python tools/generate_python_api.py            write
python tools/generate_python_api.py --check    exit 1 if the page is not what the modules give

Text and examples between the lists are written by hand.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import inspect
import re
import sys
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, ForwardRef

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "python-api.md"
MODULES = ("riacho", "riacho.functions", "riacho.connect", "riacho.ksql", "riacho.testing")
MEMBERS_MAX = 12
DEFAULT_CHARS_MAX = 30
_LIST = re.compile(r"(<!-- names of ([\w.]+) -->\n).*?(<!-- end of names -->)", re.DOTALL)


def page(text: str) -> str:
    """The page with each of its lists as the modules have it now."""
    return _LIST.sub(lambda found: f"{found[1]}\n{names(import_module(found[2]))}\n{found[3]}", text)


def names(module: ModuleType) -> str:
    return "".join(_entry(module, name) for name in module.__all__)


def _entry(module: ModuleType, name: str) -> str:
    value = getattr(module, name)
    if inspect.isclass(value):
        members = "".join(f"  - {line}\n" for line in _members(value, module))
        return f"- {_heading(value, module)}: {_first_paragraph(value.__doc__)}\n{members}"
    if inspect.isfunction(value):
        return f"- `{name}{_signature(value)}`: {_first_paragraph(value.__doc__)}\n"
    tree = ast.parse(inspect.getsource(_definer(module, name)))
    # Text may be another one with each release; what stands for a type does not.
    shown = f"{name}: str" if isinstance(value, str) else f"{name} = {_assigned(tree, name)}"
    return f"- `{shown}`: {_first_paragraph(_docs_of_assignments(tree).get(name))}\n"


def undocumented(module: ModuleType) -> list[str]:
    """Names of what is exported, and of its members, that no docstring explains."""
    return re.findall(r"^ *- `([^`(:]*)[^`]*`[^`\n]*: *$", names(module), re.MULTILINE)


# Classes


def _heading(kind: type, module: ModuleType) -> str:
    if issubclass(kind, Enum):
        members = [f"`{each.name}`" for each in kind]
        listed = ", ".join(members) if len(members) <= MEMBERS_MAX else f"{len(members)} members"
        return f"`{kind.__name__}`, an enumeration ({listed})"
    makes = next((base for base in kind.__mro__ if vars(base).keys() & {"__init__", "__new__"}), object)
    parameters = inspect.signature(kind).parameters if makes.__module__.startswith("riacho.") else {}
    # A constructor that takes private things is not for users.
    is_shown = (makes is kind or not _is_exported(makes, module)) and parameters
    is_shown = is_shown and not any(each.startswith("_") for each in parameters)
    base = kind.__mro__[1]
    article = "an" if base.__name__[0] in "AEIOU" else "a"
    kin = f", {article} `{base.__name__}`" if _is_exported(base, module) or issubclass(kind, Exception) else ""
    return f"`{kind.__name__}{_signature(kind) if is_shown else ''}`{kin}"


def _members(kind: type, module: ModuleType) -> Iterator[str]:
    """Attributes, properties and methods, but those of a base that is exported itself, or that is Python's."""
    if issubclass(kind, Enum):
        return
    seen: set[str] = set()
    for base in kind.__mro__:
        is_own = base is kind or (base.__module__.startswith("riacho.") and not _is_exported(base, module))
        if is_own and not issubclass(base, tuple):
            docs = _docs_of_assignments(ast.parse(inspect.getsource(base)).body[0])
            for name, annotation in inspect.get_annotations(base).items():
                # Fields of a dataclass stand in its signature already.
                if not name.startswith("_") and (name in docs or not dataclasses.is_dataclass(base)):
                    kept = re.sub(r"^ClassVar\[(.*)\]$", r"\1", _shown(annotation))
                    yield f"`{name}: {kept}`: {_first_paragraph(docs.get(name))}"
        for name, member in vars(base).items() if is_own else ():
            if name.startswith("_") or name in seen or not (_function_of(member) or isinstance(member, property)):
                continue
            seen.add(name)
            yield _member(name, member)


def _member(name: str, member: Any) -> str:
    if isinstance(member, property):
        returned = inspect.signature(member.fget).return_annotation if member.fget else ""
        return f"`{name}: {_shown(returned)}`: {_first_paragraph(member.__doc__)}"
    function = _function_of(member)
    return f"`{name}{_signature(function, is_bound=True)}`: {_first_paragraph(function.__doc__)}"


def _function_of(member: Any) -> Any:
    if isinstance(member, classmethod | staticmethod):
        return member.__func__
    return member if inspect.isfunction(member) else None


def _is_exported(kind: type, module: ModuleType) -> bool:
    return getattr(module, kind.__name__, None) is kind and kind.__name__ in module.__all__


# Signatures and docstrings


def _signature(value: Any, *, is_bound: bool = False) -> str:
    signature = inspect.signature(value)
    parameters = list(signature.parameters.values())[1 if is_bound else 0 :]
    parts = []
    for before, each in zip([None, *parameters], parameters, strict=False):
        if each.kind is each.KEYWORD_ONLY and (
            before is None or before.kind not in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        ):
            parts.append("*")
        stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        default = "" if each.default is each.empty else f" = {_default(each.default)}"
        parts.append(f"{stars}{each.name}: {_shown(each.annotation)}{default}")
    returned = "" if inspect.isclass(value) else f" -> {_shown(signature.return_annotation)}"
    return f"({', '.join(parts)}){returned}"


def _default(value: object) -> str:
    if isinstance(value, Enum):
        return str(value)
    # The default of a dataclass's field that is made anew each time has no text of its own.
    return "..." if repr(value).startswith("<") or len(repr(value)) > DEFAULT_CHARS_MAX else repr(value)


def _shown(annotation: Any) -> str:
    if isinstance(annotation, ForwardRef):
        return annotation.__forward_arg__
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _first_paragraph(doc: str | None) -> str:
    return " ".join(inspect.cleandoc(doc or "").partition("\n\n")[0].split())


def _docs_of_assignments(tree: ast.AST) -> dict[str, str]:
    """The texts that stand below assignments, by what is assigned."""
    body: list[ast.stmt] = getattr(tree, "body", [])
    found = {}
    for statement, below in pairwise(body):
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        is_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
        if isinstance(targets[0], ast.Name) and is_text:
            found[targets[0].id] = str(below.value.value)
    return found


def _assigned(tree: ast.Module, name: str) -> str:
    assignments = [each for each in tree.body if isinstance(each, ast.Assign)]
    return next(ast.unparse(each.value) for each in assignments if ast.unparse(each.targets[0]) == name)


def _definer(module: ModuleType, name: str) -> ModuleType:
    """The module whose name this is, where `module` took it from another one."""
    for statement in ast.parse(inspect.getsource(module)).body:
        if (
            isinstance(statement, ast.ImportFrom)
            and statement.module
            and name in {each.name for each in statement.names}
        ):
            return _definer(import_module(statement.module), name)
    return module


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the page is not current")
    is_check = parser.parse_args(arguments).check
    text = TARGET.read_text()
    if is_check:
        return 0 if page(text) == text else 1
    TARGET.write_text(page(text))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
