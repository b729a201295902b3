"""kafka-features: the feature levels that the cluster has agreed on, shown and changed."""

from __future__ import annotations

from riacho.base.errors import KafkaError
from riacho.cli.kafka import feature_levels
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import ToolError, launch, sentence
from riacho.client.features import METADATA_VERSION, Features, UpgradeType, describe_features, update_features


def main() -> None:
    launch("kafka-features", run)


def run(arguments: Arguments) -> int:
    match arguments.command:
        case "version-mapping":
            return feature_levels.print_mapping(arguments.text("release-version"))
        case "feature-dependencies":
            return feature_levels.print_dependencies(arguments.all("feature"))
        case "describe":
            return _describe(arguments)
        case _:
            return _update(arguments)


def _describe(arguments: Arguments) -> int:
    node_id = arguments.number("node-id")
    if node_id is not None and node_id < 0:
        raise ToolError(f"Invalid node id {node_id}: must be non-negative.")
    with open_cluster(arguments) as cluster:
        features = describe_features(cluster, node_id)
    print("\n".join(feature_lines(features)))
    return 0


def feature_lines(features: Features) -> list[str]:
    epoch = "-" if features.epoch is None else features.epoch
    lines = []
    for name, (low, high) in sorted(features.supported.items()):
        low_text, high_text, level = (
            feature_levels.level_text(name, number) for number in (low, high, features.finalized.get(name, 0))
        )
        lines.append(
            f"Feature: {name:<40}  SupportedMinVersion: {low_text:<15}  SupportedMaxVersion: {high_text:<15}  "
            f"FinalizedVersionLevel: {level:<15}  Epoch: {epoch}"
        )
    return lines


def _update(arguments: Arguments) -> int:
    verb, dry_run = arguments.command or "", arguments.has("dry-run")
    levels = _wanted(arguments)
    if not levels:
        raise ToolError(f"You must specify at least one feature to {verb}")
    upgrade_type = UpgradeType.UPGRADE
    if verb != "upgrade":
        upgrade_type = UpgradeType.UNSAFE_DOWNGRADE if arguments.has("unsafe") else UpgradeType.SAFE_DOWNGRADE
    with open_cluster(arguments) as cluster:
        outcomes = update_features(cluster, levels, upgrade_type, validate_only=dry_run)
    for name, error in sorted(outcomes.items()):
        print(outcome_line(verb, name, levels[name], error, dry_run=dry_run))
    failed = sum(error is not None for error in outcomes.values())
    if failed:
        raise ToolError(f"{failed} out of {len(levels)} operation(s) failed.")
    return 0


def _wanted(arguments: Arguments) -> dict[str, int]:
    if arguments.command == "disable":
        pairs = [(str(name), 0) for name in arguments.all("feature")]
        release = metadata = None
    else:
        pairs = [feature_levels.parse_feature(text) for text in arguments.all("feature")]
        release, metadata = arguments.text("release-version"), arguments.text("metadata")
    if release is not None:
        if pairs or metadata is not None:
            raise ToolError("Can not specify `release-version` with other feature flags.")
        return feature_levels.mapping(release)
    levels: dict[str, int] = {}
    if metadata is not None:
        # The space at the start is Kafka's.
        print(" `metadata` flag is deprecated and may be removed in a future release.")
        levels[METADATA_VERSION] = feature_levels.metadata_level(metadata)
    for name, level in pairs:
        if name in levels:
            raise ToolError(f"Feature {name} was specified more than once.")
        levels[name] = level
    return levels


def outcome_line(verb: str, name: str, level: int, error: KafkaError | None, *, dry_run: bool) -> str:
    if error is not None:
        tried = f"disable {name}" if verb == "disable" else f"{verb} {name} to {level}"
        return f"{'Can' if dry_run else 'Could'} not {tried}. {sentence(error)}"
    done = "disabled." if verb == "disable" else f"{verb}d to {level}."
    return f"{name} {'can be' if dry_run else 'was'} {done}"
