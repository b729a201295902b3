"""Feature levels of Kafka's releases (KIP-1022), for kafka-storage."""

from __future__ import annotations

from collections.abc import Iterable

from riacho.cli.kafka.launch import ToolError

LATEST = "4.3-IV0"
METADATA_VERSION = "metadata.version"

# metadata.version by its name, from the oldest that can be asked for.
_METADATA_NAMES = (
    "3.3-IV3", "3.4-IV0", "3.5-IV0", "3.5-IV1", "3.5-IV2", "3.6-IV0", "3.6-IV1", "3.6-IV2", "3.7-IV0", "3.7-IV1",
    "3.7-IV2", "3.7-IV3", "3.7-IV4", "3.8-IV0", "3.9-IV0", "4.0-IV0", "4.0-IV1", "4.0-IV2", "4.0-IV3", "4.1-IV0",
    "4.1-IV1", "4.2-IV0", "4.2-IV1", "4.3-IV0",
)  # fmt: skip
_METADATA_LEVELS = {name: level for level, name in enumerate(_METADATA_NAMES, start=7)}
# Other features: the metadata.version with which each level became the default.
_FEATURES: dict[str, dict[int, int]] = {
    "kraft.version": {1: 21},
    "transaction.version": {2: 24},
    "group.version": {1: 22},
    "eligible.leader.replicas.version": {1: 26},
    "share.version": {1: 28},
    "streams.version": {1: 29},
}
_LEVELS = {name: range(3 if name == "transaction.version" else 2) for name in _FEATURES}
# What a level needs of another feature.
_REQUIRES = {("eligible.leader.replicas.version", 1): 23}


def metadata_level(release: str) -> int:
    """`4.0` is the last of its line, `4.0-IV1` exactly that one."""
    if release in _METADATA_LEVELS:
        return _METADATA_LEVELS[release]
    of_line = [level for name, level in _METADATA_LEVELS.items() if name.startswith(f"{release}-")]
    if not of_line:
        raise ToolError(
            f"Unknown metadata.version '{release}'. Supported metadata.version are: {', '.join(_METADATA_LEVELS)}"
        )
    return max(of_line)


def _name_of(level: int) -> str:
    return next(name for name, number in _METADATA_LEVELS.items() if number == level)


def mapping(release: str) -> dict[str, int]:
    level = metadata_level(release)
    return {
        METADATA_VERSION: level,
        **{
            name: max((number for number, since in defaults.items() if since <= level), default=0)
            for name, defaults in _FEATURES.items()
        },
    }


def print_mapping(release: str | None) -> int:
    asked = release or LATEST
    for name, level in mapping(asked).items():
        print(f"{name}={level}" + (f" ({asked})" if name == METADATA_VERSION else ""))
    return 0


def parse_feature(text: str) -> tuple[str, int]:
    name, equals, level = text.partition("=")
    if not equals or not level.strip().isdigit():
        raise ToolError(f"Can't parse feature=level string {text}: equals sign and a number are needed.")
    return name.strip(), int(level)


def print_dependencies(texts: Iterable[str]) -> int:
    for text in texts:
        name, level = parse_feature(text)
        if name == METADATA_VERSION:
            if level not in _METADATA_LEVELS.values():
                raise ToolError(f"Unknown metadata.version {level}")
            print(f"{name}={level} ({_name_of(level)}) has no dependencies.")
            continue
        if name not in _FEATURES:
            raise ToolError(f"Unknown feature: {name}")
        if level not in _LEVELS[name]:
            raise ToolError(f"Feature level {level} is not supported for feature {name}")
        needed = _REQUIRES.get((name, level))
        if needed is None:
            print(f"{name}={level} has no dependencies.")
        else:
            print(f"{name}={level} requires:\n    {METADATA_VERSION}={needed} ({_name_of(needed)})")
    return 0


def check_format(release: str | None, features: Iterable[str]) -> None:
    """A broker writes its metadata in one form; asking for another ends here rather than at its start."""
    from riacho.metadata.features import METADATA_LEVEL, SUPPORTED

    if release is not None and metadata_level(release) != METADATA_LEVEL:
        raise ToolError(f"This broker writes metadata.version {LATEST} only, not {release}.")
    for text in features:
        name, level = parse_feature(text)
        low, high = SUPPORTED.get(name, (0, 0))
        if name != METADATA_VERSION and name not in _FEATURES:
            raise ToolError(f"Unknown feature: {name}")
        if not low <= level <= high:
            raise ToolError(f"{name} can be {low} to {high} here, not {level}.")
