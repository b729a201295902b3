from __future__ import annotations

import pytest

from riacho.base.shortening import REASON_LENGTH_MAX, shortened


@pytest.mark.parametrize(("text", "shown"), [("", ""), ("abcdef", "abcdef"), ("abcdefg", "abc...")])
def test_what_is_too_long_ends_in_dots_within_the_length(text: str, shown: str) -> None:
    assert shortened(text, 6) == shown


def test_a_reason_has_a_length_of_its_own() -> None:
    assert shortened("x" * REASON_LENGTH_MAX) == "x" * REASON_LENGTH_MAX
    assert len(shortened("x" * (REASON_LENGTH_MAX + 1))) == REASON_LENGTH_MAX
