"""Names that are asked for beside who types: never waited for, asked once at a time, and safe to show."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable

import pytest

from riacho.cli.shell.cluster_addresses import ClusterAddresses
from riacho.cli.shell.completion.live_names import NAMES_MAX, LiveNames, clean
from riacho.cli.shell.completion.offers import NameKind, Offer
from riacho.testing import KafkaCluster
from unit.cli.shell.completion.known_names import ADDRESSES, ANSWER_S

TOPIC = NameKind.TOPIC


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class Slow:
    """Questions that are answered when the test says so."""

    kinds = frozenset({TOPIC, NameKind.PARTITION})

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.found: list[Offer] | Exception = []
        self.begun = threading.Semaphore(0)
        self.may_answer = threading.Semaphore(0)
        self.is_ended = threading.Event()

    def ask(self, kind: NameKind, of: str) -> Iterable[Offer]:
        self.asked.append(of)
        self.begun.release()
        assert self.may_answer.acquire(timeout=ANSWER_S)
        if isinstance(self.found, Exception):
            raise self.found
        return self.found

    def end(self) -> None:
        self.is_ended.set()


def _texts(names: LiveNames) -> list[str]:
    return [offer.text for offer in names.names(TOPIC)]


def test_known_names_are_given_while_newer_ones_are_asked_for() -> None:
    slow, clock = Slow(), Clock()
    names = LiveNames(ADDRESSES, clock=clock, questions=lambda cluster: [slow])
    assert _texts(names) == []
    assert not names.is_answered(TOPIC)
    assert slow.begun.acquire(timeout=ANSWER_S)
    # One question at a time, however often they are wanted meanwhile.
    assert _texts(names) == _texts(names) == []
    slow.found = [Offer("first")]
    slow.may_answer.release()
    assert names.wait(TOPIC, "", ANSWER_S)
    assert _texts(names) == ["first"]
    clock.now_s += 1.9
    assert _texts(names) == ["first"]
    assert slow.asked == [""]
    clock.now_s += 0.2
    assert _texts(names) == ["first"]
    assert slow.begun.acquire(timeout=ANSWER_S)
    assert slow.asked == ["", ""]
    slow.may_answer.release()
    names.close()


def test_after_a_command_the_next_answer_is_awaited() -> None:
    slow, clock = Slow(), Clock()
    names = LiveNames(ADDRESSES, clock=clock, questions=lambda cluster: [slow])
    for found in (["first"], ["first", "made since"], []):
        slow.found = [Offer(text) for text in found]
        names.names(TOPIC)
        assert not names.is_answered(TOPIC)
        slow.may_answer.release()
        assert names.wait(TOPIC, "", ANSWER_S)
        assert _texts(names) == found
        names.renew()
    # Where there were none, who wants them waits for the next answer without a command, too.
    names.names(TOPIC)
    slow.may_answer.release()
    assert names.wait(TOPIC, "", ANSWER_S)
    clock.now_s += 3
    slow.found = [Offer("made elsewhere")]
    assert _texts(names) == []
    assert not names.is_answered(TOPIC)
    slow.may_answer.release()
    assert names.wait(TOPIC, "", ANSWER_S)
    assert _texts(names) == ["made elsewhere"]
    names.close()


def test_what_does_not_answer_is_asked_again_later_and_its_names_are_kept() -> None:
    slow, clock = Slow(), Clock()
    names = LiveNames(ADDRESSES, clock=clock, questions=lambda cluster: [slow])
    for found in ([Offer("known")], RuntimeError("no answer")):
        slow.found = found
        clock.now_s += 10
        asked = len(slow.asked)
        names.names(TOPIC)
        slow.may_answer.release()
        deadline = time.monotonic() + ANSWER_S
        while names._known._known[TOPIC, ""].is_asking and time.monotonic() < deadline:
            threading.Event().wait(0.001)
        assert len(slow.asked) == asked + 1
    assert _texts(names) == ["known"]
    clock.now_s += 4.9
    assert _texts(names) == ["known"]
    assert len(slow.asked) == 2
    names.close()


def test_another_clusters_names_are_its_own_and_late_answers_are_lost() -> None:
    asked: dict[str, Slow] = {"one": Slow(), "two": Slow()}
    names = LiveNames(ClusterAddresses(name="one", bootstrap="a:1"), questions=lambda cluster: [asked[cluster.name]])
    asked["one"].found, asked["two"].found = [Offer("of one")], [Offer("of two")]
    names.names(TOPIC)
    assert asked["one"].begun.acquire(timeout=ANSWER_S)
    names.switch(ClusterAddresses(name="two", bootstrap="b:1"))
    assert asked["one"].is_ended.is_set()
    asked["one"].may_answer.release()
    assert _texts(names) == []
    asked["two"].may_answer.release()
    assert names.wait(TOPIC, "", ANSWER_S)
    assert _texts(names) == ["of two"]
    names.close()
    assert asked["two"].is_ended.is_set()
    assert names.names(TOPIC) == ()


def test_what_nobody_can_be_asked_for_is_nothing_and_known_to_be() -> None:
    names = LiveNames(ADDRESSES)
    assert names.names(NameKind.STREAM) == ()
    assert names.is_answered(NameKind.STREAM)


def test_keys_are_bounded_and_the_oldest_goes() -> None:
    slow = Slow()
    names = LiveNames(ADDRESSES, questions=lambda cluster: [slow])
    for number in range(300):
        slow.may_answer.release()
        names.names(NameKind.PARTITION, f"topic-{number}")
        if number < 250:
            assert names.wait(NameKind.PARTITION, f"topic-{number}", ANSWER_S)
    assert len(names._known._known) <= 200
    names.close()


def test_names_are_sorted_bounded_and_fit_for_a_terminal() -> None:
    odd = ["with blank", "ç", "__internal", "$(rm)", "back`tick", "'"]
    bad = ["\x1b[31mred", "bell\x07", "new\nline", "tab\t", "\u202eright to left", "\x9bcsi", "", "x" * 301, "--yes"]
    found = clean([Offer(text, "about \x1b]0;title\x07") for text in (*odd, *bad, "ç")])
    assert [offer.text for offer in found] == ["$(rm)", "'", "back`tick", "with blank", "ç", "__internal"]
    assert {offer.about for offer in found} == {"about ?]0;title?"}
    assert len(clean([Offer(str(number)) for number in range(NAMES_MAX + 5)])) == NAMES_MAX


@pytest.mark.parametrize("bootstrap", ["127.0.0.1:1", "not an address:x", ""])
def test_a_dead_cluster_is_silent_and_keeps_nobody(bootstrap: str, capfd: pytest.CaptureFixture[str]) -> None:
    address = "http://127.0.0.1:1"
    names = LiveNames(
        ClusterAddresses(
            name="dead", bootstrap=bootstrap, schema_registry_url=address, connect_url=address, ksql_url=address
        )
    )
    started = time.perf_counter()
    kinds = [TOPIC, NameKind.SUBJECT, NameKind.CONNECTOR, NameKind.STREAM]
    assert [names.names(kind) for kind in kinds] == [(), (), (), ()]
    assert time.perf_counter() - started < 0.5
    for kind in kinds:
        assert names.wait(kind, "", ANSWER_S)
        assert names.names(kind) == ()
    names.close()
    assert capfd.readouterr() == ("", "")


def test_a_broker_is_asked(kafka_cluster: KafkaCluster) -> None:
    from riacho.client.cluster import Cluster
    from riacho.client.groups import commit_offsets
    from riacho.client.scram_users import Password, alter_scram_user
    from riacho.client.settings import client_settings

    kafka_cluster.create_topic("orders", partitions=3)
    kafka_cluster.create_topic("books")
    with Cluster(client_settings(kafka_cluster.bootstrap_servers, {})) as cluster:
        commit_offsets(cluster, "billing", {("orders", 0): 0})
        commit_offsets(cluster, "evil\x1b[2J", {("orders", 0): 0})
        alter_scram_user(cluster, "ana", {"SCRAM-SHA-256": Password("secret")}, ())
    names = LiveNames(ClusterAddresses(name="here", bootstrap=kafka_cluster.bootstrap_servers))

    def asked(kind: NameKind, of: str = "") -> list[tuple[str, str]]:
        names.names(kind, of)
        assert names.wait(kind, of, ANSWER_S)
        return [tuple(offer) for offer in names.names(kind, of)]

    assert [each for each in asked(TOPIC) if not each[0].startswith("_")] == [
        ("books", "1 partition"),
        ("orders", "3 partitions"),
    ]
    assert [text for text, _ in asked(NameKind.PARTITION, "orders")] == ["0", "1", "2"]
    assert asked(NameKind.PARTITION, "none") == []
    assert asked(NameKind.GROUP) == asked(NameKind.CONSUMER_GROUP) == [("billing", "Classic, Empty")]
    assert asked(NameKind.SHARE_GROUP) == []
    assert asked(NameKind.USER) == [("ana", "SCRAM-SHA-256")]
    assert asked(NameKind.BROKER)[0][1] == kafka_cluster.bootstrap_servers
    assert asked(NameKind.TRANSACTIONAL_ID) == asked(NameKind.SUBSCRIPTION) == []
    names.close()
