"""The parser follows jopt-simple: one dash or two, `=` or a blank, no abbreviations, repeats collect."""

from __future__ import annotations

import pytest

from riacho.cli.kafka.flags.jopt import UsageError, parse
from riacho.cli.kafka.flags.tools import TOOLS

TOPICS = TOOLS["kafka-topics"]
GROUPS = TOOLS["kafka-consumer-groups"]
PRODUCER = TOOLS["kafka-console-producer"]
PERF = TOOLS["kafka-producer-perf-test"]
CLUSTER = TOOLS["kafka-cluster"]


@pytest.mark.parametrize("words", [["--topic", "t"], ["--topic=t"], ["-topic", "t"], ["-topic=t"]])
def test_one_dash_or_two_blank_or_equals(words: list[str]) -> None:
    assert parse(TOPICS, [*words, "--list"]).text("topic") == "t"


def test_only_the_first_equals_divides() -> None:
    assert parse(TOPICS, ["--config=a=b"]).all("config") == ["a=b"]


def test_no_abbreviations() -> None:
    with pytest.raises(UsageError, match=r"^boot is not a recognized option$"):
        parse(TOPICS, ["--boot", "x"])


def test_repeats_collect() -> None:
    assert parse(GROUPS, ["--group", "a", "--group", "b"]).all("group") == ["a", "b"]


def test_a_single_option_given_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="multiple arguments for option topic"):
        parse(TOPICS, ["--topic", "a", "--topic", "b"])


def test_a_required_argument_takes_the_next_word_whatever_it_is() -> None:
    assert parse(GROUPS, ["--shift-by", "-10"]).number("shift-by") == -10


def test_a_missing_argument() -> None:
    with pytest.raises(UsageError, match=r"^Option topic requires an argument$"):
        parse(TOPICS, ["--list", "--topic"])


def test_a_number_that_is_none() -> None:
    with pytest.raises(UsageError, match=r"^Cannot parse argument 'three' of option partitions$"):
        parse(TOPICS, ["--partitions", "three"])


@pytest.mark.parametrize("words", [["--partitions", "2147483648"], ["--partition-size-limit-per-response", "1" * 20]])
def test_a_number_beyond_its_field(words: list[str]) -> None:
    with pytest.raises(UsageError, match=r"^Cannot parse argument '\d+' of option partition"):
        parse(TOPICS, words)


def test_optional_arguments() -> None:
    assert parse(PRODUCER, ["--topic", "t", "--compression-codec"]).text("compression-codec") == "gzip"
    assert parse(PRODUCER, ["--topic", "t", "--compression-codec", "lz4"]).text("compression-codec") == "lz4"
    bare = parse(GROUPS, ["--list", "--state", "--type", "classic"])
    assert bare.has("state")
    assert bare.text("state") == ""
    assert bare.text("type") == "classic"


def test_a_switch_takes_nothing() -> None:
    with pytest.raises(UsageError, match="takes no argument"):
        parse(TOPICS, ["--list=yes"])


def test_words_up_to_the_next_flag() -> None:
    line = ["--producer-props", "acks=1", "linger.ms=5", "--topic", "t", "--num-records", "1"]
    assert parse(PERF, line).all("command-property") == ["acks=1", "linger.ms=5"]


def test_old_names_mean_the_new_ones_with_one_notice() -> None:
    line = ["--topic", "t", "--broker-list", "b:1", "--property", "parse.key=true", "--property", "null.marker=N"]
    parsed = parse(PRODUCER, line)
    assert parsed.text("bootstrap-server") == "b:1"
    assert parsed.all("reader-property") == ["parse.key=true", "null.marker=N"]
    assert parsed.notices == [
        "--broker-list is an old name of --bootstrap-server.",
        "--property is an old name of --reader-property.",
    ]


def test_zookeeper_is_read_and_dropped() -> None:
    parsed = parse(TOPICS, ["--list", "--zookeeper", "zookeeper:2181"])
    assert [notice.split()[0] for notice in parsed.notices] == ["--zookeeper"]
    assert parsed.text("bootstrap-server") is None


def test_a_bare_word_is_the_topic() -> None:
    parsed = parse(TOPICS, ["--describe", "orders", "--zookeeper", "z:2181"])
    assert parsed.text("topic") == "orders"
    assert "taking 'orders' as --topic." in parsed.notices


def test_required_options() -> None:
    with pytest.raises(UsageError, match=r'^Missing required argument "\[topic\]"$'):
        parse(PRODUCER, ["--sync"])


def test_help_needs_no_required_option() -> None:
    assert parse(PRODUCER, ["--help"]).has("help")


def test_sub_commands_and_short_names() -> None:
    parsed = parse(CLUSTER, ["unregister", "-b", "h:1", "-i", "3"])
    assert (parsed.command, parsed.number("id"), parsed.text("bootstrap-server")) == ("unregister", 3, "h:1")
    with pytest.raises(UsageError, match="'frobnicate' is not one of the commands"):
        parse(CLUSTER, ["frobnicate"])


def test_sequence_keeps_the_order_of_the_line() -> None:
    words = ["--entity-type", "users", "--entity-default", "--entity-type", "clients", "--entity-name", "c"]
    assert parse(TOOLS["kafka-configs"], words).sequence == [
        ("entity-type", "users"),
        ("entity-default", None),
        ("entity-type", "clients"),
        ("entity-name", "c"),
    ]


def test_two_dashes_end_the_flags() -> None:
    assert parse(TOPICS, ["--describe", "--", "--odd"]).text("topic") == "--odd"
