"""The servers of this service that are alive, as the coordinator of their group knows them: each joins it under its URL
(`single_writer/`), and is missed when its session is over.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from riacho.web.kafka_client import make_client

_log = logging.getLogger("riacho.ksql")
_LOOK_S = 1.0
_TIMEOUT_S = 5.0
HOSTS_MAX = 1_000


class Members:
    """However often it is asked, the coordinator is asked now and then."""

    def __init__(self, client: Mapping[str, Any], group_id: str) -> None:
        self._client = client
        self._group_id = group_id
        self._admin: AdminClient | None = None
        self._asking = asyncio.Lock()
        self._asked_at_s = float("-inf")
        self._hosts: tuple[str, ...] = ()
        self.updated_ms = 0

    async def hosts(self) -> tuple[str, ...]:
        """host:port each; as they were last known where the coordinator does not answer."""
        async with self._asking:
            now_s = asyncio.get_running_loop().time()
            if now_s - self._asked_at_s >= _LOOK_S:
                try:
                    self._hosts = await asyncio.to_thread(self._ask)
                    self.updated_ms = int(time.time() * 1000)
                except KafkaException as error:
                    _log.warning("servers cannot be listed reason=%s", error.args[0].str())
                self._asked_at_s = asyncio.get_running_loop().time()
            return self._hosts

    def _ask(self) -> tuple[str, ...]:
        if self._admin is None:
            self._admin = make_client(AdminClient, self._client)
        asked = self._admin.describe_consumer_groups([self._group_id], request_timeout=_TIMEOUT_S)
        members = asked[self._group_id].result().members
        return tuple(sorted(filter(None, (_host(member.client_id) for member in members[:HOSTS_MAX]))))


def _host(client_id: str) -> str:
    """'' for a member that is no server of ours."""
    try:
        url = urlsplit(client_id)
        return url.netloc if url.scheme in ("http", "https") and url.hostname and url.port is not None else ""
    except ValueError:
        return ""
