"""What an argument may be, by what it is: the name of a topic, a list of brokers, a principal, a file."""

from __future__ import annotations

import os
from itertools import islice

from riacho.cli.shell.completion.config_words import listed
from riacho.cli.shell.completion.offers import Answer, NameKind, Names, Offer

_FILES_MAX = 1_000


def named(kind: NameKind, typed: str, names: Names) -> Answer:
    return Answer(typed, names.names(kind))


def names_listed(kind: NameKind, typed: str, names: Names) -> Answer:
    return listed(typed, names.names(kind))


def topic_partitions(typed: str, names: Names) -> Answer:
    """`topic`, or `topic:0,1`."""
    topic, colon, numbers = typed.partition(":")
    if not colon:
        return named(NameKind.TOPIC, typed, names)
    return listed(numbers, names.names(NameKind.PARTITION, topic)).behind(f"{topic}:")


def topic_patterns(typed: str, names: Names) -> Answer:
    """`topic:0,topic`."""
    before, comma, last = typed.rpartition(",")
    return topic_partitions(last, names).behind(before + comma)


def partitions(topic: str | None, typed: str, names: Names) -> Answer:
    return listed(typed, names.names(NameKind.PARTITION, topic)) if topic else Answer(typed)


def principal(typed: str, names: Names) -> Answer:
    users = [Offer(f"User:{offer.text}", offer.about) for offer in names.names(NameKind.USER)]
    return Answer(typed, [Offer("User:*", "everybody"), *users])


def file(typed: str) -> Answer:
    """Of this machine; hidden ones once their dot is typed."""
    directory, slash, begun = typed.rpartition("/")
    try:
        with os.scandir(os.path.expanduser(directory + slash) or ".") as entries:
            # One directory with a million files is not read to its end.
            found = [
                Offer(entry.name + "/" if entry.is_dir() else entry.name)
                for entry in islice(entries, _FILES_MAX)
                if entry.name.isprintable() and (begun.startswith(".") or not entry.name.startswith("."))
            ]
    except OSError:
        found = []
    return Answer(begun, sorted(found), directory + slash, is_file=True)
