"""Every served API against every missing right, on Riacho and, with RIACHO_CONFORMANCE_PEER, on Apache Kafka too.

Each row has a user of its own, so that all rights can be granted before the first row runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.acl_admin_cases import ADMIN
from conformance.acl_broker import USERS, SecuredBroker, run_secured
from conformance.acl_cases import CLOSED, REFUSALS, Case, Row, World, parse_right, rows
from conformance.acl_cluster_cases import CONTROLLER, SHARE_STATE
from conformance.acl_data_cases import DATA
from conformance.acl_group_cases import GROUPS
from conformance.acl_share_cases import SHARE_GROUPS
from conformance.acl_transaction_cases import TRANSACTIONS
from conformance.raw import ClosedByBroker, RawConnection, batch, error_codes, wait_for_coordinator, wait_until_served
from conformance.running_broker import kinds
from conformance.waiting import eventually
from riacho.base.acl import AclOperation, AclResourceType
from riacho.base.errors import ErrorCode
from riacho.base.ids import ZERO_UUID
from riacho.broker.handlers.table import CONTROLLER_TABLE, TABLE
from riacho.wire.schema import WireStruct

CASES: list[Case] = [*DATA, *GROUPS, *SHARE_GROUPS, *TRANSACTIONS, *ADMIN, *SHARE_STATE, *CONTROLLER]
ROWS = list(rows(CASES))
# Users past those of the rows are for the tests below.
FIRST_FREE = len(ROWS)
# Who may ask these needs no right: versions, logins, and what a user may know of himself.
FREE_FOR_ALL = {"ApiVersions", "SaslHandshake", "SaslAuthenticate"}
# Their rules are about owners and tokens, not about these resources: see `test_acl_tokens.py`.
TOKENS = {"CreateDelegationToken", "RenewDelegationToken", "ExpireDelegationToken", "DescribeDelegationToken"}
LITERAL, PREFIXED = 3, 4
DENY, ALLOW = 2, 3


@pytest.fixture(scope="module", params=[kind for kind in kinds() if kind != "running"])
def secured(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredBroker]:
    if request.param == "apache":
        from support.apache_kafka import available

        reason = available()
        if reason:
            pytest.skip(f"no Apache Kafka beside us: {reason}")
    with run_secured(request.param, tmp_path_factory.mktemp(f"acl-{request.param}")) as broker:
        yield broker


@pytest.fixture(scope="module")
def world(secured: SecuredBroker) -> World:
    """What the rows speak of, and everybody's rights."""
    with secured.connect() as admin:
        for topic in ("open", "hidden"):
            # The records are old, and would be deleted meanwhile.
            configs = [{"name": "retention.ms", "value": "-1"}]
            asked = {"name": topic, "num_partitions": 1, "replication_factor": 1, "configs": configs}
            made = admin.ask("CreateTopics", 7, topics=[asked], timeout_ms=10_000)
            assert list(error_codes(made)) == [0]
            wait_until_served(admin, topic)
        produced = [{"name": "open", "partition_data": [{"index": 0, "records": batch(b"first")}]}]
        assert not any(error_codes(admin.ask("Produce", 12, acks=-1, timeout_ms=5_000, topic_data=produced)))
        wait_for_coordinator(admin, "group")
        commit = {"partition_index": 0, "committed_offset": 0, "committed_metadata": ""}
        topics = [{"name": name, "partitions": [commit]} for name in ("open", "hidden")]
        committed = admin.ask("OffsetCommit", 8, group_id="group", generation_id_or_member_epoch=-1, topics=topics)
        assert not any(error_codes(committed))
        grant(admin, [acl(right, f"u{at}") for at, row in enumerate(ROWS) for right in row.rights])
        metadata = admin.ask("Metadata", 12, topics=[{"name": "open"}], allow_auto_topic_creation=False)
        directories = admin.ask("DescribeLogDirs", 4, topics=None)
        return World("", metadata.topics[0].topic_id, metadata.cluster_id, directories.results[0].log_dir)


def acl(right: str, user: str, permission: int = ALLOW, pattern: int = LITERAL, host: str = "*") -> dict[str, Any]:
    operation, kind, name = parse_right(right, user)
    return {
        "resource_type": AclResourceType[kind],
        "resource_name": name,
        "resource_pattern_type": pattern,
        "principal": f"User:{user}",
        "host": host,
        "operation": AclOperation[operation],
        "permission_type": permission,
    }


def grant(admin: RawConnection, acls: list[dict[str, Any]]) -> None:
    """Create them and wait until the broker itself goes by them."""
    created = admin.ask("CreateAcls", 3, creations=acls)
    assert not any(error_codes(created))
    last = acls[-1]
    asked = {
        "resource_type_filter": last["resource_type"],
        "resource_name_filter": last["resource_name"],
        "pattern_type_filter": last["resource_pattern_type"],
        "principal_filter": last["principal"],
        "host_filter": None,
        "operation": last["operation"],
        "permission_type": last["permission_type"],
    }
    eventually(lambda: admin.ask("DescribeAcls", 3, **asked).resources)


def told(connection: RawConnection, case: Case, world: World) -> str:
    """The codes of the answer, each once."""
    try:
        answer = connection.ask(case.api, case.version, **case.values(world))
    except ClosedByBroker:
        return CLOSED
    return " ".join(sorted({ErrorCode(code).name for code in _codes(answer) if code}))


def _codes(message: Any) -> Iterator[int]:
    """Every code in an answer; AddPartitionsToTxn calls it by another name."""
    for field in message.FIELDS:
        value = getattr(message, field.name)
        if field.name in ("error_code", "partition_error_code"):
            yield value
        elif isinstance(value, list):
            for each in value:
                yield from _codes(each) if isinstance(each, WireStruct) else ()


@pytest.mark.parametrize("at", range(len(ROWS)), ids=[row.id for row in ROWS])
def test_what_is_missing_is_told(secured: SecuredBroker, world: World, at: int) -> None:
    row: Row = ROWS[at]
    mine = World(f"u{at}", world.topic_id, world.cluster_id, world.log_dir)
    with secured.connect(mine.me, to_controller=row.case.to_controller) as connection:
        answer = told(connection, row.case, mine)
    if row.expected is None:
        assert not set(answer.split()) & set(REFUSALS), answer
        assert answer != CLOSED
    else:
        assert answer == row.expected


def test_every_served_api_has_its_rows() -> None:
    assert len(ROWS) < USERS - 20
    covered = {case.api for case in CASES if not case.to_controller}
    at_controllers = covered | {case.api for case in CASES if case.to_controller}
    assert {api.name for api in TABLE} - covered - FREE_FOR_ALL - TOKENS == set()
    assert {api.name for api in CONTROLLER_TABLE} - at_controllers - FREE_FOR_ALL - TOKENS == set()


# What listings leave out, and what an answer must not give away


@pytest.fixture
def user(request: pytest.FixtureRequest) -> str:
    """One for each test below."""
    return f"u{FIRST_FREE + _TESTS.index(request.function.__name__)}"


def test_listings_leave_out_what_is_not_to_be_seen(secured: SecuredBroker, world: World, user: str) -> None:
    with secured.connect() as admin, secured.connect(user) as connection:
        everything = {topic.name for topic in connection.ask("Metadata", 12, topics=None).topics}
        assert everything == set()
        assert connection.ask("DescribeTopicPartitions", 0, topics=[], response_partition_limit=10).topics == []
        assert connection.ask("ListGroups", 5).groups == []
        grant(admin, [acl("READ topic:open", user), acl("READ group:group", user)])
        assert [topic.name for topic in connection.ask("Metadata", 12, topics=None).topics] == ["open"]
        described = connection.ask("DescribeTopicPartitions", 0, topics=[], response_partition_limit=10)
        assert [topic.name for topic in described.topics] == ["open"]
        assert [group.group_id for group in connection.ask("ListGroups", 5).groups] == ["group"]
        fetched = connection.ask("OffsetFetch", 9, groups=[{"group_id": "group", "topics": None}])
        assert [topic.name for topic in fetched.groups[0].topics] == ["open"]
        assert fetched.groups[0].error_code == 0


def test_an_answer_gives_nothing_away(secured: SecuredBroker, world: World, user: str) -> None:
    """Whether a topic exists, which id it has, or which name an id has."""
    with secured.connect(user) as connection:
        asked = connection.ask("Metadata", 12, topics=[{"name": "open"}, {"name": "ghost"}])
        shapes = {
            (
                topic.error_code,
                topic.topic_id,
                topic.is_internal,
                len(topic.partitions),
                topic.topic_authorized_operations,
            )
            for topic in asked.topics
        }
        assert shapes == {(ErrorCode.TOPIC_AUTHORIZATION_FAILED, ZERO_UUID, False, 0, -(2**31))}
        by_id = connection.ask("Metadata", 12, topics=[{"name": None, "topic_id": world.topic_id}]).topics[0]
        assert (by_id.name, by_id.topic_id) == (None, world.topic_id)
        described = connection.ask(
            "DescribeTopicPartitions", 0, topics=[{"name": "open"}, {"name": "ghost"}], response_partition_limit=10
        )
        assert {(topic.error_code, topic.topic_id, len(topic.partitions)) for topic in described.topics} == {
            (ErrorCode.TOPIC_AUTHORIZATION_FAILED, ZERO_UUID, 0)
        }
        deleted = connection.ask(
            "DeleteTopics", 6, topics=[{"name": None, "topic_id": world.topic_id}], timeout_ms=5_000
        )
        assert [(each.name, each.topic_id) for each in deleted.responses] == [(None, world.topic_id)]
        committed = connection.ask("OffsetFetch", 9, groups=[{"group_id": "group", "topics": None}]).groups[0]
        assert (committed.error_code, committed.topics) == (ErrorCode.GROUP_AUTHORIZATION_FAILED, [])


def test_who_may_see_but_not_delete_learns_the_name(secured: SecuredBroker, world: World, user: str) -> None:
    with secured.connect() as admin, secured.connect(user) as connection:
        grant(admin, [acl("DESCRIBE topic:open", user)])
        asked = [{"name": None, "topic_id": world.topic_id}, {"name": "open"}]
        found = [connection.ask("DeleteTopics", 6, topics=[each], timeout_ms=5_000).responses[0] for each in asked]
        assert [(each.name, each.topic_id, each.error_code) for each in found] == [
            ("open", world.topic_id, ErrorCode.TOPIC_AUTHORIZATION_FAILED),
            ("open", ZERO_UUID, ErrorCode.TOPIC_AUTHORIZATION_FAILED),
        ]
        grant(admin, [acl("DESCRIBE topic:ghost", user)])
        ghost = connection.ask("DeleteTopics", 6, topics=[{"name": "ghost"}], timeout_ms=5_000).responses[0]
        assert ghost.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_who_may_create_need_not_see_the_settings(secured: SecuredBroker, world: World, user: str) -> None:
    with secured.connect() as admin, secured.connect(user) as connection:
        grant(admin, [acl("CREATE topic:{me}-a", user), acl("CREATE topic:{me}-b", user)])
        grant(admin, [acl("DESCRIBE_CONFIGS topic:{me}-b", user)])
        found = []
        for name in (f"{user}-a", f"{user}-b"):
            topic = {"name": name, "num_partitions": 2, "replication_factor": 1}
            result = connection.ask("CreateTopics", 7, topics=[topic], timeout_ms=5_000).topics[0]
            found.append(
                (
                    result.error_code,
                    result.topic_config_error_code,
                    result.num_partitions,
                    result.replication_factor,
                    bool(result.configs),
                    result.topic_id != ZERO_UUID,
                )
            )
        assert found == [
            (0, ErrorCode.TOPIC_AUTHORIZATION_FAILED, -1, -1, False, True),
            (0, 0, 2, 1, True, True),
        ]


def test_the_operations_that_are_told(secured: SecuredBroker, world: World, user: str) -> None:
    """KIP-430."""
    with secured.connect() as admin, secured.connect(user) as connection:
        grant(admin, [acl("WRITE topic:open", user), acl("ALTER_CONFIGS topic:open", user)])
        grant(admin, [acl("READ group:group", user)])
        topics = connection.ask("Metadata", 12, topics=[{"name": "open"}], include_topic_authorized_operations=True)
        expected = _bits("WRITE", "DESCRIBE", "ALTER_CONFIGS", "DESCRIBE_CONFIGS")
        assert topics.topics[0].topic_authorized_operations == expected
        described = connection.ask("DescribeTopicPartitions", 0, topics=[{"name": "open"}], response_partition_limit=1)
        assert described.topics[0].topic_authorized_operations == expected
        groups = connection.ask("DescribeGroups", 5, groups=["group"], include_authorized_operations=True)
        assert groups.groups[0].authorized_operations == _bits("READ", "DESCRIBE")
        cluster = {"endpoint_type": 1, "include_cluster_authorized_operations": True}
        assert connection.ask("DescribeCluster", 1, **cluster).cluster_authorized_operations == 0
        grant(admin, [acl("ALTER cluster", user)])
        assert connection.ask("DescribeCluster", 1, **cluster).cluster_authorized_operations == _bits(
            "ALTER", "DESCRIBE"
        )
        old = connection.ask("Metadata", 10, topics=[], include_cluster_authorized_operations=True)
        assert old.cluster_authorized_operations == _bits("ALTER", "DESCRIBE")
        everything = ("READ", "WRITE", "CREATE", "DELETE", "ALTER", "DESCRIBE", "DESCRIBE_CONFIGS", "ALTER_CONFIGS")
        for name in ("open", "ghost"):
            asked = {"topics": [{"name": name}], "allow_auto_topic_creation": False}
            found = admin.ask("Metadata", 12, include_topic_authorized_operations=True, **asked).topics[0]
            assert found.topic_authorized_operations == _bits(*everything)


def _bits(*names: str) -> int:
    return sum(1 << AclOperation[name] for name in names)


def test_a_denial_beats_every_permission(secured: SecuredBroker, world: World, user: str) -> None:
    asked = {"topics": [{"name": "open"}], "allow_auto_topic_creation": False}
    with secured.connect() as admin, secured.connect(user) as connection:
        grant(admin, [acl("ALL topic:*", user), acl("ALL topic:op", user, pattern=PREFIXED)])
        assert not any(error_codes(connection.ask("Metadata", 12, **asked)))
        grant(admin, [acl("DESCRIBE topic:o", user, DENY, PREFIXED)])
        assert connection.ask("Metadata", 12, **asked).topics[0].error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED


def test_patterns_and_hosts(secured: SecuredBroker, world: World, user: str) -> None:
    def is_seen(connection: RawConnection) -> bool:
        asked = {"topics": [{"name": "open"}], "allow_auto_topic_creation": False}
        return not any(error_codes(connection.ask("Metadata", 12, **asked)))

    with secured.connect() as admin, secured.connect(user) as connection:
        grant(admin, [acl("READ topic:open", user, host="10.9.8.7"), acl("READ topic:ope", user)])
        assert not is_seen(connection)
        grant(admin, [acl("READ topic:ope", user, pattern=PREFIXED)])
        assert is_seen(connection)
        grant(admin, [acl("DESCRIBE topic:open", user, DENY, host="127.0.0.1")])
        assert not is_seen(connection)


def test_a_right_taken_away_counts_for_open_connections(secured: SecuredBroker, world: World, user: str) -> None:
    """Also for a producer that writes the same request again and again, and within a fetch session."""
    data = [{"name": "open", "partition_data": [{"index": 0, "records": batch(b"v")}]}]
    produce = {"acks": 1, "timeout_ms": 5_000, "topic_data": data}
    partition = {"partition": 0, "fetch_offset": 0, "partition_max_bytes": 1 << 20}
    fetch = {"max_wait_ms": 0, "min_bytes": 0, "max_bytes": 1 << 20, "session_epoch": 0}
    with secured.connect() as admin, secured.connect(user) as writer, secured.connect(user) as reader:
        grant(admin, [acl("READ topic:open", user), acl("WRITE topic:open", user)])
        for _ in range(3):
            assert not any(error_codes(writer.ask("Produce", 12, **produce)))
        opened = reader.ask("Fetch", 12, **fetch, topics=[{"topic": "open", "partitions": [partition]}])
        assert not any(error_codes(opened))
        assert opened.session_id
        deleted = {
            "resource_type_filter": AclResourceType.TOPIC,
            "resource_name_filter": "open",
            "pattern_type_filter": LITERAL,
            "principal_filter": f"User:{user}",
            "host_filter": None,
            "operation": 1,
            "permission_type": 1,
        }
        removed = admin.ask("DeleteAcls", 3, filters=[deleted])
        assert [len(each.matching_acls) for each in removed.filter_results] == [2]
        eventually(lambda: not admin.ask("DescribeAcls", 3, **deleted).resources)
        assert set(error_codes(writer.ask("Produce", 12, **produce))) == {ErrorCode.TOPIC_AUTHORIZATION_FAILED}
        again = reader.ask("Fetch", 12, **{**fetch, "session_id": opened.session_id, "session_epoch": 1}, topics=[])
        assert set(error_codes(again)) == {0, ErrorCode.TOPIC_AUTHORIZATION_FAILED}


_TESTS = [name for name in dict(globals()) if name.startswith("test_")]
