"""ksql-test-runner: statements with inputs and outputs in files, as ksqlDB's; or a directory of cases."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import CodecError
from riacho.pipelines.sql.testing.case import CaseError, CaseRecord
from riacho.pipelines.sql.testing.case_file import read_directory, read_json, read_record
from riacho.pipelines.sql.testing.comparing import differences
from riacho.pipelines.tasks.errors import TaskError

SCRIPT_BYTES_MAX = 16 * 1024 * 1024
PASSED = "\t >>> Test passed!"
FAILED = "\t>>>>> Test failed: "


def run_directory(directory: Path, report_path: Path | None, out: TextIO = sys.stdout) -> int:
    """0 where all cases pass."""
    from riacho.pipelines.sql.testing.case_pool import run_cases
    from riacho.pipelines.sql.testing.report import Report
    from riacho.pipelines.sql.testing.spark_arms import SparkArms, open_session

    try:
        cases = read_directory(directory)
        with ExitStack() as stack:
            file = stack.enter_context(report_path.open("w")) if report_path is not None else None
            report = Report(out, file)
            arms = SparkArms(open_session())
            started = time.perf_counter()
            for result in run_cases(cases, arms):
                report.add(result)
            report.finish(time.perf_counter() - started)
    except (CaseError, OSError) as error:
        print(f"ksql-test-runner: {error}", file=sys.stderr)
        return 1
    return 1 if report.failed or not cases else 0


def run_script(statements: Path, inputs: Path | None, outputs: Path | None, out: TextIO = sys.stdout) -> int:
    """0 where what comes out is what the file of outputs says, and every assertion holds."""
    from riacho.pipelines.sql.testing.case_run import ArmFailedError
    from riacho.pipelines.sql.testing.script_run import AssertionFailedError, ScriptRun
    from riacho.pipelines.sql.testing.spark_arms import SparkArms, open_session

    try:
        text = _script(statements)
        given = _records(inputs, "inputs")
        wanted = _records(outputs, "outputs")
        run = ScriptRun(SparkArms(open_session()))
        run.run(text)
        for record in given:
            run.engine.topics.append(record.topic, run.engine.forms.written(record))
        run.pump()
        lines = _differences(run, given, wanted)
    except (CaseError, KsqlError, CodecError, TaskError, ArmFailedError, AssertionFailedError) as error:
        lines = [str(error)]
    if lines:
        print(FAILED + "\n\t".join(lines), file=out)
        return 1
    print(PASSED, file=out)
    return 0


def _differences(run: Any, given: Sequence[CaseRecord], wanted: Sequence[CaseRecord]) -> list[str]:
    lines: list[str] = []
    for topic in dict.fromkeys(record.topic for record in wanted):
        count = sum(record.topic == topic for record in given)
        expected = [record for record in wanted if record.topic == topic]
        actual = [run.engine.forms.read(topic, record) for record in run.engine.topics.records(topic)[count:]]
        lines += differences(topic, expected, actual)
    return lines


def _script(path: Path) -> str:
    try:
        if path.stat().st_size > SCRIPT_BYTES_MAX:
            raise CaseError(f"{path} is larger than {SCRIPT_BYTES_MAX} bytes")
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise CaseError(f"{path} cannot be read: {error}") from None


def _records(path: Path | None, name: str) -> list[CaseRecord]:
    if path is None:
        return []
    content = read_json(path)
    if not isinstance(content, dict) or not isinstance(content.get(name), list):
        raise CaseError(f"{path} has no list of {name}")
    try:
        return [read_record(each) for each in content[name]]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CaseError(f"{path}: a record is not in the form: {error!r}") from None
