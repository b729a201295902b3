"""Every case gives what Apache's own transforms of Kafka 4.3.1 give: records, schemas, headers, errors, config errors.

What those give is frozen in `golden.json`, so that it is compared where there is no Maven too; where Maven and javac
are at hand, `test_the_golden_file_is_what_apache_says` runs the cases through the real classes again (one JVM, some two
CPU seconds). `RIACHO_WRITE_GOLDEN=1` makes that test write the file instead.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spark.transforms import cases_of_fields, cases_of_records
from spark.transforms.case_answers import answers
from spark.transforms.transform_case import Case
from support.java import java_command
from support.java_sources import compiled, unavailable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVA_TIMEOUT_S = 600
HERE = Path(__file__).parent
GOLDEN = HERE / "golden.json"
CASES = [*cases_of_fields.CASES, *cases_of_records.CASES]


def _apache() -> dict[str, Any]:
    command = java_command("TransformCases")
    at = command.index("-cp") + 1
    classes = compiled("transform-cases", [HERE / "java" / "TransformCases.java"])
    command[at] = f"{command[at]}:{classes}"
    given = json.dumps([each.as_json() for each in CASES])
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=JAVA_TIMEOUT_S, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


def test_cases_have_names_of_their_own() -> None:
    names = [each.name for each in CASES]
    assert len(set(names)) == len(names)


def test_the_golden_file_is_what_apache_says() -> None:
    reason = unavailable()
    if reason is not None:
        pytest.skip(f"Apache Kafka's transforms cannot be run: {reason}")
    told = _apache()
    if os.environ.get("RIACHO_WRITE_GOLDEN"):
        lines = [f"{json.dumps(name)}: {json.dumps(answer)}" for name, answer in told.items()]
        GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    assert told == json.loads(GOLDEN.read_text())


def test_as_apache(spark: SparkSession) -> None:
    golden = json.loads(GOLDEN.read_text())
    found = answers(spark, CASES)
    wrong = [
        f"{each.name}\n  ours   {found[each.name]}\n  Apache {golden[each.name]}"
        for each in CASES
        if not _same(each, found[each.name], golden[each.name])
    ]
    assert not wrong, "\n".join([f"{len(wrong)} differ", *wrong])


def _same(given: Case, ours: Any, theirs: Any) -> bool:
    if "config_error" in ours or "config_error" in theirs:
        if given.only_fails:
            return "config_error" in ours and "config_error" in theirs
        return bool(ours == theirs)
    return len(ours) == len(theirs) and all(map(lambda a, b: _same_row(given, a, b), ours, theirs))


def _same_row(given: Case, ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    if "error" in ours and "error" in theirs:
        class_name = f"org.apache.kafka.connect.transforms.{given.type}"
        told = all(ours["error"][name] == theirs["error"][name] for name in ("exception", "message"))
        return ours["error"]["class_name"] == class_name and (told or given.only_fails)
    if "topic" not in ours or "topic" not in theirs:
        return ours == theirs
    for name in ("key", "value"):
        # A row without a schema has no fields that are missing, a column has: they are null.
        schema = theirs[f"{name}_schema"]
        if schema is None and _bare(ours[name]) != _bare(theirs[name]):
            return False
        if schema is not None and (ours[name] != theirs[name] or ours[f"{name}_schema"] != schema):
            return False
    return ours["topic"] == theirs["topic"] and ours["headers"] == theirs["headers"]


def _bare(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _bare(each) for name, each in value.items() if each is not None}
    return value
