"""kafka-*: flags, sub-commands and arguments, from the table that the tools parse by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from riacho.cli.kafka.flags.options import Option, Tool
from riacho.cli.kafka.flags.place import Place, find_place
from riacho.cli.shell.completion import config_words, values
from riacho.cli.shell.completion.offers import Answer, NameKind, Names, Offer, plain

# What the table calls an argument is what it is.
_NAMED = {
    "broker": NameKind.BROKER,
    "user": NameKind.USER,
    "transactional-id": NameKind.TRANSACTIONAL_ID,
    "subscription": NameKind.SUBSCRIPTION,
}
_LISTED = {"topics": NameKind.TOPIC, "brokers": NameKind.BROKER}
_ENTITIES = {
    config_words.TOPICS: NameKind.TOPIC,
    config_words.BROKERS: NameKind.BROKER,
    "broker-loggers": NameKind.BROKER,
    config_words.USERS: NameKind.USER,
    config_words.GROUPS: NameKind.GROUP,
    config_words.SUBSCRIPTIONS: NameKind.SUBSCRIPTION,
}
# Flags of kafka-configs that name the entity, in place of its type.
_ENTITY_FLAGS = {
    "topic": config_words.TOPICS,
    "broker": config_words.BROKERS,
    "broker-defaults": config_words.BROKERS,
    "user": config_words.USERS,
    "user-defaults": config_words.USERS,
    "client": config_words.CLIENTS,
    "client-defaults": config_words.CLIENTS,
    "ip": config_words.IPS,
    "ip-defaults": config_words.IPS,
    "group": config_words.GROUPS,
    "client-metrics": config_words.SUBSCRIPTIONS,
}


def complete_tool(tool: Tool, words: Sequence[str], word: str, names: Names) -> Answer:
    """`words` stand between the tool's name and the `word` that is being typed."""
    place = find_place(tool, words)
    awaiting = place.awaiting
    if awaiting is not None and not (place.is_free and word.startswith("-")):
        return _argument(tool, place, awaiting, word, names)
    flag, equals, attached = word.partition("=")
    option = place.known.get(flag) if equals else None
    if option is not None and option.value:
        return _argument(tool, place, option, attached, names).behind(f"{flag}=")
    if tool.commands and place.command is None and not word.startswith("-"):
        return Answer(word, [Offer(command.name, command.help) for command in tool.commands])
    if word and not word.startswith("-"):
        return Answer(word)
    return Answer(word, list(_flags(place)))


def _flags(place: Place) -> Iterator[Offer]:
    shown = {option.name: option for option in place.known.values() if not option.gone}
    for name, option in sorted(shown.items()):
        if name not in place.given or option.many:
            yield Offer(f"--{name}", option.help)


def _argument(tool: Tool, place: Place, option: Option, typed: str, names: Names) -> Answer:
    if option.value == "key=value":
        return _pair(option, typed)
    if option.choices or option.offers:
        offers = plain(option.choices or option.offers)
        # `--state` and `--type` take several.
        return config_words.listed(typed, offers) if option.value.endswith("s") else Answer(typed, offers)
    if option.value in _NAMED:
        return values.named(_NAMED[option.value], typed, names)
    if option.value in _LISTED:
        return values.names_listed(_LISTED[option.value], typed, names)
    match option.value:
        case "topic":
            # The name of a new one is for its maker to choose.
            return Answer(typed) if "create" in place.given else values.topic_partitions(typed, names)
        case "patterns":
            return values.topic_patterns(typed, names)
        case "partition" | "partitions":
            return values.partitions(_last(place, "topic"), typed, names)
        case "group":
            return values.named(_groups_of(tool), typed, names)
        case "principal":
            return values.principal(typed, names)
        case "entity":
            return _entity(place, typed, names)
        case "name=value":
            return config_words.setting(config_words.TOPICS, typed)
        case "configs":
            return config_words.settings(_entity_type(place), typed)
        case "names":
            return config_words.keys(_entity_type(place), typed)
        case "release":
            return Answer(typed, _releases())
        case "file" | "files":
            return values.file(typed)
    return Answer(typed)


def _pair(option: Option, typed: str) -> Answer:
    """Of a reader or a formatter, or else of a client."""
    if not option.offers:
        return config_words.client_setting(typed)
    key, equals, value = typed.partition("=")
    if not equals:
        return Answer(typed, plain(f"{each}=" for each in option.offers))
    return Answer(value, plain(("true", "false")) if key.startswith(("print.", "parse.")) else (), f"{key}=")


def _groups_of(tool: Tool) -> NameKind:
    if "share" in tool.name:
        return NameKind.SHARE_GROUP
    # Rights and configs are of groups of every type.
    return NameKind.GROUP if tool.name in ("kafka-acls", "kafka-configs") else NameKind.CONSUMER_GROUP


def _entity_type(place: Place) -> str:
    found = [kind for flag, kind in _ENTITY_FLAGS.items() if flag in place.given]
    return _last(place, "entity-type") or (found[0] if found else "")


def _entity(place: Place, typed: str, names: Names) -> Answer:
    """The names of kafka-configs go with the types in the order in which both stand."""
    types, before = place.given.get("entity-type", ()), len(place.given.get("entity-name", ()))
    kind = _ENTITIES.get(types[min(before, len(types) - 1)]) if types else None
    return values.named(kind, typed, names) if kind is not None else Answer(typed)


def _last(place: Place, name: str) -> str | None:
    given = place.given.get(name)
    return given[-1] if given else None


def _releases() -> list[Offer]:
    from riacho.client.features import METADATA_LEVELS

    return plain(METADATA_LEVELS)
