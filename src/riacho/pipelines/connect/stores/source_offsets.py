"""How far source connectors have read, as the topic `connect-offsets` says: Connect's pairs of maps by connector."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from riacho.pipelines.connect import records
from riacho.pipelines.connect.stores.statuses import Change

# {"partition": {...}, "offset": {...} or None}
Pair = dict[str, Any]


class SourceOffsets:
    def __init__(self) -> None:
        # connector -> partition in one spelling -> (its key in the topic, partition, offset)
        self._known: dict[str, dict[str, tuple[bytes, dict[str, Any], dict[str, Any]]]] = {}

    def apply(self, key: bytes, value: bytes | None) -> None:
        found = records.offset_of(key)
        if found is None:
            return
        connector, partition = found
        offset = None if value is None else records.decode(value)
        pairs = self._known.setdefault(connector, {})
        if isinstance(offset, dict):
            pairs[_spelling(partition)] = (key, partition, offset)
        else:
            pairs.pop(_spelling(partition), None)
        if not pairs:
            del self._known[connector]

    def of(self, connector: str) -> list[Pair]:
        pairs = self._known.get(connector, {}).values()
        return [{"partition": partition, "offset": offset} for _, partition, offset in pairs]

    def changes(self, connector: str, pairs: Iterable[Mapping[str, Any]]) -> list[Change]:
        """What to write for new offsets; a null takes one away. Nothing for those that are known already."""
        known = self._known.get(connector, {})
        changes: list[Change] = []
        for pair in pairs:
            partition, offset = pair["partition"], pair["offset"]
            before = known.get(_spelling(partition))
            key = records.offset_key(connector, partition) if before is None else before[0]
            if offset is None:
                changes.append((key, None))
            elif before is None or before[2] != offset:
                changes.append((key, records.encode(offset)))
        return changes

    def reset(self, connector: str) -> list[Change]:
        return [(key, None) for key, _, _ in self._known.get(connector, {}).values()]


def _spelling(partition: Mapping[str, Any]) -> str:
    """The same map may come in another order."""
    return json.dumps(partition, sort_keys=True)
