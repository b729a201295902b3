"""Real brokers on threads of the test process: their own ports, their own directories, gone when the test ends.

They are the brokers that production runs, with their sockets and their files; nothing is mocked. Faults are injected
at the point where requests are dispatched, so a client cannot tell them from a broker in trouble; brokers can be
killed, and cut off from each other.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.environment import Environment, SystemClock, SystemRng
from riacho.broker.faults import api_key_of
from riacho.broker.node import Node
from riacho.metadata.controller import Controller
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topics import Partition
from riacho.testing.broker_thread import TIMEOUT_S, BrokerThread
from riacho.testing.faults import Fault, FaultControls
from riacho.testing.listener_security import ListenerSecurity
from riacho.testing.network import BrokerNetwork, Cables
from riacho.testing.nodes import node_properties, property_texts
from riacho.testing.records import RecordControls
from riacho.wire.messages.create_topics_request import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from riacho.wire.messages.partition_change_record import PartitionChangeRecord

if TYPE_CHECKING:
    from riacho.testing.certificates import BrokerCertificate
    from riacho.testing.registry_thread import RegistryThread

__all__ = ["Fault", "KafkaCluster"]

T = TypeVar("T")
_LOOK_S = 0.005


class KafkaCluster(FaultControls, RecordControls):
    """A Kafka cluster of one broker or several, inside this process.

    Use it as a context manager, or through the `kafka_cluster` fixture.
    """

    node_ids: list[int]
    """The numbers of the brokers: 1, 2 and so on."""

    def __init__(
        self,
        properties: Mapping[str, object] | None = None,
        data_dir: Path | None = None,
        *,
        brokers: int = 1,
        users: Mapping[str, str] | None = None,
        tls: bool = False,
    ) -> None:
        """Prepare the brokers; `start` starts them.

        `properties` are broker settings by Kafka's names; values may be numbers and booleans. The data goes to
        `data_dir`, else to a temporary directory that `stop` deletes. With `users`, names and their passwords, brokers
        ask for a login; with `tls` they take no connection in the clear. `client_settings` has what clients need.
        """
        if brokers < 1:
            raise ValueError(f"a cluster has at least one broker, not {brokers}")
        self.node_ids = list(range(1, brokers + 1))
        super().__init__(self.node_ids)
        self._registry: RegistryThread | None = None
        self._owned_dir = Path(tempfile.mkdtemp(prefix="riacho-")) if data_dir is None else None
        home = data_dir or self._owned_dir
        assert home is not None
        self._security = ListenerSecurity(dict(users or {}), _certificate(home) if tls else None)
        self._cables = Cables()
        # Ports of the first start serve later ones too, so that clients find a broker again after a restart.
        self._threads = {
            node_id: BrokerThread(own, self._environment_of(node_id), self._faults[node_id])
            for node_id, own in node_properties(brokers, home, property_texts(properties or {}), self._security).items()
        }

    def _environment_of(self, node_id: int) -> Callable[[], Environment]:
        return lambda: Environment(SystemClock(), SystemRng(), BrokerNetwork(node_id, self._cables))

    # --- life

    def start(self, broker: int | None = None) -> Self:
        """Start the brokers that do not run, or this one. They serve requests when this returns."""
        beginning = [self._thread(broker)] if broker is not None else list(self._threads.values())
        beginning = [thread for thread in beginning if not thread.is_running]
        try:
            for thread in beginning:
                thread.begin()
            for thread in beginning:
                thread.wait()
                thread.properties["listeners"] = thread.call(_listeners)
        except BaseException:
            for thread in beginning:
                thread.kill()
            raise
        self._wait(lambda: self.live_brokers >= set(self._running()), "the brokers did not find each other")
        return self

    def stop(self, broker: int | None = None) -> None:
        """Stop one broker cleanly. Without a number, stop all and delete the data, unless `data_dir` was given."""
        if broker is not None:
            self._thread(broker).stop()
            return
        if self._registry is not None:
            self._registry.stop()
            self._registry = None
        if self._owned_dir is None:
            self._stop_all()
        else:
            # What is deleted anyway needs no order, and brokers of a cluster that ends need not wait for each other.
            for thread in self._threads.values():
                thread.kill() if len(self._threads) > 1 else thread.stop()
            shutil.rmtree(self._owned_dir, ignore_errors=True)
            if self._security.certificate is not None:
                shutil.rmtree(self._security.certificate.ca_pem.parent, ignore_errors=True)

    def kill(self, broker: int) -> None:
        """End a broker as `kill -9` does, without a word to anyone. Its data stays, and `start` brings it back."""
        self._thread(broker).kill()

    def restart(self, broker: int | None = None) -> None:
        """Stop brokers cleanly and start them again on the same ports and data: all at once, or this one."""
        if broker is None:
            self._stop_all()
        else:
            self._thread(broker).stop()
        self.start(broker)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _stop_all(self) -> None:
        """All at once: the last ones have no controller left to ask for leave, and none of them should wait long."""
        threads = [thread for thread in self._threads.values() if thread.is_running]
        with ThreadPoolExecutor(max_workers=len(threads) or 1) as together:
            for stopping in [together.submit(thread.stop) for thread in threads]:
                stopping.result()

    # --- the network

    def partition(self, *groups: Iterable[int]) -> None:
        """Cut the network between groups of brokers: `partition([1], [2, 3])`. Clients still reach all of them."""
        sides = [list(group) for group in groups]
        for broker in (each for side in sides for each in side):
            self._check_broker(broker)
        self._cables.cut(sides)

    def isolate(self, broker: int) -> None:
        """Cut one broker off from all others."""
        self.partition([broker], [other for other in self.node_ids if other != broker])

    def heal(self) -> None:
        """Undo all cuts of the network."""
        self._cables.heal()

    # --- use

    @property
    def bootstrap_servers(self) -> str:
        """The addresses of all brokers, as clients take them."""
        return ",".join(self.address_of(node_id) for node_id in self.node_ids)

    def client_settings(self, user: str | None = None) -> dict[str, Any]:
        """Return settings for a client of confluent-kafka: the addresses, and the login of `user` or the first user."""
        return {"bootstrap.servers": self.bootstrap_servers, **self._security.client_settings(user)}

    @property
    def schema_registry_url(self) -> str:
        """The address of a schema registry on this cluster. It starts at the first use, and stops with the cluster."""
        if self._registry is None:
            from riacho.testing.registry_thread import RegistryThread

            self._registry = RegistryThread(self.client_settings())
        return self._registry.url

    def address_of(self, broker: int) -> str:
        """Return one broker's `host:port`, for a client that is to start from that one."""
        return self._thread(broker).properties["listeners"].split(",")[0].rpartition("/")[2]

    @property
    def metrics_url(self) -> str | None:
        """The address of the first broker's Prometheus metrics; None unless `riacho.metrics.port` is set."""
        endpoint = self._threads[self._running()[0]].node.metrics_endpoint
        return None if endpoint is None else f"http://{endpoint.host}:{endpoint.port}/metrics"

    @property
    def live_brokers(self) -> set[int]:
        """The brokers that every running broker takes for alive."""
        images = self._images()
        return set.intersection(*({b.id for b in image.active_brokers()} for image in images)) if images else set()

    @property
    def controller(self) -> int | None:
        """The broker that is the active controller now."""
        active = [n for n in self._running() if self._threads[n].call(lambda node: node.quorum.controller.is_active)]
        return active[0] if active else None

    def leader(self, topic: str, partition: int = 0, *, known_to: Iterable[int] | None = None) -> int | None:
        """Return the partition's leader as the running brokers know it; None if there is none, or they differ.

        A broker that was cut off does not know of changes: `known_to` names the brokers that are asked.
        """
        leaders = {_partition(image, topic, partition).leader for image in self._images(known_to)}
        return leaders.pop() if len(leaders) == 1 and -1 not in leaders else None

    def in_sync(self, topic: str, partition: int = 0, *, known_to: Iterable[int] | None = None) -> set[int]:
        """Return the in-sync replicas of a partition that all running brokers, or those named, know of."""
        return set.intersection(*(set(_partition(image, topic, partition).isr) for image in self._images(known_to)))

    def wait_in_sync(self, timeout_s: float = TIMEOUT_S) -> None:
        """Wait until every replica of every partition is in sync."""

        def is_so() -> bool:
            topics = [topic for image in self._images() for topic in image.topics.values()]
            return all(set(p.replicas) <= set(p.isr) for topic in topics for p in topic.partitions)

        self._wait(is_so, "replicas did not catch up", timeout_s)

    def create_topic(
        self,
        name: str,
        partitions: int = 1,
        configs: Mapping[str, object] | None = None,
        replication_factor: int | None = None,
    ) -> None:
        """Create a topic. Every broker knows it when this returns. With three brokers or more it has three replicas."""
        request = CreateTopicsRequest(
            topics=[
                CreatableTopic(
                    name=name,
                    num_partitions=partitions,
                    replication_factor=replication_factor or min(len(self.node_ids), 3),
                    configs=[
                        CreatableTopicConfig(name=key, value=value)
                        for key, value in property_texts(configs or {}).items()
                    ],
                )
            ],
            timeout_ms=TIMEOUT_S * 1000,
        )
        response = self._decide(lambda controller: controller.create_topics(request))
        result = response.topics[0]
        if result.error_code:
            raise KafkaError(ErrorCode(result.error_code), result.error_message or name)
        self._wait(lambda: all(name in image.topics for image in self._images()), f"{name} is not known to all brokers")

    def request_count(self, api: str, broker: int | None = None) -> int:
        """Return how many requests of an API were answered, e.g. `request_count("Produce")`, by all brokers or one."""
        key = api_key_of(api)
        asked = self._running() if broker is None else [broker]
        return sum(self._thread(n).call(lambda found: found.parts.metrics.request_count(key)) for n in asked)

    def move_leader(self, topic: str, partition: int) -> int:
        """Elect the partition's leader anew, another one if there is another in sync, and return the new epoch.

        Clients that know the old one are fenced.
        """

        def decide(controller: Controller) -> Decision[Any, int]:
            image = controller.image
            known = _partition(image, topic, partition)
            others = [replica for replica in known.replicas if replica in known.isr and replica != known.leader]
            # Naming a leader, even the same one, starts a new epoch.
            change = PartitionChangeRecord(
                topic_id=image.topics[topic].id, partition_id=partition, leader=[*others, known.leader][0]
            )
            return Decision(reply=known.leader_epoch + 1, records=[change])

        epoch = self._decide(decide)
        self._wait(
            lambda: all(_partition(image, topic, partition).leader_epoch >= epoch for image in self._images()),
            f"the new leader of {topic}-{partition} is not known to all brokers",
        )
        return epoch

    # --- inside

    def _thread(self, broker: int) -> BrokerThread:
        self._check_broker(broker)
        return self._threads[broker]

    def _running(self) -> list[int]:
        return [node_id for node_id, thread in self._threads.items() if thread.is_running]

    def _images(self, known_to: Iterable[int] | None = None) -> list[MetadataImage]:
        asked = self._running() if known_to is None else [n for n in known_to if self._threads[n].is_running]
        # Images are immutable and swapped whole, so another thread may take one.
        return [self._threads[node_id].node.quorum.metadata.image for node_id in asked]

    def _decide(self, decide: Callable[[Controller], Decision[Any, T]]) -> T:
        """By whoever is the active controller; a new one is waited for."""
        self._wait(lambda: self.controller is not None, "there is no controller")
        active = self.controller
        assert active is not None
        thread = self._threads[active]
        return thread.run(thread.node.quorum.controller.decided(decide))

    def _wait(self, is_so: Callable[[], bool], otherwise: str, timeout_s: float = TIMEOUT_S) -> None:
        deadline = time.monotonic() + timeout_s
        while not is_so():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{otherwise} within {timeout_s:g} s")
            time.sleep(_LOOK_S)


def _certificate(home: Path) -> BrokerCertificate:
    from riacho.testing.certificates import BrokerCertificate

    # Beside the brokers' own directories, which a single one has for itself.
    return BrokerCertificate(home.with_name(f"{home.name}-tls"))


def _listeners(node: Node) -> str:
    return ",".join(f"{listener.name}://{listener.host}:{listener.port}" for listener in node.listeners)


def _partition(image: MetadataImage, topic: str, index: int) -> Partition:
    named = image.topics.get(topic)
    if named is None or index >= len(named.partitions):
        raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"{topic}-{index}")
    return named.partitions[index]
