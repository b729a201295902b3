"""Share groups: what each API takes. The rows read as in `acl_cases`."""

from __future__ import annotations

from conformance.acl_cases import GROUP, TOPIC, Case

_ACKNOWLEDGED = {
    "partition_index": 0,
    "acknowledgement_batches": [{"first_offset": 0, "last_offset": 0, "acknowledge_types": [1]}],
}

SHARE_GROUPS: list[Case] = [
    Case(
        "ShareGroupHeartbeat",
        "ShareGroupHeartbeat",
        1,
        lambda w: {
            "group_id": w.me,
            "member_id": "AAAAAAAAAAAAAAAAAAAAAA",
            "member_epoch": 0,
            "subscribed_topic_names": ["open"],
        },
        ("READ group:{me}", "DESCRIBE topic:open"),
        (GROUP, TOPIC),
    ),
    Case(
        "ShareGroupDescribe",
        "ShareGroupDescribe",
        1,
        lambda w: {"group_ids": [w.me]},
        ("DESCRIBE group:{me}",),
        (GROUP,),
        "GROUP_ID_NOT_FOUND",
    ),
    Case(
        "ShareFetch",
        "ShareFetch",
        1,
        lambda w: {
            "group_id": w.me,
            "member_id": "AAAAAAAAAAAAAAAAAAAAAA",
            "share_session_epoch": 0,
            "max_wait_ms": 0,
            "max_bytes": 1 << 20,
            "max_records": 10,
            "batch_size": 10,
            "topics": [{"topic_id": w.topic_id, "partitions": [{"partition_index": 0}]}],
        },
        ("READ group:{me}", "READ topic:open"),
        (GROUP, TOPIC),
        granted=None,
    ),
    Case(
        "ShareAcknowledge",
        "ShareAcknowledge",
        1,
        lambda w: {
            "group_id": w.me,
            "member_id": "AAAAAAAAAAAAAAAAAAAAAA",
            "share_session_epoch": 1,
            "topics": [
                {
                    "topic_id": w.topic_id,
                    "partitions": [
                        {
                            "partition_index": 0,
                            "acknowledgement_batches": [
                                {"first_offset": 0, "last_offset": 0, "acknowledge_types": [1]}
                            ],
                        }
                    ],
                }
            ],
        },
        ("READ group:{me}",),
        (GROUP,),
        granted=None,
    ),
    Case(
        "DescribeShareGroupOffsets",
        "DescribeShareGroupOffsets",
        0,
        lambda w: {"groups": [{"group_id": w.me, "topics": [{"topic_name": "open", "partitions": [0]}]}]},
        ("DESCRIBE group:{me}", "DESCRIBE topic:open"),
        (GROUP, TOPIC),
        granted=None,
    ),
    Case(
        "AlterShareGroupOffsets",
        "AlterShareGroupOffsets",
        0,
        lambda w: {
            "group_id": w.me,
            "topics": [{"topic_name": "open", "partitions": [{"partition_index": 0, "start_offset": 0}]}],
        },
        ("READ group:{me}", "READ topic:open"),
        (GROUP, TOPIC),
        granted=None,
    ),
    Case(
        "DeleteShareGroupOffsets",
        "DeleteShareGroupOffsets",
        0,
        lambda w: {"group_id": w.me, "topics": [{"topic_name": "open"}]},
        ("DELETE group:{me}", "READ topic:open"),
        (GROUP, "GROUP_ID_NOT_FOUND"),
        granted=None,
    ),
]
