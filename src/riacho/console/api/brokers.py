"""The brokers of a cluster: what each has to carry, its disks, its settings."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from riacho.console.api.configs import ConfigChange, ConfigRow, change_configs, note_change, read_configs
from riacho.console.api.listing import PAGE_QUERY, Page, cut, fields_of
from riacho.console.clusters.errors import KAFKA_ERRORS, PICTURE_ERRORS
from riacho.console.clusters.picture import BrokerFacts, Picture
from riacho.console.clusters.volumes import Directory
from riacho.console.parts import Parts
from riacho.console.rates import BrokerFigures
from riacho.metadata.image.config_resource import ResourceType
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

_FIELDS = fields_of("id", "host", "rack", "leaders", "replicas", "in_sync", "disk_used_bytes", "disk_total_bytes",
                    "disk_free_bytes")  # fmt: skip

# A broker that has just died shall not hold up what is known without it.
_DETAILS_TIMEOUT_MS = 5_000


class BrokerRow(msgspec.Struct):
    id: int
    host: str
    port: int
    rack: str | None
    is_controller: bool
    is_fenced: bool
    leaders: int
    replicas: int
    in_sync: int
    # What Kafka keeps.
    disk_used_bytes: int | None
    # Of the volumes that it lies on, each counted once; others' files may take room there too.
    disk_total_bytes: int | None
    disk_free_bytes: int | None
    software: str | None
    uptime_s: float | None


class LogDir(msgspec.Struct):
    path: str
    # Kafka's name for what is wrong with it.
    error: str | None
    # What Kafka keeps in it.
    size_bytes: int
    # Of its volume.
    total_bytes: int | None
    free_bytes: int | None
    topics: int


class BrokerPage(BrokerRow):
    # As they were read last, to go through which takes a broker of many partitions some time.
    log_dirs: list[LogDir]
    log_dirs_as_of_ms: int | None
    config: list[ConfigRow]
    # Why the broker itself did not tell of its disks and settings; the rest is known without it.
    details_missing: str | None
    as_of_ms: int
    stale_reason: str | None


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get_all(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        seen = await cluster.watch.now()
        found = cut(call, seen.picture.brokers.values(), _text, _FIELDS, "id")
        rows = [_row(seen.picture, b, parts.rates.of_broker(cluster.id, b.id)) for b in found.rows]
        return json_answer(found.page_of(rows, seen))

    async def get(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        seen = await cluster.watch.now()
        picture = seen.picture
        broker = _broker(call, picture)
        row = _row(picture, broker, parts.rates.of_broker(cluster.id, broker.id))
        page = BrokerPage(
            **msgspec.structs.asdict(row),
            log_dirs=[],
            log_dirs_as_of_ms=broker.disks_as_of_ms,
            config=[],
            details_missing=f"Broker {broker.id} is away." if broker.is_fenced else cluster.watch.reason,
            as_of_ms=picture.as_of_ms,
            stale_reason=seen.stale_reason,
        )
        if page.details_missing is None:
            try:
                page.config = await cluster.kafka.ask(
                    lambda c: read_configs(c, ResourceType.BROKER, str(broker.id), is_riacho=picture.is_riacho),
                    _DETAILS_TIMEOUT_MS,
                )
                page.log_dirs = [_log_dir(each) for each in broker.directories]
            except ApiError as error:
                page.details_missing = error.message
        return json_answer(page)

    async def patch_config(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        broker = _broker(call, (await cluster.watch.now()).picture)
        change: ConfigChange = await call.read(ConfigChange)
        note_change(call, change)
        await cluster.kafka.ask(lambda c: change_configs(c, ResourceType.BROKER, str(broker.id), change))
        return no_content()

    base = "/api/v1/clusters/{c}/brokers"
    return [
        Endpoint("GET", base, get_all, "The brokers.", query=PAGE_QUERY, tag="brokers", errors=PICTURE_ERRORS,
                 answers={200: Page[BrokerRow]}),
        Endpoint("GET", base + "/{id}", get, "One broker: its disks and its settings.",
                 tag="brokers", errors=KAFKA_ERRORS, answers={200: BrokerPage}, segments={"id": int}),
        Endpoint("PATCH", base + "/{id}/config", patch_config, "Set and unset settings of one broker.",
                 tag="brokers", errors=KAFKA_ERRORS, body=ConfigChange, answers={204: None}, segments={"id": int}),
    ]  # fmt: skip


def _broker(call: Call, picture: Picture) -> BrokerFacts:
    found = picture.brokers.get(call.number("id"))
    if found is None:
        raise ApiError(404, 40402, "There is no broker of that id.")
    return found


def _text(broker: BrokerFacts) -> str:
    return f"{broker.id} {broker.host}:{broker.port} {broker.rack or ''}"


def _row(picture: Picture, broker: BrokerFacts, figures: BrokerFigures) -> BrokerRow:
    return BrokerRow(
        id=broker.id,
        host=broker.host,
        port=broker.port,
        rack=broker.rack,
        is_controller=picture.quorum is not None and picture.quorum.leader == broker.id,
        is_fenced=broker.is_fenced,
        leaders=broker.leaders,
        replicas=broker.replicas,
        in_sync=broker.in_sync,
        disk_used_bytes=broker.disk_used_bytes,
        disk_total_bytes=broker.disk_total_bytes,
        disk_free_bytes=broker.disk_free_bytes,
        software=figures.software,
        uptime_s=figures.uptime_s,
    )


def _log_dir(each: Directory) -> LogDir:
    return LogDir(each.path, each.error, each.kafka_bytes, each.total_bytes, each.usable_bytes, each.topics)
