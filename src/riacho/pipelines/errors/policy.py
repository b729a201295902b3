"""How a connector takes failures: `errors.*` of its config, with Kafka's names and defaults.

`none` stops the connector at the first bad record, before anything of its micro-batch is delivered. `all` goes on
without the bad ones; a sink connector may then name a topic for them (the dead letter queue). Retries are for failures
that may pass by themselves (a broker away, a database that restarts), never for bad records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from riacho.base.backoff import Backoff
from riacho.base.config import at_least, one_of_any_case
from riacho.pipelines.config_def import ConfigDef, ConfigType, ConfigValue, Definition, Importance

GROUP = "Error Handling"
TOLERANCE = "errors.tolerance"
RETRY_TIMEOUT = "errors.retry.timeout"
RETRY_DELAY_MAX = "errors.retry.delay.max.ms"
LOG_ENABLE = "errors.log.enable"
LOG_MESSAGES = "errors.log.include.messages"
DLQ_TOPIC = "errors.deadletterqueue.topic.name"
DLQ_REPLICATION = "errors.deadletterqueue.topic.replication.factor"
DLQ_HEADERS = "errors.deadletterqueue.context.headers.enable"

# Kafka's first wait between two tries; it doubles up to the maximum.
FIRST_DELAY_MS = 300

CONFIG = ConfigDef(
    Definition(
        RETRY_TIMEOUT,
        ConfigType.LONG,
        "0",
        "How long in milliseconds a failed operation is tried again; 0 is not at all, -1 without end.",
        group=GROUP,
        order=1,
        valid=at_least(-1),
    ),
    Definition(
        RETRY_DELAY_MAX,
        ConfigType.LONG,
        "60000",
        "The longest wait in milliseconds between two tries.",
        group=GROUP,
        order=2,
        valid=at_least(1),
    ),
    Definition(
        TOLERANCE,
        ConfigType.STRING,
        "none",
        "What bad records do: with 'none' the first stops the connector, with 'all' they are left out.",
        group=GROUP,
        order=3,
        valid=one_of_any_case("none", "all"),
        recommended=("none", "all"),
    ),
    Definition(
        LOG_ENABLE,
        ConfigType.BOOLEAN,
        "false",
        "Whether each tolerated error is written to the log.",
        group=GROUP,
        order=4,
    ),
    Definition(
        LOG_MESSAGES,
        ConfigType.BOOLEAN,
        "false",
        "Whether the log also tells which record it was: its topic, partition, offset and timestamp.",
        group=GROUP,
        order=5,
    ),
)

SINK_CONFIG = CONFIG + ConfigDef(
    Definition(
        DLQ_TOPIC,
        ConfigType.STRING,
        "",
        "The topic that takes the bad records of a sink connector; none where it is empty.",
        group=GROUP,
        order=6,
    ),
    Definition(
        DLQ_REPLICATION,
        ConfigType.SHORT,
        "3",
        "The replication factor with which that topic is created where it is missing.",
        group=GROUP,
        order=7,
    ),
    Definition(
        DLQ_HEADERS,
        ConfigType.BOOLEAN,
        "false",
        "Whether dead letters carry __connect.errors.* headers that say what went wrong.",
        group=GROUP,
        order=8,
        importance=Importance.MEDIUM,
    ),
)


@dataclass(frozen=True, slots=True)
class ErrorPolicy:
    tolerate: bool = False
    retry_timeout_ms: int = 0
    retry_delay_ms_max: int = 60_000
    log: bool = False
    log_messages: bool = False
    dead_letter_topic: str | None = None
    dead_letter_replication_factor: int = 3
    dead_letter_headers: bool = False

    @classmethod
    def from_configs(cls, configs: Mapping[str, str], is_sink: bool) -> ErrorPolicy:
        """ConfigError in one sentence where a value cannot be used."""
        given = (SINK_CONFIG if is_sink else CONFIG).parse(configs)
        tolerate = str(given[TOLERANCE]).lower() == "all"
        # With `none` the connector stops at the first bad record, so no letter is ever written: as in Kafka.
        topic = str(given.get(DLQ_TOPIC) or "") if tolerate else ""
        return cls(
            tolerate=tolerate,
            retry_timeout_ms=_number(given[RETRY_TIMEOUT]),
            retry_delay_ms_max=_number(given[RETRY_DELAY_MAX]),
            log=given[LOG_ENABLE] is True,
            log_messages=given[LOG_MESSAGES] is True,
            dead_letter_topic=topic or None,
            dead_letter_replication_factor=_number(given.get(DLQ_REPLICATION, 3)),
            dead_letter_headers=given.get(DLQ_HEADERS) is True,
        )

    def delays_ms(self) -> Iterator[int]:
        """The waits between tries: doubling from 300 ms to the maximum, until the timeout is used up."""
        waited = 0
        for pause in Backoff(FIRST_DELAY_MS, self.retry_delay_ms_max).pauses_ms():
            left = self.retry_timeout_ms - waited
            if self.retry_timeout_ms < 0:
                yield pause
            elif left > 0:
                yield min(pause, left)
            else:
                return
            waited += pause


def check(configs: Mapping[str, str], is_sink: bool) -> list[ConfigValue]:
    """What is wrong with the `errors.*` of a config, by setting: for validate."""
    answers = (SINK_CONFIG if is_sink else CONFIG).check(configs)
    topic = configs.get(DLQ_TOPIC, "").strip()
    consumed = {name.strip() for name in configs.get("topics", "").split(",")}
    if not is_sink or not topic or topic not in consumed:
        return answers
    sentence = f"The dead letter queue topic {topic} may not be among the topics that the connector consumes."
    return [
        ConfigValue(each.definition, each.value, (*each.errors, sentence))
        if each.definition.name == DLQ_TOPIC
        else each
        for each in answers
    ]


def _number(value: object) -> int:
    assert isinstance(value, int), value
    return value
