"""A broker's membership: it registers with the controller, tells it every two seconds that it lives, and asks to leave.

Theory of operation (KIP-631). A registration is good for one run of the process, its incarnation; the controller gives
it an epoch, which every later request carries. A registered broker is fenced until it has caught up with the metadata;
then a heartbeat brings it into service. One that stops asks to shut down and keeps its heartbeats going until the
controller has moved its leaderships away. A broker whose registration is gone (it was fenced and unregistered, or the
controller's disk was) registers again.

Heartbeats go on whatever happens: a new controller hears from every broker at once, because a change of the quorum's
leader wakes the loop.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.quorum.raft_driver import denied_sentence
from riacho.metadata.image.brokers import SECURITY_PROTOCOLS
from riacho.metadata.image.features import SUPPORTED, unsupported
from riacho.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest
from riacho.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse
from riacho.wire.messages.broker_registration_request import BrokerRegistrationRequest, Feature, Listener
from riacho.wire.messages.broker_registration_response import BrokerRegistrationResponse

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.config import BrokerConfig
    from riacho.broker.logs import Logs
    from riacho.broker.membership.incarnation import Incarnation
    from riacho.broker.quorum.controller_channel import ControllerChannel
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.log.directories import LogDirectories
    from riacho.metadata.image.image import MetadataImage

NO_EPOCH = -1
# While a broker waits to be let in or out, it asks often: each of these is a moment that somebody waits for.
_EAGER_INTERVAL_MS = 50
_RETRY_INTERVAL_MS = 100
_LOG_INTERVAL_MS = 3_000
# How long a refused broker looks for the reason in the metadata.
_REASON_TIMEOUT_MS = 5_000
# A cluster that goes down as a whole loses its quorum on the way: the last ones need not wait for an answer for long.
_NO_CONTACT_MS_MAX = 1_500


class BrokerLifecycle:
    def __init__(
        self,
        config: BrokerConfig,
        incarnation: Incarnation,
        directories: LogDirectories,
        metadata: MetadataCache,
        channel: ControllerChannel,
        clock: Clock,
        logs: Logs,
    ) -> None:
        self._config = config
        self._node_id = config.node_id
        self._incarnation = incarnation
        self._directories = directories
        self._metadata = metadata
        self._channel = channel
        self._clock = clock
        self._logs = logs
        self.epoch = NO_EPOCH
        self.is_fenced = True
        self._is_ready = False
        self._wants_shut_down = False
        self._may_shut_down = asyncio.Event()
        self._unfenced = asyncio.Event()
        self._wake = asyncio.Event()
        # Since when heartbeats fail, while they do.
        self._no_contact_since_ms: int | None = None
        # Why the controller has not registered this broker yet.
        self._waits_for = ""
        self._task: asyncio.Task[None] | None = None

    # Coming

    async def join(self) -> None:
        """Register for the first time: a broker that finds no controller in time does not start."""
        timeout_ms: int = self._config.get("initial.broker.registration.timeout.ms")
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                await self.register()
        except TimeoutError:
            why = f"no controller registered this broker within initial.broker.registration.timeout.ms={timeout_ms}"
            if self._waits_for:
                why += f": {self._waits_for}"
            raise KafkaError(ErrorCode.REQUEST_TIMED_OUT, why) from None

    async def register(self) -> None:
        """Until the controller takes it; a refusal that will not pass raises."""
        request = self._registration()
        waited_ms = 0
        while True:
            try:
                response: BrokerRegistrationResponse = await self._channel.send(request)
                code = ErrorCode(response.error_code)
                if code is ErrorCode.NONE:
                    break
                # The controller still takes the last run of this broker for alive: its session must end first.
                self._waits_for = code.name
                if not code.retriable and code is not ErrorCode.DUPLICATE_BROKER_REGISTRATION:
                    raise KafkaError(code, await self._refusal(code))
            except KafkaError as error:
                if not error.code.retriable:
                    raise
                self._waits_for = error.detail or error.code.name
            if waited_ms % _LOG_INTERVAL_MS < _RETRY_INTERVAL_MS <= waited_ms:
                self._logs.error.info("waits to be registered reason=%s", self._waits_for)
            waited_ms += _RETRY_INTERVAL_MS
            await self._channel.pause(_RETRY_INTERVAL_MS)
        self.epoch = response.broker_epoch
        self._incarnation.markers.write(self.epoch)
        self._logs.error.info("registered node_id=%d broker_epoch=%d", self._node_id, self.epoch)

    async def _refusal(self, code: ErrorCode) -> str:
        """The answer has no room for a reason; the metadata, which need no registration to be read, have it."""
        problem = f"the controller refuses to register broker {self._node_id}"
        if code is ErrorCode.UNSUPPORTED_VERSION:
            metadata = self._metadata
            await metadata.until(lambda image: unsupported(image.features) is not None, _REASON_TIMEOUT_MS)
            problem = unsupported(metadata.image.features) or problem
        elif code is ErrorCode.CLUSTER_AUTHORIZATION_FAILED:
            problem += f": {denied_sentence('the controller', code)}"
        return problem

    def _registration(self) -> BrokerRegistrationRequest:
        return BrokerRegistrationRequest(
            broker_id=self._node_id,
            cluster_id=self._metadata.image.cluster_id,
            incarnation_id=self._incarnation.id,
            listeners=[
                Listener(
                    name=each.name,
                    host=each.host,
                    port=each.port,
                    security_protocol=SECURITY_PROTOCOLS[each.protocol],
                )
                for each in self._incarnation.listeners
            ],
            features=[
                Feature(name=name, min_supported_version=low, max_supported_version=high)
                for name, (low, high) in SUPPORTED.items()
            ],
            rack=self._config.get("broker.rack"),
            log_dirs=[directory.meta.directory_id for directory in self._directories.directories],
            previous_broker_epoch=self._incarnation.markers.previous_broker_epoch,
        )

    def serve(self) -> None:
        """The broker can serve: from the next heartbeat on the controller may let it in."""
        self._is_ready = True

    def start(self) -> None:
        """Heartbeats from now on."""
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def unfenced(self) -> None:
        await self._unfenced.wait()

    def wake(self) -> None:
        """There is something to tell, or somebody new to tell it to."""
        self._wake.set()

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        """A broker that wants to leave waits until all others know who leads instead: tell how far we are."""
        if any(broker.in_controlled_shutdown for broker in new.brokers.values()):
            self.wake()

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                await self.beat()
                interval_ms = self._interval_ms()
                self._no_contact_since_ms = None
            except Exception as error:
                if self._no_contact_since_ms is None:
                    self._no_contact_since_ms = self._clock.monotonic_ms()
                if isinstance(error, KafkaError):
                    self._logs.error.debug("heartbeat failed error=%s", error)
                else:
                    # Of a controller in this process, say. A broker that fell silent for it would never come back.
                    self._logs.error.exception("heartbeat failed")
                interval_ms = _RETRY_INTERVAL_MS
            with suppress(TimeoutError):
                async with asyncio.timeout(interval_ms / 1000):
                    await self._wake.wait()

    def _interval_ms(self) -> int:
        is_waiting = self.is_fenced or (self._wants_shut_down and not self._may_shut_down.is_set())
        interval_ms: int = self._config.get("broker.heartbeat.interval.ms")
        return min(_EAGER_INTERVAL_MS, interval_ms) if is_waiting else interval_ms

    async def beat(self) -> None:
        """One heartbeat now; a broker that is alone in its quorum is in service when it returns."""
        request = BrokerHeartbeatRequest(
            broker_id=self._node_id,
            broker_epoch=self.epoch,
            current_metadata_offset=self._metadata.image.end_offset - 1,
            want_fence=not self._is_ready,
            want_shut_down=self._wants_shut_down,
            offline_log_dirs=self._directories.offline_ids(),
        )
        session_ms: int = self._config.get("broker.session.timeout.ms")
        response: BrokerHeartbeatResponse = await self._channel.send(request, timeout_ms=session_ms // 2)
        code = ErrorCode(response.error_code)
        if code in (ErrorCode.STALE_BROKER_EPOCH, ErrorCode.BROKER_ID_NOT_REGISTERED):
            self._logs.error.warning("registration is gone, registering again reason=%s", code.name)
            self._set_fenced(True)
            await self.register()
            return
        if code is not ErrorCode.NONE:
            raise KafkaError(code)
        self._set_fenced(response.is_fenced)
        if response.should_shut_down:
            self._may_shut_down.set()

    def _set_fenced(self, is_fenced: bool) -> None:
        if is_fenced == self.is_fenced:
            return
        self.is_fenced = is_fenced
        state = "fenced" if is_fenced else "unfenced"
        self._logs.error.info("broker is %s node_id=%d", state, self._node_id)
        if is_fenced:
            self._unfenced.clear()
        else:
            self._unfenced.set()

    # Going

    async def shut_down(self, timeout_ms: int) -> bool:
        """Ask to leave, until the controller has moved what this broker led, or the time is up."""
        if self._task is None or self.epoch == NO_EPOCH:
            return False
        self._wants_shut_down = True
        self._no_contact_since_ms = None
        self.wake()
        deadline_ms = self._clock.monotonic_ms() + timeout_ms
        while not self._may_shut_down.is_set():
            now_ms = self._clock.monotonic_ms()
            is_out_of_contact = (
                self._no_contact_since_ms is not None and now_ms - self._no_contact_since_ms > _NO_CONTACT_MS_MAX
            )
            if is_out_of_contact or now_ms > deadline_ms:
                self._logs.error.warning("leaves without the controller's consent")
                return False
            with suppress(TimeoutError):
                async with asyncio.timeout(_EAGER_INTERVAL_MS / 1000):
                    await self._may_shut_down.wait()
        return True

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
