"""The golden cases of `tests/scenarios/sql`: all of them in one go, then each one's verdict as a test."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from riacho.pipelines.sql.testing.case import Case
from riacho.pipelines.sql.testing.case_file import read_directory
from riacho.pipelines.sql.testing.case_pool import run_cases
from riacho.pipelines.sql.testing.case_run import Verdict
from riacho.pipelines.sql.testing.spark_arms import SparkArms, session_beside

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CASES = read_directory(Path(__file__).parents[2] / "scenarios" / "sql")


def identity(case: Case) -> str:
    return f"{case.file.removesuffix('.json')}: {case.name}"


@pytest.fixture(scope="module")
def verdicts(spark: SparkSession) -> dict[str, Verdict]:
    arms = SparkArms(session_beside(spark))
    return {identity(result.case): result.verdict for result in run_cases(CASES, arms)}


def test_every_case_has_a_name_of_its_own() -> None:
    names = [identity(case) for case in CASES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", [identity(case) for case in CASES])
def test_case(name: str, verdicts: dict[str, Verdict]) -> None:
    assert verdicts[name].why == ()
