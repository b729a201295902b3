from __future__ import annotations

import pytest

from riacho.metadata.image.topic_names import collision_index, collision_key, name_problem


@pytest.mark.parametrize("name", ["a", "A-b_c.9", "__consumer_offsets", "...", "x" * 249])
def test_names_that_are_fine(name: str) -> None:
    assert name_problem(name) is None


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("", "Topic name is invalid: the empty string is not allowed"),
        (".", "Topic name is invalid: '.' is not allowed"),
        ("..", "Topic name is invalid: '..' is not allowed"),
        (
            "a b",
            "Topic name is invalid: 'a b' contains one or more characters other than ASCII alphanumerics, "
            "'.', '_' and '-'",
        ),
        (
            "x" * 250,
            f"Topic name is invalid: the length of '{'x' * 250}' is longer than the max allowed length 249",
        ),
    ],
)
def test_names_that_are_not(name: str, problem: str) -> None:
    assert name_problem(name) == problem


@pytest.mark.parametrize("name", ["é", "a/b", "a\n", "a\x00", "../etc"])
def test_nothing_that_could_leave_the_directory(name: str) -> None:
    assert name_problem(name) is not None


def test_dots_and_underscores_collide() -> None:
    index = collision_index(["a.b", "plain"])
    assert index.get(collision_key("a_b")) == "a.b"
    assert "plain" not in index.values()
