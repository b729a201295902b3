"""The authorizer with its index and its kept answers, against the rules written down as plainly as they can be."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.base.acl import AclBinding, AclFilter, AclOperation, AclPermission, AclResourceType, PatternType
from riacho.metadata.credentials.acls import decide_create_acls, decide_delete_acls
from riacho.metadata.image.image import MetadataImage
from riacho.security.standard_authorizer import StandardAuthorizer
from riacho.wire.messages.create_acls_request import AclCreation, CreateAclsRequest
from riacho.wire.messages.delete_acls_request import DeleteAclsFilter, DeleteAclsRequest

# Few names over few letters, so that prefixes, equals and strangers are all common.
NAMES = st.sampled_from(["a", "b", "ab", "aba", "abb", "ba", "*", "*a"])
PRINCIPALS = st.sampled_from(["User:ann", "User:bob", "User:*", "Role:ann"])
HOSTS = st.sampled_from(["10.0.0.1", "10.0.0.2", "*"])
KINDS = st.sampled_from([AclResourceType.TOPIC, AclResourceType.GROUP])
OPERATIONS = st.sampled_from(
    [
        AclOperation.ALL,
        AclOperation.READ,
        AclOperation.WRITE,
        AclOperation.ALTER,
        AclOperation.DESCRIBE,
        AclOperation.ALTER_CONFIGS,
        AclOperation.DESCRIBE_CONFIGS,
    ]
)
ENTRIES = st.builds(
    AclBinding,
    KINDS,
    NAMES,
    st.sampled_from([PatternType.LITERAL, PatternType.PREFIXED]),
    PRINCIPALS,
    HOSTS,
    OPERATIONS,
    st.sampled_from([AclPermission.ALLOW, AclPermission.ALLOW, AclPermission.DENY]),
)
QUESTIONS = st.tuples(
    st.sampled_from(["User:ann", "User:bob", "User:root", "Role:ann"]),
    st.sampled_from(["10.0.0.1", "10.0.0.2"]),
    OPERATIONS.filter(lambda operation: operation is not AclOperation.ALL),
    KINDS,
    NAMES,
)
IMPLIED_BY = {
    AclOperation.DESCRIBE: {AclOperation.READ, AclOperation.WRITE, AclOperation.DELETE, AclOperation.ALTER},
    AclOperation.DESCRIBE_CONFIGS: {AclOperation.ALTER_CONFIGS},
}


def naive(
    acls: list[AclBinding], everyone: bool, principal: str, host: str, operation: AclOperation, kind: int, name: str
) -> bool:
    if principal == "User:root":
        return True
    covering = []
    for acl in acls:
        if acl.resource_type != kind:
            continue
        is_prefix = acl.pattern_type == PatternType.PREFIXED and name[: len(acl.name)] == acl.name
        is_literal = acl.pattern_type == PatternType.LITERAL and (acl.name == name or acl.name == "*")
        if is_prefix or is_literal:
            covering.append(acl)
    if not covering:
        return everyone
    verdicts = set()
    for acl in covering:
        if acl.principal not in (principal, "User:*") or acl.host not in (host, "*"):
            continue
        is_same = acl.operation in (operation, AclOperation.ALL)
        if acl.permission == AclPermission.DENY and is_same:
            verdicts.add("deny")
        if acl.permission == AclPermission.ALLOW and (is_same or acl.operation in IMPLIED_BY.get(operation, set())):
            verdicts.add("allow")
    return verdicts == {"allow"}


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.dictionaries(st.binary(min_size=1, max_size=1), ENTRIES, max_size=12), min_size=1, max_size=4),
    st.lists(QUESTIONS, min_size=1, max_size=20),
    st.booleans(),
)
def test_the_authorizer_is_the_naive_one(
    versions: list[dict[bytes, AclBinding]],
    questions: list[tuple[str, str, AclOperation, AclResourceType, str]],
    everyone: bool,
) -> None:
    """Over changes of the entries: what was removed must leave nothing behind, in the index or among the answers."""
    authorizer = StandardAuthorizer(["User:root"], everyone)
    known: Mapping[bytes, AclBinding] = {}
    for version in versions:
        # An entry never changes under its id; a new one has a new id.
        known = {acl_id: known.get(acl_id, acl) for acl_id, acl in version.items()}
        authorizer.load(known)
        for question in questions * 2:
            assert authorizer.allows(*question) is naive(list(known.values()), everyone, *question)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(ENTRIES, max_size=10), st.sampled_from(["User:ann", "User:bob"]), st.sampled_from(["10.0.0.1", "10.0.0.2"])
)
def test_who_may_write_to_a_name_has_something_to_write_to(acls: list[AclBinding], principal: str, host: str) -> None:
    """Sound in one direction: Kafka's short cut may say no where a clever search would find a name."""
    authorizer = StandardAuthorizer()
    authorizer.load({bytes([at]): acl for at, acl in enumerate(acls)})
    if authorizer.authorize_by_resource_type(principal, host, AclOperation.WRITE, AclResourceType.TOPIC):
        patterns = [acl for acl in acls if acl.resource_type == AclResourceType.TOPIC]
        # Some name that an ALLOW covers, made longer where a prefix leaves room.
        names = {acl.name + tail for acl in patterns for tail in ("", "zz", "zzz")} | {"zz", "hardcode"}
        assert any(
            authorizer.allows(principal, host, AclOperation.WRITE, AclResourceType.TOPIC, name) for name in names
        )


CREATIONS = st.lists(ENTRIES, max_size=8)
FILTERS = st.builds(
    AclFilter,
    st.sampled_from([AclResourceType.ANY, AclResourceType.TOPIC]),
    st.one_of(st.none(), NAMES),
    st.sampled_from([PatternType.ANY, PatternType.MATCH, PatternType.LITERAL, PatternType.PREFIXED]),
    st.one_of(st.none(), PRINCIPALS),
    st.one_of(st.none(), HOSTS),
    st.one_of(st.just(AclOperation.ANY), OPERATIONS),
    st.sampled_from([AclPermission.ANY, AclPermission.ALLOW, AclPermission.DENY]),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(CREATIONS, st.lists(FILTERS, min_size=1, max_size=3)), max_size=8))
def test_the_entries_in_the_metadata_are_a_set(steps: list[list[AclBinding] | list[AclFilter]]) -> None:
    """Created ones are there once, deleted ones are those that a filter picks; a snapshot has them all."""
    image, model, ids = MetadataImage(), set[AclBinding](), iter(range(1, 1 << 16))
    for step in steps:
        filters = [each for each in step if isinstance(each, AclFilter)]
        if filters:
            asked = [
                DeleteAclsFilter(
                    f.resource_type, f.name, f.pattern_type, f.principal, f.host, f.operation, f.permission
                )
                for f in filters
            ]
            deleted = decide_delete_acls(image, DeleteAclsRequest(filters=asked))
            told = [len(result.matching_acls) for result in deleted.reply.filter_results]
            assert told == [sum(f.matches(acl) for acl in model) for f in filters]
            model -= {acl for acl in model if any(f.matches(acl) for f in filters)}
            image = image.apply(deleted.records)
        else:
            acls = [each for each in step if isinstance(each, AclBinding)]
            creations = [
                AclCreation(a.resource_type, a.name, a.pattern_type, a.principal, a.host, a.operation, a.permission)
                for a in acls
            ]
            created = decide_create_acls(
                image, CreateAclsRequest(creations=creations), lambda: next(ids).to_bytes(16, "big")
            )
            assert [result.error_code for result in created.reply.results] == [0] * len(acls)
            assert len(created.records) == len(set(acls) - model)
            model |= set(acls)
            image = image.apply(created.records)
        assert sorted(map(repr, image.acls.values())) == sorted(map(repr, model))
    assert MetadataImage().apply(image.to_records()).acls == image.acls
