"""The timers of members of consumer groups.

- session: no heartbeat for so long. A heartbeat, a join or a sync starts it anew.
- rebalance: asked to let go of partitions, and has not within its rebalance timeout (`max.poll.interval.ms`).
- join, sync: a classic member has to rejoin, or has joined and not fetched its assignment.

Whichever fires first takes the member out of the group.
"""

from __future__ import annotations

CONSUMER_SESSION_TIMER = "consumer-session"
CONSUMER_REBALANCE_TIMER = "consumer-rebalance"
CONSUMER_JOIN_TIMER = "consumer-join"
CONSUMER_SYNC_TIMER = "consumer-sync"

TIMER_KINDS = frozenset({CONSUMER_SESSION_TIMER, CONSUMER_REBALANCE_TIMER, CONSUMER_JOIN_TIMER, CONSUMER_SYNC_TIMER})
