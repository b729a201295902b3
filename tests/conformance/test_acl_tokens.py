"""Delegation tokens and rights (KIP-48, KIP-373): the four APIs of which `test_acl_matrix.py` has no rows.

Their rules are about owners, renewers and single tokens, so each test makes its own; the same on Apache Kafka.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.acl_broker import SecuredBroker, run_secured
from conformance.raw import RawConnection
from conformance.running_broker import kinds
from conformance.test_acl_matrix import acl, grant
from conformance.waiting import eventually
from riacho.base.errors import ErrorCode

OWNER, STRANGER, RENEWER, FRIEND = "u0", "u1", "u2", "u3"
HOUR_MS = 3_600_000


@pytest.fixture(scope="module", params=[kind for kind in kinds() if kind != "running"])
def secured(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredBroker]:
    if request.param == "apache":
        from support.apache_kafka import available

        reason = available()
        if reason:
            pytest.skip(f"no Apache Kafka beside us: {reason}")
    secret = {"delegation.token.secret.key": "of-the-tokens"}
    with run_secured(request.param, tmp_path_factory.mktemp(f"tokens-{request.param}"), secret) as broker:
        yield broker


def create(connection: RawConnection, owner: str | None = None, renewer: str = RENEWER) -> Any:
    return connection.ask(
        "CreateDelegationToken",
        3,
        owner_principal_type=None if owner is None else "User",
        owner_principal_name=owner,
        renewers=[{"principal_type": "User", "principal_name": renewer}],
        max_lifetime_ms=HOUR_MS,
    )


def seen(connection: RawConnection, *owners: str) -> set[str]:
    """Ids of the tokens that the client is shown, of these owners or of all."""
    asked = [{"principal_type": "User", "principal_name": owner} for owner in owners] or None
    answer = connection.ask("DescribeDelegationToken", 3, owners=asked)
    assert answer.error_code == 0
    return {token.token_id for token in answer.tokens}


@pytest.fixture(scope="module")
def token(secured: SecuredBroker) -> Any:
    with secured.connect(OWNER) as owner:
        made = create(owner)
        assert made.error_code == 0
        assert (made.principal_type, made.principal_name) == ("User", OWNER)
        eventually(lambda: made.token_id in seen(owner))
        return made


def test_a_token_for_another_needs_his_leave(secured: SecuredBroker) -> None:
    with secured.connect() as admin, secured.connect(FRIEND) as friend:
        refused = create(friend, OWNER)
        assert refused.error_code == ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED
        assert (refused.token_id, refused.hmac) == ("", b"")
        grant(admin, [acl(f"CREATE_TOKENS user:User:{OWNER}", FRIEND)])
        made = create(friend, OWNER)
        assert (made.error_code, made.principal_name, made.token_requester_principal_name) == (0, OWNER, FRIEND)


def test_a_token_is_hidden_from_strangers(secured: SecuredBroker, token: Any) -> None:
    with secured.connect(STRANGER) as stranger, secured.connect(RENEWER) as renewer:
        assert seen(stranger) == set()
        assert seen(stranger, OWNER) == set()
        assert token.token_id in seen(renewer)
        assert token.token_id in seen(renewer, RENEWER), "an owner is asked for, and a renewer counts as one"
    with secured.connect(OWNER) as owner:
        assert token.token_id in seen(owner, OWNER)
        assert token.token_id not in seen(owner, STRANGER)


def test_rights_show_it(secured: SecuredBroker, token: Any) -> None:
    """DESCRIBE shows the one token, DESCRIBE_TOKENS all of an owner."""
    with secured.connect() as admin:
        grant(admin, [acl(f"DESCRIBE delegation_token:{token.token_id}", "u4")])
        grant(admin, [acl(f"DESCRIBE_TOKENS user:User:{OWNER}", "u5")])
        everything = seen(admin)
    with secured.connect("u4") as one, secured.connect("u5") as all_of_owner:
        assert seen(one) == {token.token_id}
        assert seen(all_of_owner) >= {token.token_id}
        assert seen(all_of_owner) <= everything


@pytest.mark.parametrize(
    ("api", "values"),
    [
        ("RenewDelegationToken", {"renew_period_ms": HOUR_MS}),
        ("ExpireDelegationToken", {"expiry_time_period_ms": 1_000}),
    ],
    ids=["renew", "expire"],
)
def test_only_owner_and_renewer_may_change_it(
    secured: SecuredBroker, token: Any, api: str, values: dict[str, int]
) -> None:
    with secured.connect(STRANGER) as stranger, secured.connect(OWNER) as owner:
        refused = stranger.ask(api, 2, hmac=token.hmac, **values)
        assert refused.error_code == ErrorCode.DELEGATION_TOKEN_OWNER_MISMATCH
        unknown = stranger.ask(api, 2, hmac=b"nobody's", **values)
        assert unknown.error_code == ErrorCode.DELEGATION_TOKEN_NOT_FOUND
        mine = create(owner)
        eventually(lambda: mine.token_id in seen(owner))
        with secured.connect(RENEWER) as renewer:
            assert renewer.ask(api, 2, hmac=mine.hmac, **values).error_code == 0
        assert owner.ask(api, 2, hmac=mine.hmac, **values).error_code == 0
