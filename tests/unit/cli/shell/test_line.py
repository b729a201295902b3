"""A typed line, taken apart."""

from __future__ import annotations

import os

import pytest

from riacho.cli.shell.line import File, Line, LineError, parse_line


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("topic list", ["topic", "list"]),
        ("  topic\tlist  ", ["topic", "list"]),
        ("produce orders 'two  books' --key \"a b\"", ["produce", "orders", "two  books", "--key", "a b"]),
        ("a''b \"\" c\\ d", ["ab", "", "c d"]),
        (r'"a \" \\ \n"', [r'a " \ \n']),
        (r"'a \n'", [r"a \n"]),
        ("--config k=v,'a b'", ["--config", "k=v,a b"]),
        # What another shell would expand stays as it is.
        (
            "kafka-acls --allow-principal User:* $HOME ^ord.*",
            ["kafka-acls", "--allow-principal", "User:*", "$HOME", "^ord.*"],
        ),
        ("topic \\\n  list", ["topic", "list"]),
        ("a2 2b", ["a2", "2b"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert parse_line(text) == Line(words=words)


def test_home_is_the_one_thing_that_is_filled_in() -> None:
    home = os.path.expanduser("~")
    assert parse_line("x --command-config ~/a '~/b' c~/d").words == [
        "x",
        "--command-config",
        f"{home}/a",
        "~/b",
        "c~/d",
    ]


def test_redirections() -> None:
    line = parse_line("produce orders <in.txt >out.txt 2>> 'err or.txt'")
    assert line.words == ["produce", "orders"]
    assert (line.source, line.output, line.errors) == (
        File("in.txt"),
        File("out.txt"),
        File("err or.txt", is_appended=True),
    )
    assert parse_line("topic list >> a").output == File("a", is_appended=True)
    assert parse_line("topic list 2>&1 > a").are_errors_joined
    # Within a word it is no descriptor.
    assert parse_line("topic list2>a").words == ["topic", "list2"]


def test_what_follows_the_first_pipe_is_for_the_system_shell() -> None:
    line = parse_line("topic list -o json | jq '.[] | .name' > x; ls")
    assert line.words == ["topic", "list", "-o", "json"]
    assert line.rest == "jq '.[] | .name' > x; ls"
    assert parse_line("consume orders -f '%k | %v'").rest is None


@pytest.mark.parametrize("text", ["topic 'list", 'a "b', "topic list >", "topic list |", "| head", "a ; b", "a < | b"])
def test_what_is_not_finished_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(LineError, match=r"\.$"):
        parse_line(text)
