"""What making and deleting partitions costs (KIP-599): whoever decides asks for permits, one for each partition.

`RecordMutations` raises THROTTLING_QUOTA_EXCEEDED where the client's quota is used up and its request is of a version
that understands this; for older ones it only counts, and the client is slowed down after.
"""

from __future__ import annotations

from collections.abc import Callable

RecordMutations = Callable[[int], None]
