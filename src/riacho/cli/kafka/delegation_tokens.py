"""kafka-delegation-tokens: create, renew, expire and describe delegation tokens."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from datetime import datetime

from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import ToolError, launch
from riacho.client.delegation_tokens import (
    Principal,
    Token,
    create_token,
    describe_tokens,
    expire_token,
    renew_token,
)

_ACTIONS = ("create", "renew", "expire", "describe")
_NEEDED = {
    "create": ("max-life-time-period",),
    "renew": ("hmac", "renew-time-period"),
    "expire": ("hmac", "expiry-time-period"),
    "describe": (),
}
_ROW = "{:<15} {:<30} {:<15} {:<15} {:<25} {:<15} {:<15} {:<15}"
_TITLES = ("TOKENID", "HMAC", "OWNER", "REQUESTER", "RENEWERS", "ISSUEDATE", "EXPIRYDATE", "MAXDATE")


def main() -> None:
    launch("kafka-delegation-tokens", run)


def run(arguments: Arguments) -> int:
    actions = [action for action in _ACTIONS if arguments.has(action)]
    if len(actions) != 1:
        raise ToolError("Command must include exactly one action: --create, --renew, --expire or --describe")
    missing = [name for name in _NEEDED[actions[0]] if not arguments.has(name)]
    if missing:
        raise ToolError(f'Missing required argument "[{missing[0]}]"')
    match actions[0]:
        case "create":
            return _create(arguments)
        case "renew":
            return _renew(arguments)
        case "expire":
            return _expire(arguments)
        case _:
            return _describe(arguments)


def _create(arguments: Arguments) -> int:
    renewers = _principals(arguments.all("renewer-principal"))
    owners = _principals(arguments.all("owner-principal"))
    lifetime_ms = arguments.need_number("max-life-time-period")
    print(f"Calling create token operation with renewers :{_listed(renewers)} , max-life-time-period :{lifetime_ms}")
    with open_cluster(arguments) as cluster:
        token = create_token(cluster, renewers, lifetime_ms, owners[0] if owners else None)
    print(f"Created delegation token with tokenId : {token.token_id}")
    _print_tokens([token])
    return 0


def _renew(arguments: Arguments) -> int:
    period_ms = arguments.need_number("renew-time-period")
    print(f"Calling renew token operation with hmac :{arguments.need('hmac')} , renew-time-period :{period_ms}")
    with open_cluster(arguments) as cluster:
        expiry_ms = renew_token(cluster, _secret(arguments), period_ms)
    print(f"Completed renew operation. New expiry date : {_date(expiry_ms)}")
    return 0


def _expire(arguments: Arguments) -> int:
    period_ms = arguments.need_number("expiry-time-period")
    print(f"Calling expire token operation with hmac :{arguments.need('hmac')} , expire-time-period :{period_ms}")
    with open_cluster(arguments) as cluster:
        expiry_ms = expire_token(cluster, _secret(arguments), period_ms)
    print(f"Completed expire operation. New expiry date : {_date(expiry_ms)}")
    return 0


def _describe(arguments: Arguments) -> int:
    owners = _principals(arguments.all("owner-principal"))
    print(
        f"Calling describe token operation for owners :{_listed(owners)}"
        if owners
        else "Calling describe token operation for current user."
    )
    with open_cluster(arguments) as cluster:
        tokens = describe_tokens(cluster, owners or None)
    print(f"Total number of tokens : {len(tokens)}")
    _print_tokens(tokens)
    return 0


def _principals(texts: Iterable[str]) -> list[Principal]:
    found = []
    for text in texts:
        kind, colon, name = text.strip().partition(":")
        if not colon or not kind or not name:
            raise ToolError(f"'{text}' is no principal; write User:name")
        found.append((kind, name))
    return found


def _listed(principals: list[Principal]) -> str:
    return "[" + ", ".join(f"{kind}:{name}" for kind, name in principals) + "]"


def _secret(arguments: Arguments) -> bytes:
    try:
        return base64.b64decode(arguments.need("hmac"), validate=True)
    except binascii.Error:
        raise ToolError("--hmac is not base64") from None


def _print_tokens(tokens: Iterable[Token]) -> None:
    print("\n" + _ROW.format(*_TITLES))
    for token in tokens:
        print(
            "\n"
            + _ROW.format(
                token.token_id,
                base64.b64encode(token.hmac).decode(),
                token.owner,
                token.requester,
                "[" + ", ".join(token.renewers) + "]",
                _date(token.issue_ms),
                _date(token.expiry_ms),
                _date(token.max_ms),
            )
        )


def _date(time_ms: int) -> str:
    return datetime.fromtimestamp(time_ms / 1000).strftime("%Y-%m-%dT%H:%M")
