"""Who is asked for which names: the brokers, the schema registry, Connect, the KSQL server. Blocking; an exception of
any kind where there is no answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from riacho.cli.shell.cluster_addresses import ClusterAddresses
from riacho.cli.shell.completion.offers import NameKind, Offer

if TYPE_CHECKING:
    from riacho.client.cluster import Cluster
    from riacho.client.http_client import HttpClient
    from riacho.client.reopened_cluster import ReopenedCluster

TIMEOUT_MS = 3_000
# 10,000 topics of ten partitions each are 4 MB. A longer answer is none: nobody picks from so many.
_ANSWER_BYTES_MAX = 16 * 1024 * 1024
_USER_INFO = ("basic.auth.user.info", "schema.registry.basic.auth.user.info")


class Questions(Protocol):
    """Of one service, by one thread; only `end` may come from another."""

    @property
    def kinds(self) -> frozenset[NameKind]: ...

    def ask(self, kind: NameKind, of: str) -> Iterable[Offer]: ...

    def end(self) -> None: ...


def questions_of(addresses: ClusterAddresses) -> list[Questions]:
    found: list[Questions] = [BrokerQuestions(addresses)]
    if addresses.schema_registry_url is not None:
        found.append(HttpQuestions(addresses.schema_registry_url, {NameKind.SUBJECT: _subjects}, _user_info(addresses)))
    if addresses.connect_url is not None:
        found.append(HttpQuestions(addresses.connect_url, {NameKind.CONNECTOR: _connectors}))
    if addresses.ksql_url is not None:
        found.append(KsqlQuestions(addresses.ksql_url))
    return found


class BrokerQuestions:
    def __init__(self, addresses: ClusterAddresses) -> None:
        self._properties = {**addresses.properties, "bootstrap.servers": addresses.bootstrap}
        self._cluster: ReopenedCluster | None = None

    @property
    def kinds(self) -> frozenset[NameKind]:
        return frozenset(_OF_BROKERS)

    def ask(self, kind: NameKind, of: str) -> Iterable[Offer]:
        if self._cluster is None:
            # Here, since loading the client is not for the thread of who types.
            from riacho.client.reopened_cluster import ReopenedCluster

            self._cluster = ReopenedCluster(self._properties, TIMEOUT_MS, _ANSWER_BYTES_MAX)
        return self._cluster.ask(lambda cluster: list(_OF_BROKERS[kind](cluster, of)))

    def end(self) -> None:
        if self._cluster is not None:
            self._cluster.end()


def _topics(cluster: Cluster, of: str) -> Iterable[Offer]:
    for topic in cluster.metadata().topics:
        count = len(topic.partitions)
        told = f"{count} partition{'' if count == 1 else 's'}{', internal' if topic.is_internal else ''}"
        yield Offer(topic.name or "", told)


def _partitions(cluster: Cluster, of: str) -> Iterable[Offer]:
    for topic in cluster.metadata([of]).topics:
        for partition in topic.partitions:
            yield Offer(str(partition.partition_index), f"of {of}, led by {partition.leader_id}")


def _brokers(cluster: Cluster, of: str) -> Iterable[Offer]:
    return [Offer(str(number), f"{host}:{port}") for number, (host, port) in cluster.live_brokers().items()]


def _groups(types: Sequence[str]) -> Callable[[Cluster, str], Iterable[Offer]]:
    def ask(cluster: Cluster, of: str) -> Iterable[Offer]:
        from riacho.client.groups import list_groups

        for group in list_groups(cluster, types=types):
            yield Offer(group.group_id, ", ".join(filter(None, (group.group_type, group.group_state))))

    return ask


def _users(cluster: Cluster, of: str) -> Iterable[Offer]:
    from riacho.client.scram_users import describe_scram_users

    for user in describe_scram_users(cluster):
        yield Offer(user.name, ", ".join(mechanism for mechanism, _ in user.credentials))


def _transactional_ids(cluster: Cluster, of: str) -> Iterable[Offer]:
    from riacho.client.transactions import list_transactions

    for states in list_transactions(cluster).values():
        for state in states:
            yield Offer(state.transactional_id, state.transaction_state)


def _subscriptions(cluster: Cluster, of: str) -> Iterable[Offer]:
    from riacho.metadata.image.config_resource import ResourceType
    from riacho.wire.messages.list_config_resources_request import ListConfigResourcesRequest
    from riacho.wire.messages.list_config_resources_response import ListConfigResourcesResponse

    request = ListConfigResourcesRequest(resource_types=[ResourceType.CLIENT_METRICS])
    for resource in cluster.ask(request, ListConfigResourcesResponse).config_resources:
        yield Offer(resource.resource_name, "client metrics")


_OF_BROKERS: dict[NameKind, Callable[[Cluster, str], Iterable[Offer]]] = {
    NameKind.TOPIC: _topics,
    NameKind.PARTITION: _partitions,
    NameKind.GROUP: _groups(()),
    NameKind.CONSUMER_GROUP: _groups(("classic", "consumer")),
    NameKind.SHARE_GROUP: _groups(("share",)),
    NameKind.BROKER: _brokers,
    NameKind.USER: _users,
    NameKind.TRANSACTIONAL_ID: _transactional_ids,
    NameKind.SUBSCRIPTION: _subscriptions,
}


class HttpQuestions:
    """Of a service whose answers are lists in JSON."""

    def __init__(
        self, url: str, ask: dict[NameKind, Callable[[Callable[[str], Any]], Iterable[Offer]]], login: str | None = None
    ) -> None:
        self._url = url.rstrip("/")
        self._asked = ask
        self._login = login
        self._http: HttpClient | None = None

    @property
    def kinds(self) -> frozenset[NameKind]:
        return frozenset(self._asked)

    def ask(self, kind: NameKind, of: str) -> Iterable[Offer]:
        return list(self._asked[kind](self._get))

    def end(self) -> None:
        if self._http is not None:
            self._http.close()

    def _get(self, path: str) -> Any:
        if self._http is None:
            from riacho.client.http_client import HttpClient

            self._http = HttpClient(authorization=self._login, answer_bytes_max=_ANSWER_BYTES_MAX, takes_proxy=True)
        answer = self._http.request(
            "GET", self._url + path, headers={"Accept": "application/json"}, timeout_s=TIMEOUT_MS / 1000
        )
        return json.loads(answer.body) if answer.is_good else None


def _subjects(get: Callable[[str], Any]) -> Iterable[Offer]:
    return [Offer(subject) for subject in _listed(get("/subjects")) if isinstance(subject, str)]


def _connectors(get: Callable[[str], Any]) -> Iterable[Offer]:
    found = get("/connectors?expand=status")
    if not isinstance(found, dict):
        # One of before KIP-465 gives the names alone.
        return [Offer(name) for name in _listed(found) if isinstance(name, str)]
    return [Offer(name, _status(told)) for name, told in found.items()]


def _status(told: Any) -> str:
    try:
        status = told["status"]
        return f"{status['type']}, {status['connector']['state']}"
    except (KeyError, TypeError):
        return ""


def _listed(found: Any) -> list[Any]:
    return found if isinstance(found, list) else []


class KsqlQuestions:
    """Only statements that change nothing."""

    kinds = frozenset({NameKind.STREAM, NameKind.TABLE, NameKind.QUERY, NameKind.COLUMN})

    def __init__(self, url: str) -> None:
        self._url = url

    def ask(self, kind: NameKind, of: str) -> Iterable[Offer]:
        from riacho.pipelines.sql.printing.names import identifier_text

        match kind:
            case NameKind.STREAM:
                return [Offer(identifier_text(each["name"]), _source(each)) for each in self._show("STREAMS")]
            case NameKind.TABLE:
                return [Offer(identifier_text(each["name"]), _source(each)) for each in self._show("TABLES")]
            case NameKind.QUERY:
                return [
                    Offer(identifier_text(each["id"]), str(each.get("state") or "")) for each in self._show("QUERIES")
                ]
            case _:
                found = self._statement(f"DESCRIBE {identifier_text(of)};")
                columns = [each for one in found for each in (one.get("sourceDescription") or {}).get("fields") or ()]
                return [Offer(identifier_text(each["name"]), _column(of, each)) for each in columns]

    def end(self) -> None:
        """Nothing is kept open."""

    def _show(self, what: str) -> list[Any]:
        return [each for one in self._statement(f"SHOW {what};") for each in one.get(what.lower()) or ()]

    def _statement(self, text: str) -> list[dict[str, Any]]:
        from riacho.cli.ksql.server import KsqlServer

        server = KsqlServer(self._url)
        try:
            return server.statements(text, {}, timeout_s=TIMEOUT_MS / 1000)
        finally:
            server.close()


def _source(told: dict[str, Any]) -> str:
    return f"{str(told.get('type', 'source')).lower()} on {told.get('topic')}"


def _column(of: str, told: dict[str, Any]) -> str:
    schema = told.get("schema") or {}
    return f"{schema.get('type', 'column')} of {of}"


def _user_info(addresses: ClusterAddresses) -> str | None:
    """The login of the registry, under the names that Confluent's clients have for it."""
    from riacho.client.http_target import basic

    given = next((addresses.properties[key] for key in _USER_INFO if key in addresses.properties), None)
    if given is None:
        return None
    user, _, password = given.partition(":")
    return basic(user, password)
