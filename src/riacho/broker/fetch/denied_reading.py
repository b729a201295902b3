"""Fetches of those who may not: the same refusal whether the topic is there or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.fetch.fetch_reading import Answers, Reading
from riacho.broker.fetch.fetch_sessions import FetchScope, TopicKey, Wanted
from riacho.security.denials import denied
from riacho.security.operations import AclOperation, AclResourceType

if TYPE_CHECKING:
    from riacho.broker.requests.request_context import RequestContext


class DeniedReading(Reading):
    """A follower's fetch by somebody who is no broker."""

    __slots__ = ()

    def read(self) -> tuple[Answers, int, bool]:
        error = denied(AclResourceType.TOPIC)
        return [(wanted, self.refused(wanted, error)) for wanted in self.scope.wanted], 0, True

    def count_sent(self, wanted: Wanted, size_bytes: int) -> None:
        raise AssertionError("nothing is read for those who may not")


def unreadable_topics(ctx: RequestContext, scope: FetchScope) -> frozenset[TopicKey]:
    """Asked with every fetch, also of a session: an entry that was taken away counts at once."""
    topics = dict.fromkeys(wanted.topic for wanted in scope.wanted)
    return frozenset(topic for topic in topics if not ctx.allows_topic(AclOperation.READ, topic))
