from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.shares.acknowledgements import Acknowledgement, check_batches, segments
from riacho.shares.record_state import AcknowledgeType
from riacho.wire.messages.share_acknowledge_request import AcknowledgementBatch

ACCEPT, RELEASE, REJECT = AcknowledgeType.ACCEPT, AcknowledgeType.RELEASE, AcknowledgeType.REJECT


def batch(first: int, last: int, *types: int) -> AcknowledgementBatch:
    return AcknowledgementBatch(first_offset=first, last_offset=last, acknowledge_types=list(types))


@pytest.mark.parametrize(
    "batches",
    [
        [batch(6, 5, 1)],
        [batch(5, 5)],
        [batch(5, 6, 1, 1, 1)],
        [batch(5, 5, 9)],
        [batch(5, 5, -1)],
        [batch(5, 5, 4)],
        [batch(5, 9, 1), batch(7, 12, 1)],
    ],
)
def test_batches_that_make_no_sense_are_refused(batches: list[AcknowledgementBatch]) -> None:
    with pytest.raises(KafkaError) as refused:
        check_batches(batches, may_renew=False)
    assert refused.value.code is ErrorCode.INVALID_REQUEST


def test_a_request_for_renewals_may_renew() -> None:
    check_batches([batch(5, 5, 4), batch(6, 8, 1, 4, 0)], may_renew=True)


def test_neighbours_with_one_verdict_go_together() -> None:
    found = list(segments([batch(0, 2, 1), batch(5, 9, 2, 2, 3, 3, 1)], 0))
    assert found == [
        Acknowledgement(0, 2, ACCEPT),
        Acknowledgement(5, 6, RELEASE),
        Acknowledgement(7, 8, REJECT),
        Acknowledgement(9, 9, ACCEPT),
    ]


def test_what_is_finished_already_is_left_out() -> None:
    found = list(segments([batch(0, 3, 1), batch(4, 6, 2), batch(7, 9, 1, 2, 3)], 5))
    assert found == [
        Acknowledgement(5, 6, RELEASE),
        Acknowledgement(7, 7, ACCEPT),
        Acknowledgement(8, 8, RELEASE),
        Acknowledgement(9, 9, REJECT),
    ]
    assert list(segments([batch(3, 6, 1, 2, 2, 3)], 5)) == [
        Acknowledgement(5, 5, RELEASE),
        Acknowledgement(6, 6, REJECT),
    ]
