"""The security of a node: of each of its listeners, and of what it says to other nodes.

Its parts are there before the metadata, since listeners have to be bound to join the quorum; `follow` gives them the
metadata, `start` keeps keys fresh from then on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.broker.access.credential_provider import CredentialProvider
from riacho.broker.access.dynamic_config import DynamicConfig
from riacho.broker.access.listener_security import ListenerSecurity
from riacho.broker.access.oauth_validators import OauthValidators
from riacho.broker.access.peer_security import PeerSecurity
from riacho.broker.access.security_upkeep import SecurityUpkeep

if TYPE_CHECKING:
    from riacho.broker.access.metadata_view import MetadataView
    from riacho.broker.config import BrokerConfig
    from riacho.broker.counters.metrics import Authentications
    from riacho.broker.logs import Logs


class NodeSecurity:
    def __init__(self, config: BrokerConfig, authentications: Authentications, logs: Logs) -> None:
        self._config = config
        self._authentications = authentications
        self._logs = logs
        self._dynamic_config = DynamicConfig(config.values)
        self._credentials = CredentialProvider(config.get("delegation.token.secret.key"))
        self._oauth = OauthValidators(logs)
        self._upkeep = SecurityUpkeep(self._oauth, config.get("riacho.tls.check.interval.ms"))
        self.peers = PeerSecurity(config, self._dynamic_config)

    def new_listener(self, name: str) -> ListenerSecurity:
        made = ListenerSecurity(
            name,
            self._config,
            self._dynamic_config,
            self._oauth,
            self._credentials,
            self._authentications,
            self._logs,
        )
        self._upkeep.add(made)
        return made

    def follow(self, metadata: MetadataView) -> None:
        """From now on settings and credentials are what these metadata say."""
        self._dynamic_config.follow(metadata)
        self._credentials.follow(metadata)

    def start(self, metadata: MetadataView) -> None:
        self._upkeep.start(metadata)

    async def stop(self) -> None:
        await self._upkeep.stop()
