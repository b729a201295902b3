"""Each claim of the project's notes on clusters, clients and settings has a test, or a guide's section, that shows it.

The notes are no part of this repository. What none shows is NOT_SHOWN, with the reason.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

import pytest

from e2e import test_guides, test_operations_guides
from support.guides import bash_blocks

ROOT = Path(__file__).parents[2]


class Claim(NamedTuple):
    """What the notes say of a cluster or a setting, and what shows it: a test, or a section of a guide that is run."""

    what: str
    test: str


CLAIMS = (
    # Topics, records, partitions
    Claim(
        "a record has an offset, a key, a value, headers and a timestamp",
        "tests/conformance/test_aiokafka.py::test_keys_values_headers_nulls_and_timestamps",
    ),
    Claim(
        "a topic is read by several consumers, again and again, from any offset",
        "tests/conformance/test_confluent_kafka.py::test_seek_beginning_end_and_middle",
    ),
    Claim(
        "records of one key stay in order in one partition",
        "tests/e2e/test_umbrella.py::test_keys_go_where_java_clients_would_put_them",
    ),
    Claim(
        "offsets are of a partition, not of a topic",
        "tests/e2e/test_umbrella.py::test_records_from_arguments_are_told_where_they_went",
    ),
    Claim(
        "a cluster's brokers share the partitions of a topic",
        "tests/e2e/test_testing_cluster.py::test_three_brokers_share_the_partitions_of_a_topic",
    ),
    Claim(
        "max(t/p, t/c) partitions for a rate, measured",
        "tests/e2e/test_umbrella.py::test_a_plan_is_measured_and_leaves_nothing_behind",
    ),
    Claim(
        "keys go elsewhere when partitions are added",
        "docs/guides/topics-and-partitions.md::Adding partitions moves keys",
    ),
    Claim(
        "partitions can be added later",
        "tests/conformance/test_confluent_kafka_admin.py::test_partitions_grow_and_never_shrink",
    ),
    Claim(
        "a topic may have thousands of partitions", "tests/cluster/test_many_partitions.py::test_a_thousand_partitions"
    ),
    Claim(
        "a topic's settings, how long it keeps records say, are the cluster's to know",
        "tests/conformance/test_confluent_kafka_admin.py::test_topic_configs_are_described_set_and_deleted",
    ),
    # Replicas
    Claim(
        "a partition has as many copies as the replication factor says, and one of them leads",
        "docs/guides/topics-and-partitions.md::Replicas, leaders, followers",
    ),
    Claim(
        "producers and consumers go to the leader; others refuse",
        "tests/unit/broker/partitions/test_replicated.py::test_a_partition_that_moves_away_is_dropped_and_its_files_go_later",
    ),
    Claim("a broker may have no partition of a topic", "docs/operations/add-a-broker.md::Move partitions to it"),
    Claim(
        "consumers see what is committed, and nothing else",
        "tests/unit/partition/test_visibility.py::test_whoever_is_no_replica_sees_what_consumers_see",
    ),
    Claim(
        "a leader that fails is replaced by a replica in sync",
        "tests/e2e/test_testing_cluster.py::test_a_killed_leader_is_replaced_and_nothing_is_lost",
    ),
    Claim(
        "a follower that lags leaves the in-sync replicas in time",
        "tests/unit/partition/test_leader.py::test_lag_is_counted_from_the_last_time_a_follower_had_it_all",
    ),
    Claim("below min.insync.replicas the leader is read only", "tests/cluster/test_min_isr.py::test_two_brokers_down"),
    Claim(
        "with the leader only what was not committed is lost",
        "tests/cluster/test_acks.py::test_acks_all_is_not_acknowledged_there",
    ),
    Claim(
        "one controller, and another one when it fails",
        "tests/e2e/test_testing_cluster.py::test_a_killed_controller_is_replaced",
    ),
    Claim("no ZooKeeper is needed, and its name says so", "tests/e2e/test_compose.py::test_zookeeper_says_what_it_is"),
    # What ZooKeeper did
    Claim(
        "brokers join, leave and are known to all",
        "tests/cluster/test_reassignment.py::test_a_broker_joins_and_another_leaves",
    ),
    Claim("quotas hold", "tests/cluster/test_quotas.py::test_produce_and_fetch_quotas_hold_and_disconnect_nobody"),
    Claim(
        "every node decides alike who may do what",
        "tests/cluster/test_acl_cluster.py::test_every_node_answers_alike_and_the_decision_is_on_record",
    ),
    Claim(
        "groups, their members and their offsets are known",
        "tests/conformance/test_confluent_kafka_admin.py::test_groups_are_listed_described_and_deleted",
    ),
    # Files
    Claim("a segment ends by its size", "tests/unit/log/test_log.py::test_rolls_by_size"),
    Claim("a segment ends by its age", "tests/unit/log/test_log.py::test_rolls_by_the_time_between_batches"),
    Claim(
        "a gigabyte and seven days, unless settings say otherwise",
        "tests/unit/metadata/settings/test_configs.py::test_a_segment_ends_at_a_gigabyte_or_after_seven_days",
    ),
    Claim(
        "a segment's file has the name of its first offset, and offsets go on",
        "tests/e2e/test_retention_and_compaction.py::test_records_older_than_retention_ms_go_and_offsets_go_on",
    ),
    Claim(
        "records are found by time", "tests/conformance/test_confluent_kafka.py::test_offsets_for_times_and_watermarks"
    ),
    Claim(
        "records are on disk and outlive the broker's crash",
        "tests/cluster/test_kill_under_load.py::test_nothing_acknowledged_is_lost_doubled_or_reordered",
    ),
    # What a broker writes about itself
    Claim(
        "an access log and an error log",
        "tests/cluster/test_broker_process.py::test_access_and_error_log_are_two_files",
    ),
    Claim(
        "an agent log and a referrer log",
        "tests/e2e/test_umbrella.py::test_logs_tell_who_came_and_are_followed_over_their_files",
    ),
    Claim("all four are shown by riacho logs", "docs/guides/logs.md::See them"),
    Claim(
        "everything is in the browser, on 9021", "tests/e2e/test_compose.py::test_the_browser_sees_the_cluster_on_9021"
    ),
    # Producers
    Claim(
        "acks 0, 1 and all", "tests/conformance/test_confluent_kafka.py::test_every_acks_level_stores_records_in_order"
    ),
    Claim("acks 0 can lose what nobody answers for", "docs/guides/producers.md::What acks promise"),
    Claim(
        "acks 1 can lose what was acknowledged",
        "tests/cluster/test_acks.py::test_acks_1_loses_what_only_the_leader_had",
    ),
    Claim("acks all does not", "tests/cluster/test_acks.py::test_acks_all_survives_the_leader"),
    Claim(
        "an idempotent producer's repetition is dropped", "docs/guides/producers.md::Retries, duplicates, idempotence"
    ),
    Claim("batches and every codec", "tests/conformance/test_confluent_kafka.py::test_every_codec_comes_back_whole"),
    Claim("text in batches shrinks to a twentieth and less", "docs/guides/producers.md::Batches and compression"),
    Claim(
        "any broker tells a client of the others",
        "tests/cluster/test_broker_addresses.py::test_each_listener_advertises_its_own_address",
    ),
    # Consumers
    Claim("groups read a topic independently of each other", "docs/guides/consumers.md::A consumer in a group"),
    Claim("a consumer may read without a group's help", "docs/guides/consumers.md::Begin again"),
    Claim(
        "a group's members share the partitions",
        "tests/conformance/test_confluent_kafka_groups.py::test_each_strategy_shares_partitions_between_two",
    ),
    Claim("a member more than partitions is idle", "docs/guides/consumers.md::More consumers than partitions"),
    Claim("at most once", "docs/guides/delivery-guarantees.md::At most once: commit on receipt"),
    Claim("at least once", "docs/guides/delivery-guarantees.md::At least once: commit after the work"),
    Claim(
        "exactly once", "docs/guides/delivery-guarantees.md::Exactly once: the work and the commit in one transaction"
    ),
    Claim(
        "a group goes on where it committed",
        "tests/conformance/test_confluent_kafka_groups.py::test_a_group_continues_where_it_committed",
    ),
    # Connect
    Claim(
        "sources, sinks, transforms and converters, each from a config",
        "tests/spark/guides/test_connect_guide.py::test_every_command_of_the_guide_runs",
    ),
    Claim(
        "Avro, Protobuf, JSON and JSON Schema", "tests/unit/pipelines/formats/test_schemas.py::test_converters_by_name"
    ),
    Claim(
        "errors.tolerance none ends the task at the first bad record",
        "tests/spark/connect/test_runner_errors.py::test_without_tolerance_the_first_bad_record_stops_it_before_anything_is_delivered",
    ),
    Claim(
        "errors.tolerance all goes on, and sets bad records aside",
        "tests/spark/connect/test_runner_errors.py::test_every_bad_record_becomes_one_letter_and_the_rest_passes_in_order",
    ),
    Claim(
        "a dead letter topic goes with errors.tolerance all alone",
        "tests/unit/pipelines/errors/test_policy.py::test_letters_are_for_sinks_that_tolerate",
    ),
    Claim(
        "bad records go to a dead letter topic, with the error in headers",
        "tests/unit/pipelines/errors/test_dead_letters.py::test_the_headers_are_kafkas",
    ),
    # Clients, KSQL
    Claim("librdkafka, and what is made of it", "tests/conformance/test_kcat.py::test_a_group_reads_everything_once"),
    Claim("Java's client", "tests/conformance/test_java_client.py::test_java_client"),
    Claim("a client for Node", "tests/conformance/test_kafkajs.py::test_kafkajs"),
    Claim("KSQL", "tests/spark/guides/test_ksql_guide.py::test_every_command_of_the_guide_runs"),
)
# What of the notes no test shows, and why: a page that says more.
NOT_SHOWN = {
    "Streams": "streams groups are not served yet: README.md",
    "2 ms, and a high throughput": "of a machine: docs/bench.md has them beside Apache Kafka's, in one run",
    "at most once is fastest, exactly once slowest": "the same: docs/bench-notes.md",
    "a follower may lag for 10 seconds": "Kafka's default is 30 since 2.5, and ours: docs/operations/settings.md",
    "the first broker, or one by chance, is the controller": "a majority elects it: docs/operations/quorum.md",
    "retries, delivery.timeout.ms, requests in flight": "defaults of clients: docs/guides/producers.md",
    "three brokers at least": "advice: docs/operations/cluster.md gives it too",
    "RabbitMQ destroys what was read": "another program; of queues here tell docs/guides/share-groups.md",
}


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.what)
def test_a_claim_has_its_test(claim: Claim) -> None:
    path, _, name = claim.test.partition("::")
    if path.endswith(".md"):
        section = (ROOT / path).read_text().partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert ROOT / path in [*test_guides.GUIDES, *test_operations_guides.GUIDES]
        assert bash_blocks(section), claim.test
        return
    functions = [
        node
        for node in ast.walk(ast.parse((ROOT / path).read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
    ]
    assert len(functions) == 1, claim.test
    assert any(isinstance(node, ast.Assert | ast.Call) for node in ast.walk(functions[0]))


@pytest.mark.parametrize("what", NOT_SHOWN)
def test_what_is_not_shown_has_a_page_that_says_more(what: str) -> None:
    assert any(
        (ROOT / word.strip(",:")).is_file() for word in NOT_SHOWN[what].split() if word.strip(",:").endswith(".md")
    )
    assert what not in {claim.what for claim in CLAIMS}
