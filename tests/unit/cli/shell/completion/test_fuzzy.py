"""Letters in their order: the same choice as prompt_toolkit's, in time that no name can stretch."""

from __future__ import annotations

import time

from prompt_toolkit.completion import CompleteEvent, FuzzyCompleter, WordCompleter
from prompt_toolkit.document import Document

from riacho.cli.shell.completion.fuzzy import matches
from riacho.cli.shell.completion.offers import plain

NAMES = ["orders", "others", "orders-by-day", "books", "ordinary.Records", "dead-orders", "ORDERS", "o", "roots"]


def test_the_choice_and_the_order_are_those_of_prompt_toolkit() -> None:
    for typed in ("o", "ord", "rds", "od", "dr", "oo", "ORD", "xyz", "-", "."):
        theirs = FuzzyCompleter(WordCompleter(NAMES, WORD=True), pattern=r"^[\s\S]+")
        found = theirs.get_completions(Document(typed), CompleteEvent())
        assert [match.offer.text for match in matches(plain(NAMES), typed, 99)] == [each.text for each in found], typed


def test_the_letters_are_where_they_are_said_to_be() -> None:
    [match] = matches(plain(["xx-Orders"]), "ods", 9)
    assert (match.start, match.end, match.letters("ods")) == (3, 9, [3, 5, 8])


def test_the_best_are_kept() -> None:
    found = matches(plain([f"{'x' * (9 - n)}ab" for n in range(9)]), "ab", 2)
    assert [match.offer.text for match in found] == ["xab", "xxab"]


def test_a_name_that_was_made_to_take_long_takes_none() -> None:
    started = time.perf_counter()
    assert matches(plain(["a" * 150 + "b" + "a" * 149] * 1000), "a" * 40 + "bb", 9) == []
    assert time.perf_counter() - started < 2


def test_letters_that_grow_in_lower_case_do_no_harm() -> None:
    assert [match.letters("n") for match in matches(plain(["İn"]), "n", 9)] == [[1]]
