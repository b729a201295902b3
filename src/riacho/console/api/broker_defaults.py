"""Settings of all brokers of a cluster at once (KIP-226): what `kafka-configs --entity-default` sets."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from riacho.base.config import Dynamic
from riacho.client.cluster import Cluster
from riacho.console.api.configs import ConfigChange, ConfigRow, change_configs, note_change, read_configs
from riacho.console.clusters.errors import KAFKA_ERRORS
from riacho.console.clusters.picture import Picture
from riacho.console.parts import Parts
from riacho.metadata.image.config_resource import ConfigSource, ResourceType
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

# The name of all brokers.
_ALL = ""


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        picture = (await cluster.watch.now()).picture
        return json_answer(await cluster.kafka.ask(lambda c: _rows(c, picture)))

    async def patch(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        change: ConfigChange = await call.read(ConfigChange)
        note_change(call, change)
        await cluster.kafka.ask(lambda c: change_configs(c, ResourceType.BROKER, _ALL, change))
        return no_content()

    path = "/api/v1/clusters/{c}/broker-defaults"
    return [
        Endpoint("GET", path, get, "What can be set for all brokers at once, with a value where it is.",
                 tag="brokers", errors=KAFKA_ERRORS, answers={200: list[ConfigRow]}),
        Endpoint("PATCH", path, patch, "Set and unset settings of all brokers.",
                 tag="brokers", errors=KAFKA_ERRORS, body=ConfigChange, answers={204: None}),
    ]  # fmt: skip


def _rows(cluster: Cluster, picture: Picture) -> list[ConfigRow]:
    """Kafka lists only what is set: any broker tells what else there is."""
    broker_id = next((each.id for each in picture.brokers.values() if not each.is_fenced), None)
    if broker_id is None:
        raise ApiError(503, 50302, "No broker is online that could tell its settings.")
    told = read_configs(cluster, ResourceType.BROKER, str(broker_id), is_riacho=picture.is_riacho)
    own = {row.name: row for row in read_configs(cluster, ResourceType.BROKER, _ALL, is_riacho=picture.is_riacho)}
    rows = {row.name: _unset(row) for row in told if row.can_change_now and not _is_of_one_broker(row.name)}
    for name, row in own.items():
        # Of all brokers the default is not told.
        default = rows[name].default if name in rows else row.default
        rows[name] = msgspec.structs.replace(row, default=default)
    return sorted(rows.values(), key=lambda row: row.name)


def _unset(row: ConfigRow) -> ConfigRow:
    return msgspec.structs.replace(row, value=None, source=ConfigSource.DEFAULT_CONFIG.name)


def _is_of_one_broker(name: str) -> bool:
    # Only a page of settings needs the table.
    from riacho.metadata.settings.broker_configs import BROKER_KEYS

    key = BROKER_KEYS.get(name)
    return key is not None and key.dynamic is Dynamic.PER_BROKER
