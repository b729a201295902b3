"""What a worker process keeps from one task to the next: connections, and how far it has read the markers.

Spark uses its Python workers again, one task at a time, so the second epoch finds everything open. Few of each are
kept, the ones used last.
"""

from __future__ import annotations

from riacho.base.lru_cache import LruCache
from riacho.client.cluster import Cluster
from riacho.pipelines.sink.marker_log import MarkerLog
from riacho.pipelines.sink.marker_topic import ensure_marker_topic
from riacho.pipelines.sink.markers import SinkName
from riacho.pipelines.sink.options import SinkOptions
from riacho.pipelines.sink.sink_cluster import SinkCluster
from riacho.pipelines.sink.topic_leaders import TopicLeaders

_CLUSTERS_MAX = 4
_MARKER_LOGS_MAX = 64


class Clients:
    """`cluster` and `leaders` are for the thread that writes, those of `sending` for the one that sends."""

    def __init__(self, options: SinkOptions) -> None:
        self.cluster = SinkCluster(options.settings)
        self.sending = Cluster(options.settings)
        self.leaders = TopicLeaders(self.cluster, options.topic_timeout_ms)
        self.sending_leaders = TopicLeaders(self.sending, options.delivery_timeout_ms)
        self._marker_logs: LruCache[SinkName, MarkerLog] = LruCache(_MARKER_LOGS_MAX)
        self._has_marker_topic = False

    def marker_log(self, name: SinkName) -> MarkerLog:
        if not self._has_marker_topic:
            ensure_marker_topic(self.cluster)
            self._has_marker_topic = True
        return self._marker_logs.get_or_make(name, lambda: MarkerLog(name))

    def begin_task(self) -> None:
        self.leaders.begin_task()
        self.sending_leaders.begin_task()

    def forget_leaders(self) -> None:
        """Something went wrong: the next task asks for all of it."""
        self.leaders.forget()
        self.sending_leaders.forget()

    def close(self) -> None:
        self.cluster.close()
        self.sending.close()


_clients: LruCache[tuple[tuple[str, str], ...], Clients] = LruCache(_CLUSTERS_MAX, Clients.close)


def clients(options: SinkOptions) -> Clients:
    """Those of the same brokers and credentials; an epoch's number, say, is among the options and changes."""
    return _clients.get_or_make(options.kafka_properties, lambda: Clients(options))
