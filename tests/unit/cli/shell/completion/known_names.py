"""Names that a test knows, in place of a cluster's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from prompt_toolkit.completion import CompleteEvent, Completion
from prompt_toolkit.document import Document

from riacho.cli.shell.cluster_addresses import ClusterAddresses
from riacho.cli.shell.completion.completer import ShellCompleter
from riacho.cli.shell.completion.live_names import LiveNames
from riacho.cli.shell.completion.offers import NameKind, Offer

ADDRESSES = ClusterAddresses(name="test", bootstrap="127.0.0.1:1")
ANSWER_S = 30.0
SOME = {
    (NameKind.TOPIC, ""): ("orders", "others", "books", "__consumer_offsets"),
    (NameKind.PARTITION, "orders"): ("0", "1", "2"),
    (NameKind.GROUP, ""): ("billing", "shipping", "shared"),
    (NameKind.CONSUMER_GROUP, ""): ("billing", "shipping", "a group of $(two)"),
    (NameKind.SHARE_GROUP, ""): ("shared",),
    (NameKind.BROKER, ""): ("1", "2", "3"),
    (NameKind.USER, ""): ("ana", "bruno"),
    (NameKind.TRANSACTIONAL_ID, ""): ("tx-1",),
    (NameKind.SUBSCRIPTION, ""): ("lags",),
    (NameKind.SUBJECT, ""): ("orders-key", "orders-value"),
    (NameKind.CONNECTOR, ""): ("archive", "mirror"),
    (NameKind.STREAM, ""): ("ORDERS", "`mixed Case`"),
    (NameKind.TABLE, ""): ("BALANCES",),
    (NameKind.QUERY, ""): ("CTAS_BALANCES_1",),
    (NameKind.COLUMN, "ORDERS"): ("ID", "AMOUNT"),
    (NameKind.COLUMN, "BALANCES"): ("ACCOUNT", "BALANCE"),
}


class Told:
    """Questions that are answered at once; `asked` has them."""

    kinds = frozenset(NameKind)

    def __init__(self, known: Mapping[tuple[NameKind, str], Sequence[str]]) -> None:
        self.known = known
        self.asked: list[tuple[NameKind, str]] = []

    def ask(self, kind: NameKind, of: str) -> Iterable[Offer]:
        self.asked.append((kind, of))
        return [Offer(text, f"a {kind.name.lower()}") for text in self.known.get((kind, of), ())]

    def end(self) -> None:
        pass


class Typist:
    """Types a line into a completer that has heard whatever it needs."""

    def __init__(self, known: Mapping[tuple[NameKind, str], Sequence[str]] = SOME) -> None:
        self.is_fuzzy = False
        self.is_in_sql = False
        self.names = LiveNames(ADDRESSES, questions=lambda cluster: [Told(known)])
        for kind, of in known:
            self.names.names(kind, of)
            assert self.names.wait(kind, of, ANSWER_S)
        self._completer = ShellCompleter(
            self.names,
            is_fuzzy=lambda: self.is_fuzzy,
            is_in_sql=lambda: self.is_in_sql,
            clusters=lambda: ("here", "there"),
        )

    def completions(self, line: str) -> list[Completion]:
        return list(self._completer.get_completions(Document(line), CompleteEvent(completion_requested=True)))

    def offered(self, line: str) -> list[str]:
        """What the menu shows."""
        return [each.display_text for each in self.completions(line)]

    def lines(self, line: str) -> list[str]:
        """The line as each offer would make it."""
        return [line[: len(line) + each.start_position] + each.text for each in self.completions(line)]
