"""Feature levels of Kafka's releases (KIP-1022), for kafka-storage and kafka-features."""

from __future__ import annotations

from collections.abc import Iterable

from riacho.cli.kafka.launch import ToolError
from riacho.client.features import METADATA_LEVELS, METADATA_VERSION

LATEST = "4.3-IV0"
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
    if release in METADATA_LEVELS:
        return METADATA_LEVELS[release]
    of_line = [level for name, level in METADATA_LEVELS.items() if name.startswith(f"{release}-")]
    if not of_line:
        raise ToolError(
            f"Unknown metadata.version '{release}'. Supported metadata.version are: {', '.join(METADATA_LEVELS)}"
        )
    return max(of_line)


def _name_of(level: int) -> str:
    return next((name for name, number in METADATA_LEVELS.items() if number == level), f"UNKNOWN {level}")


def level_text(feature: str, level: int) -> str:
    """metadata.version by its name, any other by its number."""
    return _name_of(level) if feature == METADATA_VERSION else str(level)


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
    name, equals, level = (part.strip() for part in text.partition("="))
    if not equals:
        raise ToolError(f"Can't parse feature=level string {text}: equals sign not found.")
    if not level.removeprefix("-").isdecimal() or not -(1 << 15) <= int(level) < 1 << 15:
        raise ToolError(f"Can't parse feature=level string {text}: unable to parse {level} as a short.")
    return name, int(level)


def print_dependencies(texts: Iterable[str]) -> int:
    for text in texts:
        name, level = parse_feature(text)
        if name == METADATA_VERSION:
            if level not in METADATA_LEVELS.values():
                raise ToolError(f"Unknown metadata.version {level}")
            print(f"{name}={level} ({_name_of(level)}) has no dependencies.")
            continue
        if name not in _FEATURES:
            raise ToolError(f"Unknown feature: {name}")
        if level not in _LEVELS[name]:
            raise ToolError(f"No feature:{name} with feature level {level}")
        needed = _REQUIRES.get((name, level))
        if needed is None:
            print(f"{name}={level} has no dependencies.")
        else:
            print(f"{name}={level} requires:\n    {METADATA_VERSION}={needed} ({_name_of(needed)})")
    return 0


def bootstrap_levels(release: str | None, features: Iterable[str], *, dynamic: bool) -> dict[str, int]:
    """What a new cluster begins with: metadata.version first, then the others above 0 by name.

    A level that this broker does not serve is left out when the release brings it, and refused when it is asked for.
    """
    from riacho.metadata.image.features import SUPPORTED

    asked = dict(parse_feature(text) for text in features)
    if release is not None and METADATA_VERSION in asked:
        raise ToolError("Use --release-version instead of --feature metadata.version=X to avoid ambiguity.")
    named = sorted(_FEATURES)
    for name, level in asked.items():
        if name != METADATA_VERSION and name not in _FEATURES:
            raise ToolError(f"Unsupported feature: {name}. Supported features are: {', '.join(named)}")
        if name != METADATA_VERSION and level not in _LEVELS[name]:
            raise ToolError(f"No feature:{name} with feature level {level}")
    _check_quorum(asked.pop("kraft.version", None), dynamic=dynamic)
    metadata = asked.pop(METADATA_VERSION, None)
    defaults = mapping(release or (LATEST if metadata is None else _name_of(metadata)))
    low, high = SUPPORTED[METADATA_VERSION]
    if not low <= defaults[METADATA_VERSION] <= high:
        served = _name_of(low) if low == high else f"{_name_of(low)} to {_name_of(high)}"
        raise ToolError(
            f"This broker writes metadata.version {served} only, not {_name_of(defaults[METADATA_VERSION])}."
        )
    levels = {METADATA_VERSION: defaults[METADATA_VERSION]}
    for name in named:
        served_max = SUPPORTED.get(name, (0, 0))[1]
        if asked.get(name, 0) > served_max:
            raise ToolError(f"This broker serves {name} up to {served_max}, not {asked[name]}.")
        level = asked.get(name, min(defaults[name], served_max))
        if level and name != "kraft.version":
            levels[name] = level
    return levels


def _check_quorum(kraft_version: int | None, *, dynamic: bool) -> None:
    """kraft.version follows from the flags that name voters; asking for another is a mistake."""
    flags = "one of the flags --standalone, --initial-controllers, or --no-initial-controllers is used"
    if dynamic and kraft_version == 0:
        raise ToolError(
            f"Cannot set kraft.version to 0 if controller.quorum.voters is empty and {flags}. For dynamic controllers "
            "support, try removing the --feature flag for kraft.version."
        )
    if not dynamic and kraft_version:
        raise ToolError(
            f"Cannot set kraft.version to {kraft_version} unless controller.quorum.voters is empty and {flags}. For "
            "dynamic controllers support, try using one of --standalone, --initial-controllers, or "
            "--no-initial-controllers and removing controller.quorum.voters."
        )
