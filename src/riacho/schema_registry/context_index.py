"""Ids and digests of one context, kept by `state.py` as versions come and go.

Nothing here depends on the order in which versions came, but for who is told first as a holder of an id: a log that
has been compacted gives the same index.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from riacho.schema_registry.entities import Version

VersionKey = tuple[str, int]


@dataclass(slots=True)
class ContextIndex:
    # id -> the versions that have it, in the order in which they came, with their digests
    holders: dict[int, dict[VersionKey, bytes]] = field(default_factory=dict)
    # Several only where an import gave the same content another id.
    _ids: dict[bytes, set[int]] = field(default_factory=dict)
    # The highest id ever given: never goes down, so that no id is given twice.
    max_id: int = 0

    def add(self, version: Version) -> None:
        self.holders.setdefault(version.id, {})[version.key] = version.digest
        self._ids.setdefault(version.digest, set()).add(version.id)
        self.max_id = max(self.max_id, version.id)

    def remove(self, version: Version) -> None:
        holders = self.holders[version.id]
        del holders[version.key]
        if version.digest not in holders.values():
            ids = self._ids[version.digest]
            ids.discard(version.id)
            if not ids:
                del self._ids[version.digest]
        if not holders:
            del self.holders[version.id]

    def id_of(self, digest: bytes) -> int | None:
        """The id of this content; the lowest where it has several."""
        return min(self._ids.get(digest, ()), default=None)

    def first_holder(self, schema_id: int, but: VersionKey | None = None) -> VersionKey | None:
        return next((key for key in self.holders.get(schema_id, ()) if key != but), None)

    def holder_in(self, schema_id: int, subject: str) -> VersionKey | None:
        """The newest version of the subject that has the id."""
        found = [key for key in self.holders.get(schema_id, ()) if key[0] == subject]
        return max(found, key=lambda key: key[1], default=None)
