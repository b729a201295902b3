"""What went wrong, in one sentence: dug out of the layers that Spark wraps around it.

A failure in a Python worker reaches the driver as the text of a traceback inside a Java exception inside another; one
of a foreachBatch function comes back as a py4j error inside a StreamingQueryException. The sentence that says what
happened is the last line of the innermost Python traceback (`module.SomeError: sentence`), else the message of the
innermost `Caused by`, else the first line of what there is. Secrets that the connector was given are masked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from riacho.pipelines.spark.checkpoint_failures import checkpoint_failure

MASK = "[hidden]"
_CHECKPOINT = "CheckpointError"
# It was not there in time, or was and did not say its secret in time.
_LATE_WORKER = re.compile(r"Python worker (?:to|failed to) connect back")
# Masking two letters would garble every text that has them.
_SECRET_LENGTH_MIN = 4
_DETAIL_CHARS_MAX = 16_000
_PYTHON_ERROR = re.compile(r"^(?:[A-Za-z_][\w.]*\.)?([A-Za-z_]\w*(?:Error|Exception|Timeout|Interrupt|Failure)): (.*)$")
_CAUSED_BY = re.compile(r"^Caused by: (?:[\w$]+\.)*([\w$]+): (.*)$")
_JAVA_ERROR = re.compile(r"^(?:[\w$]+\.)+([\w$]*(?:Exception|Error)): (.*)$")
_FRAME = re.compile(r"\s+at [\w.$]+")
_SPARK_WRAPPER = re.compile(r"^\[(?:STREAM_FAILED|FOREACH_BATCH_USER_FUNCTION_ERROR|PYTHON_[A-Z_.]+|UDF_[A-Z_.]+)\]")
# Errors that speak for themselves: the class name before the sentence adds nothing for a user.
_OWN = frozenset(
    {
        "ConnectError",
        "RetriableError",
        "ConfigError",
        "BadRecord",
        "KafkaException",
        "SourceError",
        "LossError",
        "SinkError",
        "RetriableSinkError",
        "RegistryError",
        "FormatError",
        "KsqlError",
        _CHECKPOINT,
    }
)
_WRAPPERS = frozenset(
    {"StreamingQueryException", "Py4JException", "Py4JJavaError", "PythonException", "SparkException"}
)
# Failures that may pass by themselves.
_RETRIABLE = frozenset(
    {
        "RetriableError",
        "RetriableSinkError",
        "RetriableException",
        "ConnectionError",
        "ConnectionRefusedError",
        "ConnectionResetError",
        "BrokenPipeError",
        "TimeoutError",
        "OperationalError",
        "InterfaceError",
        "URLError",
    }
)
_RETRIABLE_TEXT = re.compile(
    r"_TRANSPORT|_ALL_BROKERS_DOWN|_TIMED_OUT|REQUEST_TIMED_OUT|NOT_ENOUGH_REPLICAS|_MSG_TIMED"
)


@dataclass(frozen=True, slots=True)
class Failure:
    """`class_name` is the simple name of the innermost error, `sentence` what it says, `detail` all of it."""

    class_name: str
    sentence: str
    detail: str

    @property
    def is_retriable(self) -> bool:
        return self.class_name in _RETRIABLE or _RETRIABLE_TEXT.search(self.sentence) is not None

    @property
    def trace(self) -> str:
        """For a connector's status: the sentence; of an error that is not ours also its layers, to look deeper."""
        if self.class_name in _OWN or self.detail == f"{self.class_name}: {self.sentence}":
            return self.sentence
        return f"{self.sentence}\n{self.detail}"


def failure(error: BaseException, secrets: Iterable[str] = ()) -> Failure:
    """The innermost error of a chain of Python exceptions, of which some carry Java's and workers' texts."""
    texts = [_text(each) for each in _chain(error)]
    class_name, sentence = _innermost(texts, error)
    detail = "\n".join(texts)[:_DETAIL_CHARS_MAX]
    return Failure(class_name, masked(_one_line(sentence), secrets), masked(detail, secrets))


def is_late_worker(error: BaseException) -> bool:
    """Whether Spark gave up on a Python process that it had started: nothing is wrong but that the machine is busy."""
    return any(tells_of_late_worker(_text(each)) for each in _chain(error))


def tells_of_late_worker(text: str) -> bool:
    return _LATE_WORKER.search(text) is not None


def masked(text: str, secrets: Iterable[str]) -> str:
    # Longest first: one secret may be part of another.
    for secret in sorted({each for each in secrets if len(each) >= _SECRET_LENGTH_MIN}, key=len, reverse=True):
        text = text.replace(secret, MASK)
    return text


def _chain(error: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return chain


def _text(error: BaseException) -> str:
    """The error with its class; for one that came from the JVM also the JVM's stack, where workers' errors are."""
    stack = ""
    for attribute in ("_stackTrace", "_stacktrace"):
        stack = stack or str(getattr(error, attribute, None) or "")
    own = f"{type(error).__name__}: {error}"
    return f"{own}\n{stack}" if stack else own


def _innermost(texts: list[str], error: BaseException) -> tuple[str, str]:
    lines = [line.strip() for text in texts for line in text.splitlines()]
    named = [found for found in map(_PYTHON_ERROR.match, lines) if found and not _is_wrapper(found[1], found[2])]
    ours = [found for found in named if found[1] in _OWN]
    if ours:
        return ours[-1][1], ours[-1][2]
    checkpoint = checkpoint_failure("\n".join(texts))
    if checkpoint is not None:
        return _CHECKPOINT, checkpoint
    if named:
        return named[-1][1], f"{named[-1][1]}: {named[-1][2]}"
    # Of an error in Java py4j says where it was called, and in the next line, after a colon, what it is.
    causes = [found for found in map(_CAUSED_BY.match, lines) if found] or [
        found for line in lines if (found := _JAVA_ERROR.match(line.removeprefix(": ")))
    ]
    if causes:
        return causes[-1][1], f"{causes[-1][1]}: {causes[-1][2]}"
    said = [line for line in str(error).splitlines() if not _FRAME.match(line)]
    return type(error).__name__, "\n".join(said) or type(error).__name__


def _is_wrapper(class_name: str, message: str) -> bool:
    if class_name in _WRAPPERS:
        return True
    return _SPARK_WRAPPER.match(message) is not None or message.startswith("An error occurred while calling")


def _one_line(sentence: str) -> str:
    return " ".join(sentence.split()) or "It failed without a message."
