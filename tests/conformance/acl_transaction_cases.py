"""Transactions: what each API takes. The rows read as in `acl_cases`."""

from __future__ import annotations

from conformance.acl_cases import CLUSTER, GROUP, TOPIC, TXN, UNKNOWN, Case, commit_values

TRANSACTIONS: list[Case] = [
    Case(
        "InitProducerId of an idempotent producer",
        "InitProducerId",
        4,
        lambda w: {"transactional_id": None, "transaction_timeout_ms": 10_000},
        ("IDEMPOTENT_WRITE cluster",),
        (CLUSTER,),
        granted=None,
    ),
    Case(
        "InitProducerId of a writer",
        "InitProducerId",
        4,
        lambda w: {"transactional_id": None, "transaction_timeout_ms": 10_000},
        ("WRITE topic:whatever",),
        (CLUSTER,),
        granted=None,
    ),
    Case(
        "InitProducerId of a transaction",
        "InitProducerId",
        4,
        lambda w: {"transactional_id": w.me, "transaction_timeout_ms": 10_000},
        ("WRITE transactional_id:{me}",),
        (TXN,),
        granted=None,
    ),
    Case(
        "AddPartitionsToTxn",
        "AddPartitionsToTxn",
        3,
        lambda w: {
            "v3_and_below_transactional_id": w.me,
            "v3_and_below_producer_id": 1,
            "v3_and_below_producer_epoch": 0,
            "v3_and_below_topics": [{"name": "open", "partitions": [0]}],
        },
        ("WRITE transactional_id:{me}", "WRITE topic:open"),
        (TXN, TOPIC),
        granted=None,
    ),
    Case(
        "AddPartitionsToTxn of a broker",
        "AddPartitionsToTxn",
        5,
        lambda w: {
            "transactions": [
                {
                    "transactional_id": w.me,
                    "producer_id": 1,
                    "producer_epoch": 0,
                    "verify_only": True,
                    "topics": [{"name": "open", "partitions": [0]}],
                }
            ]
        },
        ("CLUSTER_ACTION cluster",),
        (CLUSTER,),
        granted=None,
    ),
    Case(
        "AddOffsetsToTxn",
        "AddOffsetsToTxn",
        3,
        lambda w: {"transactional_id": w.me, "producer_id": 1, "producer_epoch": 0, "group_id": w.me},
        ("WRITE transactional_id:{me}", "READ group:{me}"),
        (TXN, GROUP),
        granted=None,
    ),
    Case(
        "EndTxn",
        "EndTxn",
        3,
        lambda w: {"transactional_id": w.me, "producer_id": 1, "producer_epoch": 0, "committed": True},
        ("WRITE transactional_id:{me}",),
        (TXN,),
        granted=None,
    ),
    Case(
        "WriteTxnMarkers",
        "WriteTxnMarkers",
        1,
        lambda w: {
            "markers": [
                {
                    "producer_id": 1,
                    "producer_epoch": 0,
                    "transaction_result": False,
                    "topics": [{"name": "ghost", "partition_indexes": [0]}],
                    "coordinator_epoch": 0,
                }
            ]
        },
        ("ALTER cluster",),
        (CLUSTER,),
        UNKNOWN,
    ),
    Case(
        "WriteTxnMarkers of a broker",
        "WriteTxnMarkers",
        1,
        lambda w: {
            "markers": [
                {
                    "producer_id": 1,
                    "producer_epoch": 0,
                    "transaction_result": False,
                    "topics": [{"name": "ghost", "partition_indexes": [0]}],
                    "coordinator_epoch": 0,
                }
            ]
        },
        ("CLUSTER_ACTION cluster",),
        (CLUSTER,),
        UNKNOWN,
    ),
    Case(
        "TxnOffsetCommit",
        "TxnOffsetCommit",
        3,
        lambda w: commit_values(
            {"name": "open"},
            transactional_id=w.me,
            group_id=w.me,
            producer_id=1,
            producer_epoch=0,
            generation_id=-1,
            member_id="",
        ),
        ("WRITE transactional_id:{me}", "READ group:{me}", "READ topic:open"),
        (TXN, GROUP, TOPIC),
        granted=None,
    ),
    Case(
        "DescribeTransactions",
        "DescribeTransactions",
        0,
        lambda w: {"transactional_ids": [w.me]},
        ("DESCRIBE transactional_id:{me}",),
        (TXN,),
        granted=None,
    ),
    Case("ListTransactions", "ListTransactions", 1, lambda w: {}),
]
