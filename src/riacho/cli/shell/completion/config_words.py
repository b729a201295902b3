"""Keys of configs and what their values may be, from the tables that brokers go by: `k=v`, and `k=[v,v],k=v`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from riacho.cli.shell.completion.offers import Answer, Offer, plain

if TYPE_CHECKING:
    from riacho.base.config import ServerKey

# As kafka-configs calls what has configs.
TOPICS, BROKERS, GROUPS, SUBSCRIPTIONS = "topics", "brokers", "groups", "client-metrics"
USERS, CLIENTS, IPS = "users", "clients", "ips"
# Not of the tools: what a broker may be started with.
PROPERTIES = "properties"


@cache
def config_keys(entity_type: str) -> dict[str, ServerKey]:
    """Those that may be set by an admin, or by who starts a broker; none of users, clients and addresses, who have
    quotas."""
    from riacho.base.config import Dynamic

    match entity_type:
        case "topics":
            from riacho.metadata.settings import topic_configs

            return {key.name: key for key in topic_configs.KEYS if not key.internal}
        case "groups":
            from riacho.metadata.settings import group_configs

            return {key.name: key for key in group_configs.KEYS if not key.internal}
        case "client-metrics":
            from riacho.metadata.settings import client_metrics_configs

            return {key.name: key for key in client_metrics_configs.KEYS}
        case "brokers":
            from riacho.metadata.settings.broker_configs import BROKER_KEYS, DYNAMIC_ONLY_KEYS

            found = {name: key for name, key in BROKER_KEYS.items() if key.dynamic is not Dynamic.READ_ONLY}
            return dict(sorted({**found, **DYNAMIC_ONLY_KEYS}.items()))
        case "properties":
            from riacho.metadata.settings.broker_configs import BROKER_KEYS

            return dict(sorted((name, key) for name, key in BROKER_KEYS.items() if not key.internal))
    return {}


def setting(entity_type: str, typed: str) -> Answer:
    """`key=value`."""
    name, equals, value = typed.partition("=")
    if not equals:
        return Answer(name, [Offer(f"{offer.text}=", offer.about) for offer in key_offers(entity_type)])
    return _value(entity_type, name, value).behind(f"{name}=")


def settings(entity_type: str, typed: str) -> Answer:
    """`k=v,k=[v,v],k=v`, of which the last part is still typed."""
    depth, begin = 0, 0
    for index, character in enumerate(typed):
        depth += (character == "[") - (character == "]")
        if character == "," and depth <= 0:
            begin = index + 1
    name, equals, value = typed[begin:].partition("=")
    head = typed[:begin] + name + "="
    if equals and value.startswith("["):
        return listed(value[1:], _value(entity_type, name, "").offers).behind(f"{head}[")
    return setting(entity_type, typed[begin:]).behind(typed[:begin])


def keys(entity_type: str, typed: str) -> Answer:
    """`k1,k2`."""
    return listed(typed, key_offers(entity_type))


def listed(typed: str, offers: Sequence[Offer]) -> Answer:
    """The last part of a list with commas; what stands in it already is not offered again."""
    before, comma, last = typed.rpartition(",")
    given = set(before.split(","))
    return Answer(last, [offer for offer in offers if offer.text not in given], before + comma)


def key_offers(entity_type: str) -> list[Offer]:
    if entity_type in (USERS, CLIENTS, IPS):
        return list(_quota_offers(entity_type))
    return [Offer(name, about(key)) for name, key in config_keys(entity_type).items()]


def about(key: ServerKey) -> str:
    default = "" if key.default is None else f" Default: {key.default or 'empty'}."
    return key.doc + default


def _value(entity_type: str, name: str, value: str) -> Answer:
    key = config_keys(entity_type).get(name)
    if key is None:
        return Answer(value)
    allowed: Iterable[str] = key.allowed or ((key.default,) if key.default else ())
    return Answer(value, [Offer(each, "the default" if each == key.default else "") for each in allowed])


def _quota_offers(entity_type: str) -> Iterable[Offer]:
    from riacho.client.client_quotas import CLIENT_KEYS, IP_KEYS

    yield from (Offer(name, "quota") for name in sorted(IP_KEYS if entity_type == IPS else CLIENT_KEYS))
    if entity_type == USERS:
        from riacho.client.scram_users import MECHANISMS

        yield from (Offer(name, "login by SCRAM") for name in MECHANISMS)


def client_setting(typed: str) -> Answer:
    """A setting of a Kafka client, `key=value`."""
    from riacho.client.librdkafka.allowed_keys import ALLOWED

    name, equals, value = typed.partition("=")
    return Answer(value, (), f"{name}=") if equals else Answer(name, plain(f"{key}=" for key in sorted(ALLOWED)))
