"""Who leads a partition: which replicas may, in which order they are asked, and what an election risks.

Theory of operation. A replica may lead when its broker is active and its log directory is online. Of those:
- one in the ISR has every record that was acknowledged with acks=all;
- when the ISR is empty, one of the eligible leader replicas (ELR, KIP-966) has it too: it left the ISR after the ISR
  fell below min.insync.replicas, so nothing was acknowledged without it, and it did not crash since;
- when ISR and ELR are both empty, the last known leader is the best guess, and its election counts as unclean;
- any other replica may have lost records, and leads only where unclean.leader.election.enable allows it.
A leader that may stay stays, save in a preferred election, which asks the first replica first.

`LeadershipRules` gathers what an image and the controller's settings say about all that, worked out once for each
topic and broker, so that an event that touches thousands of partitions asks only once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from riacho.metadata.broker_values import BrokerValues
from riacho.metadata.config_resource import ResourceType
from riacho.metadata.configs import TOPIC_KEYS
from riacho.metadata.features import ELR_VERSION
from riacho.metadata.image import MetadataImage
from riacho.metadata.records import MetadataRecord
from riacho.metadata.topics import NO_LEADER, Topic

MIN_ISR = "min.insync.replicas"
UNCLEAN_ELECTION = "unclean.leader.election.enable"


class Election(Enum):
    # The first replica, if it may; else as ONLINE.
    PREFERRED = 0
    # Keep the leader, else the first of ISR or ELR.
    ONLINE = 1
    # As ONLINE, but any replica before none.
    UNCLEAN = 2


class Elected(NamedTuple):
    leader: int
    is_unclean: bool = False


class Candidates(NamedTuple):
    """What an election looks at: the partition as it is about to become, and who led it last."""

    leader: int
    replicas: Sequence[int]
    isr: Sequence[int]
    eligible: Sequence[int]
    # Who led when the ISR became empty; empty unless known (KIP-966 keeps it in LastKnownElr, alone).
    last_known_leader: Sequence[int]


def elect(election: Election, among: Candidates, may_lead: Callable[[int], bool]) -> Elected:
    clean = among.isr or among.eligible
    asked: Sequence[int] = (among.leader, *among.replicas)
    if election is Election.PREFERRED:
        asked = (among.replicas[0], *asked)
    for replica in asked:
        if replica in clean and may_lead(replica):
            return Elected(replica)
    if not clean and len(among.last_known_leader) == 1 and may_lead(among.last_known_leader[0]):
        return Elected(among.last_known_leader[0], is_unclean=True)
    if election is Election.UNCLEAN:
        for replica in among.replicas:
            if may_lead(replica):
                return Elected(replica, is_unclean=True)
    return Elected(NO_LEADER)


class LeadershipRules:
    """What holds for elections under one image."""

    def __init__(self, image: MetadataImage, values: BrokerValues) -> None:
        self.image = image
        self.is_elr_enabled = image.features.get(ELR_VERSION, 0) >= 1
        self._values = values
        self._min_isr: dict[str, int] = {}
        self._election: dict[str, Election] = {}

    def after(self, records: Sequence[MetadataRecord]) -> LeadershipRules:
        """The rules under the image that these records make: for a decision of several steps."""
        return LeadershipRules(self.image.apply(records), self._values) if records else self

    def min_isr(self, topic: Topic) -> int:
        """In-sync replicas that acks=all needs in this topic, as configured."""
        found = self._min_isr.get(topic.name)
        if found is None:
            text = self.image.overrides(ResourceType.TOPIC, topic.name).get(MIN_ISR)
            value = self._values.integer(MIN_ISR) if text is None else TOPIC_KEYS[MIN_ISR].parse(text)
            assert isinstance(value, int), MIN_ISR
            found = self._min_isr[topic.name] = value
        return found

    def election(self, topic: Topic) -> Election:
        """UNCLEAN where the topic, or else the broker settings, allow it."""
        found = self._election.get(topic.name)
        if found is None:
            text = self.image.overrides(ResourceType.TOPIC, topic.name).get(UNCLEAN_ELECTION)
            allowed = self._values.flag(UNCLEAN_ELECTION) if text is None else TOPIC_KEYS[UNCLEAN_ELECTION].parse(text)
            found = self._election[topic.name] = Election.UNCLEAN if allowed else Election.ONLINE
        return found
