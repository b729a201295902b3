"""What the arguments of `riacho`'s commands are: handed to click as `shell_complete`.

In `riacho shell` the context's object has the names. A line of bash, zsh or fish has them asked for at once, of the
cluster that the command would speak with, and none where that does not answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem

from riacho.cli.shell.completion import config_words, values
from riacho.cli.shell.completion.offers import Answer, Asking, NameKind, Names, plain

Completes = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completes(answer: Callable[[str, Names], Answer]) -> Completes:
    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        if isinstance(ctx.obj, Asking):
            ctx.obj.answer = answer(incomplete, ctx.obj.names)
            return []
        from riacho.cli.shell.completion.asked_names import names_for

        found = answer(incomplete, names_for(ctx.params))
        return [CompletionItem(found.head + offer.text, help=offer.about or None) for offer in found.matching()]

    return complete


def _names_of(kind: NameKind) -> Completes:
    return _completes(lambda typed, names: values.named(kind, typed, names))


def _one_of(words: Callable[[], Iterable[str]]) -> Completes:
    return _completes(lambda typed, names: Answer(typed, plain(words())))


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
complete_places = _one_of(lambda: ("start", "end"))
