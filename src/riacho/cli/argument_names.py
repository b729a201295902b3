"""What the arguments of `riacho`'s commands are: handed to click as `shell_complete`.

In `riacho shell` the context's object has the names. A line of bash, zsh or fish has them asked for at once, of the
cluster that the command would speak with, and none where that does not answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from riacho.cli.shell.completion import config_words, values
from riacho.cli.shell.completion.offers import Answer, Asking, NameKind, Names, plain

if TYPE_CHECKING:
    from riacho.cli.supervisor.run_state import RunState

Completes = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completes(answer: Callable[[str, Names], Answer]) -> Completes:
    return _completes_in(lambda ctx, typed, names: answer(typed, names))


def _completes_in(answer: Callable[[click.Context, str, Names], Answer]) -> Completes:
    """By the rest of the line, too."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        if isinstance(ctx.obj, Asking):
            ctx.obj.answer = answer(ctx, incomplete, ctx.obj.names)
            return []
        from riacho.cli.shell.completion.asked_names import names_for

        found = answer(ctx, incomplete, names_for(ctx.params))
        return [CompletionItem(found.head + offer.text, help=offer.about or None) for offer in found.matching()]

    return complete


def _names_of(kind: NameKind) -> Completes:
    return _completes(lambda typed, names: values.named(kind, typed, names))


def _one_of(words: Callable[[], Iterable[str]]) -> Completes:
    return _completes(lambda typed, names: Answer(typed, plain(words())))


def words_of(words: Callable[[click.Context], Iterable[str]]) -> Completes:
    """For a command that knows by itself what there is on this machine; an exception is nothing."""

    def answer(ctx: click.Context, typed: str, names: Names) -> Answer:
        try:
            return Answer(typed, plain(words(ctx)))
        except Exception:
            # It is told when the line is run.
            return Answer(typed)

    return _completes_in(answer)


def list_of(words: Iterable[str]) -> Completes:
    """Some of these, with commas between."""
    return _completes(lambda typed, names: config_words.listed(typed, plain(words)))


def _running(ctx: click.Context) -> RunState:
    from riacho.cli.supervisor.running import the_running

    return the_running(ctx.params.get("data_dir"))


def _partitions(ctx: click.Context, typed: str, names: Names) -> Answer:
    # While an option waits for its value, click has the arguments before it as those that are left.
    topics: Sequence[str] = ctx.params.get("topics") or ctx.args
    return Answer(typed, names.names(NameKind.PARTITION, topics[0])) if len(topics) == 1 else Answer(typed)


def _profiles() -> Iterable[str]:
    from riacho.cli.profiles import profile_names

    return profile_names()


def _operations() -> Iterable[str]:
    from riacho.security.operations import SUPPORTED_OPERATIONS

    named = {operation.name.lower().replace("_", "-") for each in SUPPORTED_OPERATIONS.values() for operation in each}
    return sorted({*named, "all"})


def _quotas() -> Iterable[str]:
    from riacho.client.client_quotas import CLIENT_KEYS, IP_KEYS

    return sorted(CLIENT_KEYS | IP_KEYS)


complete_topics = _names_of(NameKind.TOPIC)
complete_topic_partitions = _completes(values.topic_partitions)
complete_groups = _names_of(NameKind.GROUP)
complete_users = _names_of(NameKind.USER)
complete_transactional_ids = _names_of(NameKind.TRANSACTIONAL_ID)
complete_subjects = _names_of(NameKind.SUBJECT)
complete_connectors = _names_of(NameKind.CONNECTOR)
complete_topic_settings = _completes(lambda typed, names: config_words.setting(config_words.TOPICS, typed))
complete_topic_keys = _completes(lambda typed, names: Answer(typed, config_words.key_offers(config_words.TOPICS)))
complete_client_settings = _completes(lambda typed, names: config_words.client_setting(typed))
complete_profiles = _one_of(_profiles)
complete_operations = _one_of(_operations)
complete_quotas = _one_of(_quotas)
complete_quota_settings = _one_of(lambda: [f"{key}=" for key in _quotas()])
complete_broker_properties = _completes(lambda typed, names: config_words.setting(config_words.PROPERTIES, typed))
complete_partitions = _completes_in(_partitions)
complete_running_brokers = words_of(lambda ctx: [str(broker.node_id) for broker in _running(ctx).brokers])
complete_running_services = words_of(lambda ctx: [service.name for service in _running(ctx).services])
complete_places = _one_of(lambda: ("start", "end"))
