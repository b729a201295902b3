from __future__ import annotations

import pytest

from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.spark_child.child import LINE_BYTES_MAX
from riacho.pipelines.spark_child.messages import line_of
from riacho.pipelines.sql.runner.protocol import Evaluated, Rows
from riacho.pipelines.sql.runner.row_lines import line_size, row_lines


@pytest.mark.parametrize("row", ["x", "x" * 1_000_000, "\0" * 500_000, '"' * 900_000])
def test_every_row_is_in_a_line_and_no_line_is_too_long(row: str) -> None:
    lines = list(row_lines([row] * 40))
    assert sum(map(len, lines)) == 40
    assert all(len(line_of(Rows("q", 1, line))) < LINE_BYTES_MAX for line in lines)


def test_what_no_line_can_hold_is_a_sentence() -> None:
    with pytest.raises(ConnectError, match="larger than"):
        list(row_lines(["small", "x" * LINE_BYTES_MAX]))
    with pytest.raises(ConnectError, match="larger than"):
        line_size([None, "\0" * (LINE_BYTES_MAX // 4)])


def test_answers_that_fit_make_a_line_that_does() -> None:
    answers = ("\0" * 1_000_000, None)
    assert line_size(answers) < len(line_of(Evaluated(1, answers))) < LINE_BYTES_MAX
