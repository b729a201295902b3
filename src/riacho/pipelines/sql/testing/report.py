"""What a run of many cases says: lines for people, and a file of JSON lines."""

from __future__ import annotations

from typing import TextIO

import msgspec

from riacho.pipelines.sql.testing.case_pool import CaseResult


class Report:
    """`file` gets a line for every case: name, result, why, milliseconds; `out` those that failed, and the sum."""

    def __init__(self, out: TextIO, file: TextIO | None = None) -> None:
        self._out = out
        self._file = file
        self.passed = 0
        self.failed = 0

    def add(self, result: CaseResult) -> None:
        verdict = result.verdict
        if verdict.has_passed:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {result.case.file}: {result.case.name}", file=self._out)
            for line in verdict.why:
                print(f"    {line}", file=self._out)
        if self._file is not None:
            fields = {
                "name": result.case.name,
                "file": result.case.file,
                "result": "passed" if verdict.has_passed else "failed",
                "why": "\n".join(verdict.why),
                "milliseconds": result.milliseconds,
            }
            self._file.write(msgspec.json.encode(fields).decode() + "\n")
            self._file.flush()

    def finish(self, seconds: float) -> None:
        count = self.passed + self.failed
        rate = count / seconds if seconds > 0 else 0.0
        print(
            f"{count} cases: {self.passed} passed, {self.failed} failed in {seconds:.1f} s ({rate:.1f} a second)",
            file=self._out,
        )
