"""Client quotas in the metadata: what may be set for whom, what a filter finds, and that a snapshot keeps it all.

The refusals are those of Apache Kafka 4.3, word by word, as it gave them when asked.
"""

from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.client_quotas import ClientQuotas
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.settings.client_quota_changes import decide_alter_client_quotas
from riacho.metadata.settings.client_quota_filter import describe_client_quotas
from riacho.wire.messages.alter_client_quotas_request import AlterClientQuotasRequest, EntityData, EntryData, OpData
from riacho.wire.messages.describe_client_quotas_request import ComponentData, DescribeClientQuotasRequest

EXACT, DEFAULT, ANY = 0, 1, 2
Parts = tuple[tuple[str, str | None], ...]
ALICE: Parts = (("user", "alice"),)


def entry(parts: Parts, *ops: OpData) -> EntryData:
    entity = [EntityData(entity_type=kind, entity_name=name) for kind, name in parts]
    return EntryData(entity=entity, ops=list(ops))


def put(key: str, value: float) -> OpData:
    return OpData(key=key, value=value)


def drop(key: str) -> OpData:
    return OpData(key=key, remove=True)


def alter(
    image: MetadataImage, *entries: EntryData, validate_only: bool = False, unknown: frozenset[str] = frozenset()
) -> tuple[MetadataImage, list[tuple[int, str | None]]]:
    request = AlterClientQuotasRequest(entries=list(entries), validate_only=validate_only)
    decision = decide_alter_client_quotas(image, request, unknown)
    answers = [(each.error_code, each.error_message) for each in decision.reply.entries]
    return image.apply(decision.records), answers


def test_values_are_set_and_taken_away() -> None:
    image, answers = alter(MetadataImage(), entry(ALICE, put("producer_byte_rate", 10), put("request_percentage", 0.5)))
    assert answers == [(0, None)]
    assert image.client_quotas == {ALICE: {"producer_byte_rate": 10, "request_percentage": 0.5}}
    image, _ = alter(image, entry(ALICE, drop("producer_byte_rate"), put("request_percentage", 2)))
    assert image.client_quotas == {ALICE: {"request_percentage": 2}}
    image, _ = alter(image, entry(ALICE, drop("request_percentage")))
    assert image.client_quotas == {}


def test_what_is_so_already_makes_no_record() -> None:
    image, _ = alter(MetadataImage(), entry(ALICE, put("producer_byte_rate", 10)))
    request = AlterClientQuotasRequest(entries=[entry(ALICE, put("producer_byte_rate", 10), drop("other"))])
    assert decide_alter_client_quotas(image, request).records == []


def test_validating_changes_nothing() -> None:
    image, answers = alter(MetadataImage(), entry(ALICE, put("producer_byte_rate", 10)), validate_only=True)
    assert answers == [(0, None)]
    assert image.client_quotas == {}


@pytest.mark.parametrize(
    ("parts", "op", "problem"),
    [
        ((), put("producer_byte_rate", 1), "Invalid empty client quota entity"),
        ((("group", "x"),), put("producer_byte_rate", 1), "Unhandled client quota entity type: group"),
        ((("user", ""),), put("producer_byte_rate", 1), "Empty user not supported"),
        (
            (("user", "a"), ("ip", "1.2.3.4")),
            put("connection_creation_rate", 1),
            "Invalid quota entity combination, IP entity shouldnot be combined with User or ClientId",
        ),
        ((("ip", "nowhere"),), put("connection_creation_rate", 1), "nowhere is not a valid IP or resolvable host."),
        ((("ip", "1.2.3.4"),), put("producer_byte_rate", 1), "Invalid configuration key producer_byte_rate"),
        (ALICE, put("connection_creation_rate", 1), "Invalid configuration key connection_creation_rate"),
        (ALICE, put("foo", 1), "Invalid configuration key foo"),
        (ALICE, put("producer_byte_rate", 1.5), "producer_byte_rate cannot be a fractional value."),
        (ALICE, put("producer_byte_rate", 0), "Quota producer_byte_rate must be greater than 0"),
        (ALICE, put("request_percentage", -0.5), "Quota request_percentage must be greater than 0"),
        (
            (("ip", None),),
            put("connection_creation_rate", 3e10),
            "Proposed value for connection_creation_rate is too large for an INT.",
        ),
    ],
)
def test_refusals(parts: Parts, op: OpData, problem: str) -> None:
    image, answers = alter(
        MetadataImage(),
        entry(parts, put("controller_mutation_rate", 1), op) if parts == ALICE else entry(parts, op),
        unknown=frozenset({"nowhere"}),
    )
    assert answers == [(ErrorCode.INVALID_REQUEST, problem)]
    assert image.client_quotas == {}, "nothing of an entity with a problem is changed"


def test_an_entity_may_be_named_once() -> None:
    pair: Parts = (("user", "a"), ("client-id", "c"))
    image, answers = alter(
        MetadataImage(),
        entry(pair, put("producer_byte_rate", 10)),
        entry(tuple(reversed(pair)), put("consumer_byte_rate", 10)),
    )
    told = "Ignoring duplicate entity ClientQuotaEntity(entries={client-id=c, user=a})"
    assert answers == [(ErrorCode.INVALID_REQUEST, told)]
    assert list(image.client_quotas.values()) == [{"producer_byte_rate": 10}]
    _, answers = alter(MetadataImage(), entry(ALICE, put("producer_byte_rate", 1), put("producer_byte_rate", 2)))
    assert answers[0][0] == ErrorCode.INVALID_REQUEST


def test_a_snapshot_keeps_quotas() -> None:
    image, _ = alter(
        MetadataImage(cluster_id="c"),
        entry((("user", None), ("client-id", None)), put("producer_byte_rate", 1)),
        entry((("ip", "1.2.3.4"),), put("connection_creation_rate", 7)),
    )
    again = MetadataImage(cluster_id="c").apply(image.to_records())
    assert again.client_quotas == image.client_quotas


QUOTAS: ClientQuotas = {
    (("user", "a"),): {"producer_byte_rate": 1.0},
    (("client-id", "c"), ("user", "a")): {"producer_byte_rate": 2.0},
    (("client-id", None), ("user", None)): {"producer_byte_rate": 3.0},
    (("client-id", "c"),): {"producer_byte_rate": 4.0},
    (("ip", None),): {"connection_creation_rate": 5.0},
}


def found(*components: tuple[str, int, str | None], strict: bool = False) -> list[float]:
    request = DescribeClientQuotasRequest(
        components=[ComponentData(entity_type=kind, match_type=how, match=name) for kind, how, name in components],
        strict=strict,
    )
    entries = describe_client_quotas(QUOTAS, request).entries or []
    return [value.value for each in entries for value in each.values]


def test_values_come_in_one_order_however_they_were_set() -> None:
    order = ["producer_byte_rate", "consumer_byte_rate", "controller_mutation_rate", "request_percentage"]
    for keys in (order, order[::-1], sorted(order), order[1::2]):
        quotas: ClientQuotas = {(("user", "u"),): dict.fromkeys(keys, 1.0)}
        (entry,) = describe_client_quotas(quotas, DescribeClientQuotasRequest()).entries or []
        assert [value.key for value in entry.values] == [key for key in order if key in keys]


def test_filters() -> None:
    assert found() == [1, 2, 3, 4, 5]
    assert found(strict=True) == []
    assert found(("user", EXACT, "a")) == [1, 2]
    assert found(("user", EXACT, "a"), strict=True) == [1]
    assert found(("user", DEFAULT, None)) == [3]
    assert found(("user", DEFAULT, None), strict=True) == []
    assert found(("user", ANY, None)) == [1, 2, 3]
    assert found(("user", EXACT, "a"), ("client-id", ANY, None), strict=True) == [2]
    assert found(("client-id", ANY, None), strict=True) == [4]
    assert found(("ip", ANY, None)) == [5]


@pytest.mark.parametrize(
    ("components", "code", "problem"),
    [
        ([("", ANY, None)], 42, "Invalid empty entity type."),
        ([("user", EXACT, None)], 42, "Request specified MATCH_TYPE_EXACT, but set match string to null."),
        ([("user", DEFAULT, "x")], 42, "Request specified MATCH_TYPE_DEFAULT, but also specified a match string."),
        ([("user", ANY, "x")], 42, "Request specified MATCH_TYPE_SPECIFIED, but also specified a match string."),
        ([("user", 7, None)], 42, "Unknown match type 7"),
        ([("user", ANY, None)] * 2, 42, "Entity type user cannot appear more than once in the filter."),
        ([("group", ANY, None)], 35, "Unsupported entity type group"),
    ],
)
def test_filters_that_are_refused(components: list[tuple[str, int, str | None]], code: int, problem: str) -> None:
    with pytest.raises(KafkaError) as raised:
        found(*components)
    assert (raised.value.code, raised.value.detail) == (code, problem)
