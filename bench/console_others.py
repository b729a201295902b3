"""What else is on the cluster that the control center is shown: transactional ids, users, quotas, a share group.

Some transactions stay open, and their producers in this process, for as long as `others` is held.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka import Producer

from bench.console_world import topic_name
from riacho.client.client_quotas import CLIENT_ID, QuotaSubject, alter_quotas
from riacho.client.cluster import Cluster, check
from riacho.client.scram_users import Password, alter_scram_user
from riacho.client.settings import client_settings
from riacho.client.share_groups import alter_share_group_offsets
from riacho.client.transactions import fence
from riacho.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from riacho.wire.messages.share_group_heartbeat_response import ShareGroupHeartbeatResponse

# The one topic whose page is asked for, and where transactions are open.
TOPIC = topic_name(77)
OPEN_ID, SHARE_GROUP = "open-00", "shared-reader"
_IDS, _OPEN, _USERS, _QUOTAS = 500, 10, 50, 200
_TIMEOUT_S = 60
# The longest that a broker takes.
_TRANSACTION_MS = 900_000
_MEMBER = "AAAAAAAAAAAAAAAAAAAAAQ"
_JOINS, _LEAVES = 0, -1


@contextmanager
def others(port: int) -> Iterator[None]:
    with Cluster(client_settings(f"127.0.0.1:{port}", {})) as cluster:
        for number in range(_IDS):
            fence(cluster, f"closed-{number:03}")
        for number in range(_USERS):
            alter_scram_user(cluster, f"user-{number:02}", {"SCRAM-SHA-256": Password("secret")}, ())
        for number in range(_QUOTAS):
            alter_quotas(
                cluster, [QuotaSubject(CLIENT_ID, f"client-{number:03}")], {"producer_byte_rate": 1e6 + number}, ()
            )
        _share_group(cluster)
    opened = [_opened(port, f"open-{number:02}") for number in range(_OPEN)]
    try:
        yield
    finally:
        for each in opened:
            each.abort_transaction(_TIMEOUT_S)


def _opened(port: int, transactional_id: str) -> Producer:
    producer = Producer(
        {
            "bootstrap.servers": f"127.0.0.1:{port}",
            "transactional.id": transactional_id,
            "transaction.timeout.ms": _TRANSACTION_MS,
        }
    )
    producer.init_transactions(_TIMEOUT_S)
    producer.begin_transaction()
    producer.produce(TOPIC, b"open", partition=0)
    if producer.flush(_TIMEOUT_S):
        raise RuntimeError(f"{transactional_id} could not write")
    return producer


def _share_group(cluster: Cluster) -> None:
    """One without members, which stands somewhere."""
    for epoch in (_JOINS, _LEAVES):
        request = ShareGroupHeartbeatRequest(
            group_id=SHARE_GROUP,
            member_id=_MEMBER,
            member_epoch=epoch,
            subscribed_topic_names=[TOPIC] if epoch == _JOINS else None,
        )
        answer = cluster.ask(request, ShareGroupHeartbeatResponse, cluster.coordinator(SHARE_GROUP))
        check(answer.error_code, answer.error_message)
    alter_share_group_offsets(cluster, SHARE_GROUP, {(TOPIC, 0): 0})
