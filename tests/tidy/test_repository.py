"""What a reviewer would otherwise have to look for in every file."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
# Worth a look above this, where no line in the file says why it is one noun all the same.
LINES_TO_LOOK_AT = 300
_REASON = re.compile(r"^# Long because: \S.{20,}$", re.MULTILINE)
# Generated, and as long as the message is.
_GENERATED = ROOT / "src/riacho/wire/messages"
# Folders of tests/unit that have no counterpart, and what they hold in place of tests.
_DATA_OF_TESTS = {
    "schemas/avro/data": "schemas, and what Apache Avro answers to each",
    "schemas/json_schema/cases": "pairs of schemas and their differences, a file a family of keywords",
}
_SAYS_NOTHING = re.compile(r"^(utils?|helpers?|common|misc|manager)\.py$")
_UNFINISHED = re.compile(r"NotImplementedError|\bTODO\b|\bFIXME\b|\bXXX\b")
_MACHINE_PATH = re.compile(r"(?<![\w.])/(?:root|home/\w+|work)/")


def _committed_text() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("not a git checkout: the list of committed files is not known")
    suffixes = {".py", ".md", ".toml", ".sh", ".txt", ".lock", ".json", ".js", ".java", ".yaml", ".yml", ""}
    return [
        ROOT / name for name in listed.stdout.splitlines() if Path(name).suffix in suffixes and (ROOT / name).is_file()
    ]


def test_a_long_source_file_says_why_it_is_one() -> None:
    """A length is no fault, so it is only warned of. A reason that outlived its file's length is one."""
    silent, outdated = [], []
    for path in SOURCES:
        text = path.read_text()
        is_long = len(text.splitlines()) > LINES_TO_LOOK_AT and _GENERATED not in path.parents
        has_reason = _REASON.search(text) is not None
        if is_long and not has_reason:
            silent.append(str(path.relative_to(ROOT / "src/riacho")))
        elif has_reason and not is_long:
            outdated.append(str(path.relative_to(ROOT)))
    if silent:
        files = f"{len(silent)} files of more than {LINES_TO_LOOK_AT} lines do not say why"
        warnings.warn(f"{files}: {', '.join(silent)}", stacklevel=1)
    assert outdated == []


def test_no_file_has_a_name_that_says_nothing() -> None:
    assert [path for path in SOURCES if _SAYS_NOTHING.match(path.name)] == []


def test_unit_tests_are_in_the_folder_of_what_they_test() -> None:
    unit = ROOT / "tests/unit"
    folders = {str(path.parent.relative_to(unit)) for path in unit.rglob("*") if path.suffix != ".pyc"}
    folders = {folder for folder in folders if "__pycache__" not in folder}
    assert sorted(folder for folder in folders if not (ROOT / "src/riacho" / folder).is_dir()) == sorted(_DATA_OF_TESTS)


def test_every_module_says_what_it_is() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if path.read_text().strip() and ast.get_docstring(ast.parse(path.read_text())) is None
    ]
    assert silent == []


def test_nothing_is_left_unfinished_in_the_sources() -> None:
    assert [str(path) for path in SOURCES if _UNFINISHED.search(path.read_text())] == []


def test_no_machine_path_is_committed() -> None:
    leaks = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in _committed_text()
        for line in path.read_text(errors="replace").splitlines()
        if _MACHINE_PATH.search(line) and path != Path(__file__)
    ]
    assert leaks == []


def test_the_lock_pins_names_and_versions_only() -> None:
    for lock in sorted((ROOT / "requirements").glob("*.lock")):
        for line in lock.read_text().splitlines():
            if line and not line.startswith("#"):
                assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!_-]+", line), f"{lock.name}: {line}"


def test_every_core_dependency_is_justified_in_an_adr() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    adr = (ROOT / "docs/adr/0001-core-dependencies.md").read_text()
    names = [re.split(r"[<>=!~\[; ]", dependency, maxsplit=1)[0] for dependency in project["dependencies"]]
    assert names
    assert [name for name in names if name not in adr] == []


def test_every_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    locked = {
        line.split("==")[0].lower().replace("_", "-")
        for line in (ROOT / "requirements/dev.lock").read_text().splitlines()
        if "==" in line
    }
    wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
    names = {re.split(r"[<>=!~\[; ]", dependency, maxsplit=1)[0].lower().replace("_", "-") for dependency in wanted}
    assert names - locked == set()


def test_a_compiled_class_has_no_base_in_a_module_that_is_not() -> None:
    """The compiler does not look into other modules (hatch_build.py): it would lay such a class out wrongly."""
    named = next(
        node.value
        for node in ast.parse((ROOT / "hatch_build.py").read_text()).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "MODULES"
    )
    found = []
    for module in ast.literal_eval(named):
        tree = ast.parse((ROOT / "src" / module).read_text())
        classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        # The compiler leaves Generic out.
        allowed = {"Exception", "NamedTuple", "Protocol", "Generic[T]"} | {each.name for each in classes}
        bases = [(each.name, ast.unparse(base)) for each in classes for base in each.bases]
        found += [f"{module}: {name}({base})" for name, base in bases if base not in allowed]
    assert found == []
