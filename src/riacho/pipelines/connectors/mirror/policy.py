"""Names of mirrored topics, and which topics are mirrored: MirrorMaker 2's replication policies and filters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from riacho.base.config import ConfigError, Value

DEFAULT_POLICY = "org.apache.kafka.connect.mirror.DefaultReplicationPolicy"
IDENTITY_POLICY = "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"
TOPICS_EXCLUDE = "mm2.*\\.internal,.*\\.replica,__.*"
_HEARTBEATS = "heartbeats"


@dataclass(frozen=True, slots=True)
class ReplicationPolicy:
    """`keeps_names` is the identity policy: topics have the same name on both sides."""

    source: str
    target: str
    separator: str = "."
    keeps_names: bool = False

    def remote(self, topic: str) -> str:
        """The name of a topic of the source on the target."""
        if self.keeps_names and topic != _HEARTBEATS:
            return topic
        return f"{self.source}{self.separator}{topic}"

    def comes_from_target(self, topic: str) -> bool:
        """Mirrored from there already: to send it back would go round without end."""
        return not self.keeps_names and topic.startswith(f"{self.target}{self.separator}")

    def offset_syncs(self) -> str:
        return f"mm2-offset-syncs{self.separator}{self.target}{self.separator}internal"

    def checkpoints(self) -> str:
        return f"{self.source}{self.separator}checkpoints{self.separator}internal"

    def subscribe_pattern(self, topics: Sequence[str], exclude: Sequence[str]) -> str:
        """One pattern for what is read. Patterns of Java and of Python agree on what is used here."""
        refused = list(exclude)
        if not self.keeps_names:
            refused.append(re.escape(f"{self.target}{self.separator}") + ".*")
        before = f"(?!(?:{'|'.join(refused)})$)" if refused else ""
        return f"{before}(?:{'|'.join(topics)})"


def wants(name: str, included: Sequence[str], excluded: Sequence[str]) -> bool:
    return any(re.fullmatch(each, name) for each in included) and not any(re.fullmatch(each, name) for each in excluded)


def valid_patterns(name: str, value: Value) -> None:
    for pattern in value if isinstance(value, list) else ():
        try:
            re.compile(pattern)
        except re.error as error:
            raise ConfigError(f"Invalid value {pattern} for configuration {name}: {error}") from None
