"""What is said of a child that has ended."""

from __future__ import annotations

import asyncio
import sys

import pytest

from riacho.pipelines.spark_child.child import Child, ChildEnded

REMARK = "26/11/18 03:56:52 WARN ProcessingTimeExecutor: Current batch is falling behind."


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["It cannot be.", REMARK], "The runner ended (exit code 3): It cannot be."),
        ([REMARK], "The runner ended (exit code 3)."),
        (["26/11/18 03:56:52 ERROR Spark: no memory"], "The runner ended (exit code 3): 26/11/18 03:56:52 ERROR Spark"),
    ],
)
def test_the_last_line_that_may_be_a_reason(lines: list[str], told: str) -> None:
    code = f"import sys; sys.stderr.write({chr(10).join(lines)!r}); sys.exit(3)"
    assert asyncio.run(_farewell([sys.executable, "-c", code])).startswith(told)


async def _farewell(words: list[str]) -> str:
    child = Child("runner", words)
    await child.start()
    with pytest.raises(ChildEnded) as ended:
        await child.receive()
    await child.end()
    return str(ended.value)
