"""Reassignments of partitions, at three levels: refused, as what Kafka does not support is (40002).

librdkafka has no ListPartitionReassignments, and what a partition is being moved from and to cannot be told from its
replicas. The paths are here because resources link to them: a client that follows a link gets a sentence, not a riddle.
"""

from __future__ import annotations

from typing import NoReturn

from starlette.responses import Response

from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.v3.partitions import PATH as PARTITIONS
from riacho.rest_proxy.v3.partitions import SEGMENTS
from riacho.rest_proxy.v3.resource import NO_CLUSTER, place_of
from riacho.rest_proxy.v3.topics import PATH as TOPICS
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

_ERRORS = {**NO_CLUSTER, 40002: "The proxy's Kafka client cannot ask for reassignments."}


def endpoints(proxy: Proxy) -> list[Endpoint]:
    async def cannot(call: Call) -> Response:
        await place_of(proxy, call)
        _refuse()

    about = "Reassignments under way; always refused."
    return [
        Endpoint("GET", TOPICS + "/-/partitions/-/reassignment", cannot, about, answers={}, errors=_ERRORS),
        Endpoint("GET", PARTITIONS + "/-/reassignment", cannot, about, answers={}, errors=_ERRORS),
        Endpoint(
            "GET",
            PARTITIONS + "/{partition_id}/reassignment",
            cannot,
            about,
            answers={},
            errors=_ERRORS,
            segments=SEGMENTS,
        ),
    ]


def _refuse() -> NoReturn:
    raise ApiError(400, 40002, "The proxy's Kafka client cannot ask for reassignments; use kafka-reassign-partitions.")
