"""What a connector is to the rest: the API for those that come with Riacho and for anybody else's.

    from riacho.connect import ConfigDef, ConfigType, Definition, SourceConnector

    class CounterSource(SourceConnector):
        CLASS = "com.example.CounterSource"
        CONFIG = ConfigDef(Definition("topic", ConfigType.STRING, required=True))

        def open(self, spark, offsets):
            numbers = spark.readStream.format("rate").load()
            return numbers.selectExpr("'numbers' AS topic", "value AS value")

A connector is made in the process that drives Spark, once each time it starts. Everything it says about itself without
being started (`CLASS`, `CONFIG`, `check`) must need no Spark session, since Connect validates configs without one:
modules of connectors import pyspark inside the methods that use it, or for type checking only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from riacho.base.config import Value
from riacho.pipelines.config_def import ConfigDef, ConfigValue
from riacho.pipelines.reach.limits import Limits

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PLUGIN_VERSION = "0.1.0"


class ConnectError(Exception):
    """A connector raises this when it cannot start or go on. Its one sentence becomes the trace of the status."""


class RetriableError(ConnectError):
    """A connector raises this for a failure that may pass. It is tried again as `errors.retry.timeout` says."""


@dataclass(frozen=True, slots=True)
class SourceOffset:
    """A source offset says how far a source has read, as Connect's two maps: `{"filename": "a.txt"}` and
    `{"position": 120}`."""

    partition: Mapping[str, Any]
    offset: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Context:
    """The context tells a connector what it needs beside its own settings."""

    name: str
    """The connector's name."""
    configs: Mapping[str, str]
    """All of its config as text, secrets filled in."""
    bootstrap_servers: str
    """The brokers, as `host:port` with commas between."""
    client_settings: Mapping[str, str] = field(default_factory=dict)
    """`kafka.*`-style client settings (security and the like) without the prefix, Java names."""
    tasks_max: int = 1
    """How many tasks may work at once."""
    scratch: str = ""
    """A directory of this connector's own that outlives restarts, beside its checkpoint."""
    limits: Limits = field(default_factory=Limits)
    """What it may reach: held against settings that say `outside` before it starts."""


class Connector:
    """What source and sink connectors share. Derive from SourceConnector or SinkConnector, never from this."""

    CLASS: ClassVar[str]
    """The name that configs give as `connector.class`."""
    ALIASES: ClassVar[tuple[str, ...]] = ()
    """Other names of the same, such as Kafka's own and short ones."""
    VERSION: ClassVar[str] = PLUGIN_VERSION
    """The version that lists of plugins show."""
    DOC: ClassVar[str] = ""
    """One sentence about it, for lists of plugins."""
    CONFIG: ClassVar[ConfigDef] = ConfigDef()
    """The definitions of its settings."""
    CLIENT_PREFIXES: ClassVar[tuple[str, ...]] = ()
    """Prefixes, in lower case, of settings that are handed to a Kafka client: only keys that are allowed there pass."""

    settings: Mapping[str, Value]
    """The typed values of its settings, by name."""
    context: Context
    """What the worker tells it beside its settings."""

    def __init__(self, settings: Mapping[str, Value], context: Context) -> None:
        self.settings = settings
        self.context = context

    @classmethod
    def check(cls, configs: Mapping[str, str]) -> list[ConfigValue]:
        """Return each setting with what is wrong with it. Override it for rules that span settings; do no I/O here."""
        return cls.CONFIG.check(configs)

    @classmethod
    def reach(cls, configs: Mapping[str, str], limits: Limits) -> Iterable[tuple[str, str]]:
        """Return (setting, why it is refused) for what a config would reach and may not, beyond what `outside` of
        single settings says. It may look at links, and at nothing else."""
        return ()

    def prepare(self) -> None:
        """Get ready before the query starts: reach the database, look at the directory. Raise ConnectError if that
        fails."""

    def close(self) -> None:
        """Let go of connections and files. The worker calls it when the query has ended."""


class SourceConnector(Connector, ABC):
    """A source connector brings records of another system into topics. Its `open` returns a streaming frame."""

    @abstractmethod
    def open(self, spark: SparkSession, offsets: Sequence[SourceOffset] | None) -> DataFrame:
        """Return a streaming frame of records.

        It has the columns `topic` and `value`, and may have `key`, `headers`, `timestamp` and `partition`. `offsets` is
        where to go on when there is no checkpoint yet (None: from the connector's own beginning). They may be those of
        a connector of this name that was deleted: offsets stay, as in Kafka.
        """

    @classmethod
    def alter_offsets(cls, configs: Mapping[str, str], offsets: Sequence[SourceOffset]) -> None:
        """Check offsets that somebody sets by hand (KIP-875). Raise ConnectError for those that `open` could not begin
        from; an offset that is None deletes the stored one, and is always allowed."""

    def shape(self, batch: DataFrame) -> DataFrame:
        """Return one micro-batch of `open`'s frame with its types, for sources whose fields change while a query runs.

        The schema of a running streaming query is fixed; the one of each batch is not. So such a source reads its rows
        in an encoded form and gives them their fields here.
        """
        return batch

    def source_offsets(self, end: Mapping[str, Any]) -> list[SourceOffset]:
        """Return Connect's form of the `endOffset` that Spark reports for the streaming source after a batch."""
        return [SourceOffset({"source": type(self).__name__}, dict(end))]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A sink returns this for each record that the other system refused, while it took others.

    `topic` is the one that the record was read from: the batch's column `raw_topic`, as transforms may have changed
    `topic`. `message` says why it was refused.
    """

    topic: str
    partition: int
    offset: int
    message: str


class SinkConnector(Connector, ABC):
    """A sink connector brings records of topics into another system. The worker calls `put` with each micro-batch."""

    @abstractmethod
    def put(self, batch: DataFrame, batch_id: int) -> Sequence[Rejected]:
        """Deliver one micro-batch of records, and return those that were refused, mostly none.

        The worker calls it again with the same id and rows after a failure. A sink that delivers each record once sees
        to it that what it wrote for this id before does not count twice. Raise ConnectError for what concerns the whole
        batch. The batch has `topic`, `partition`, `offset`, `timestamp`, `key`, `value`, `headers` and `raw_topic`.
        """
