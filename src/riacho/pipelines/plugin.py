"""What a connector is to the rest: the API for those that come with Riacho and for anybody else's.

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
    """Why a connector cannot start or go on, in one sentence. It becomes the trace of its status."""


class RetriableError(ConnectError):
    """A failure that may pass by itself: tried again as `errors.retry.timeout` says."""


@dataclass(frozen=True, slots=True)
class SourceOffset:
    """How far a source has read: Connect's pair of maps, e.g. {"filename": "a.txt"} and {"position": 120}."""

    partition: Mapping[str, Any]
    offset: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Context:
    """What a connector is told beside its own settings."""

    name: str
    """The connector's name."""
    configs: Mapping[str, str]
    """All of its config as text, secrets filled in."""
    bootstrap_servers: str
    client_settings: Mapping[str, str] = field(default_factory=dict)
    """`kafka.*`-style client settings (security and the like) without the prefix, Java names."""
    tasks_max: int = 1
    scratch: str = ""
    """A directory of this connector's own that outlives restarts, beside its checkpoint."""
    limits: Limits = field(default_factory=Limits)
    """What it may reach: held against settings that say `outside` before it starts."""


class Connector:
    """`CLASS` is the name that configs give; `ALIASES` others that mean the same (Kafka's own, short ones)."""

    CLASS: ClassVar[str]
    ALIASES: ClassVar[tuple[str, ...]] = ()
    VERSION: ClassVar[str] = PLUGIN_VERSION
    DOC: ClassVar[str] = ""
    CONFIG: ClassVar[ConfigDef] = ConfigDef()
    CLIENT_PREFIXES: ClassVar[tuple[str, ...]] = ()
    """Prefixes, in lower case, of settings that are handed to a Kafka client: only keys that are allowed there pass."""

    def __init__(self, settings: Mapping[str, Value], context: Context) -> None:
        self.settings = settings
        self.context = context

    @classmethod
    def check(cls, configs: Mapping[str, str]) -> list[ConfigValue]:
        """What is wrong with a config, by setting. Override for rules that span settings; no I/O here."""
        return cls.CONFIG.check(configs)

    @classmethod
    def reach(cls, configs: Mapping[str, str], limits: Limits) -> Iterable[tuple[str, str]]:
        """(setting, why it is refused), for what `outside` of single settings cannot say. Looks at links at most."""
        return ()

    def prepare(self) -> None:
        """Called before the query starts: reach the database, look at the directory. ConnectError in one sentence."""

    def close(self) -> None:
        """Called when the query has ended."""


class SourceConnector(Connector, ABC):
    @abstractmethod
    def open(self, spark: SparkSession, offsets: Sequence[SourceOffset] | None) -> DataFrame:
        """A streaming frame with any of records.COLUMNS, at least `topic` and `value`; key and value typed.

        `offsets` is where to go on when there is no checkpoint yet (None: from the connector's own beginning). They may
        be those of a connector of this name that was deleted: offsets stay, as in Kafka.
        """

    @classmethod
    def alter_offsets(cls, configs: Mapping[str, str], offsets: Sequence[SourceOffset]) -> None:
        """Called when somebody moves offsets by hand (KIP-875): ConnectError in one sentence for what `open` could not
        begin from. A null offset takes one away, and may always."""

    def shape(self, batch: DataFrame) -> DataFrame:
        """One micro-batch of `open`'s frame, typed: for sources whose fields change while the query runs.

        The schema of a running streaming query is fixed; the one of each batch is not. So such a source reads its rows
        in an encoded form and gives them their fields here.
        """
        return batch

    def source_offsets(self, end: Mapping[str, Any]) -> list[SourceOffset]:
        """Connect's form of the `endOffset` that Spark reports for the streaming source after a batch."""
        return [SourceOffset({"source": type(self).__name__}, dict(end))]


@dataclass(frozen=True, slots=True)
class Rejected:
    """One record that the system behind a sink would not take, while it took others.

    `topic` is where it came from: of the batch's columns `raw_topic`, as transforms may have changed `topic`.
    """

    topic: str
    partition: int
    offset: int
    message: str


class SinkConnector(Connector, ABC):
    @abstractmethod
    def put(self, batch: DataFrame, batch_id: int) -> Sequence[Rejected]:
        """Deliver one micro-batch of good records; the records refused one by one, mostly none.

        Called again with the same id and rows after a failure. Exactly once is the sink's to give: whatever it wrote
        for this id before must not count twice. What concerns the whole batch is raised as ConnectError.
        """
