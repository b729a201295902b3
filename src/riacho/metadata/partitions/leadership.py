"""Who leads a partition: which replicas may, in which order they are asked, and what an election risks.

Theory of operation. A replica may lead when its broker is active and its log directory is online. Of those:
- one in the ISR has every record that was acknowledged with acks=all;
- when the ISR is empty, one of the eligible leader replicas (ELR, KIP-966) has it too: it left the ISR after the ISR
  fell below min.insync.replicas, so nothing was acknowledged without it, and it did not crash since;
- when ISR and ELR are both empty, for all of them crashed, they are kept as the last known ELR. Once all of these are
  back and have reported where their logs end, the replica with the most leads: by the epoch of its last record, then by
  its end. Its election counts as unclean, for each of them may have lost something. One copy that lost nothing wins;
- any other replica may have lost records, and leads only where unclean.leader.election.enable allows it.
A leader that may stay stays, save in a preferred election, which asks the first replica first. Where log ends are known
the one with the most goes first, also among those that may lead in any case.

`LeadershipRules` gathers what an image and the controller's settings say about all that, worked out once for each
topic and broker, so that an event that touches thousands of partitions asks only once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.image.features import ELR_VERSION
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.topics import NO_LEADER, Topic
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.metadata.settings.configs import TOPIC_KEYS

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


class LogEnd(NamedTuple):
    """How much a replica has; of two logs the greater one has all of the other that was committed."""

    leader_epoch: int
    end_offset: int


_NOTHING = LogEnd(-1, -1)


class Candidates(NamedTuple):
    """What an election looks at: the partition as it is about to become, and who was in sync before all crashed."""

    leader: int
    replicas: Sequence[int]
    isr: Sequence[int]
    eligible: Sequence[int]
    last_known: Sequence[int] = ()
    log_ends: Mapping[int, LogEnd] = {}

    def best(self, able: Sequence[int]) -> int:
        """The first of those that have the most."""
        return max(able, key=lambda replica: self.log_ends.get(replica, _NOTHING))


def elect(election: Election, among: Candidates, may_lead: Callable[[int], bool]) -> Elected:
    clean = among.isr or among.eligible
    asked: Sequence[int] = (among.leader, *among.replicas)
    if election is Election.PREFERRED:
        asked = (among.replicas[0], *asked)
    able = [replica for replica in asked if replica in clean and may_lead(replica)]
    if able:
        return Elected(among.best(able))
    able = [replica for replica in among.replicas if may_lead(replica)]
    if able and not clean and among.last_known and set(among.last_known) <= set(_comparable(among, able)):
        return Elected(among.best(_comparable(among, able)), is_unclean=True)
    if able and election is Election.UNCLEAN:
        return Elected(among.best(able), is_unclean=True)
    return Elected(NO_LEADER)


def _comparable(among: Candidates, able: Sequence[int]) -> Sequence[int]:
    """A replica that has no other need not be compared."""
    return able if len(among.replicas) == 1 else [replica for replica in able if replica in among.log_ends]


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
