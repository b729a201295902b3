"""Many cases at once: each goes as far as its next arm, the arms go to Spark together, and so on until all have
verdicts.

Two threads share the cases, so that statements of one are analysed while Spark computes arms of the other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Lock

from riacho.pipelines.sql.testing.arms import Arm
from riacho.pipelines.sql.testing.case import Case
from riacho.pipelines.sql.testing.case_run import ArmFailedError, CaseRun, Verdict, run_case
from riacho.pipelines.sql.testing.spark_arms import SparkArms

AT_ONCE = 24
THREADS = 2


@dataclass(frozen=True, slots=True)
class CaseResult:
    case: Case
    verdict: Verdict
    milliseconds: int


@dataclass(slots=True)
class _UnderWay:
    """`spent` is the case's own time, and its part of what Spark took for the arms of all."""

    case: Case
    run: CaseRun
    arm: Arm | None = None
    spent: float = 0.0


def run_cases(cases: Sequence[Case], arms: SparkArms) -> Iterator[CaseResult]:
    """As they come to an end, which is about the order they stand in."""
    results: SimpleQueue[CaseResult | None] = SimpleQueue()
    waiting = iter(cases)
    lock = Lock()

    def next_case() -> Case | None:
        with lock:
            return next(waiting, None)

    with ThreadPoolExecutor(THREADS) as threads:
        futures = [threads.submit(_work, next_case, arms, results) for _ in range(THREADS)]
        left = THREADS
        while left:
            result = results.get()
            if result is None:
                left -= 1
            else:
                yield result
        for future in futures:
            future.result()


def _work(next_case: Callable[[], Case | None], arms: SparkArms, results: SimpleQueue[CaseResult | None]) -> None:
    try:
        under_way: list[_UnderWay] = []
        while True:
            while len(under_way) < AT_ONCE and (case := next_case()) is not None:
                begun = _UnderWay(case, run_case(case, arms.evaluate))
                if _advance(begun, None, results):
                    under_way.append(begun)
            if not under_way:
                return
            started = time.perf_counter()
            answers = arms.run([each.arm for each in under_way if each.arm is not None])
            share = (time.perf_counter() - started) / len(under_way)
            for each in under_way:
                each.spent += share
            pairs = zip(under_way, answers, strict=True)
            under_way = [each for each, answer in pairs if _advance(each, answer, results)]
    finally:
        results.put(None)


def _advance(each: _UnderWay, answer: object, results: SimpleQueue[CaseResult | None]) -> bool:
    """To its next arm; False at its end."""
    started = time.perf_counter()
    try:
        if isinstance(answer, ArmFailedError):
            each.arm = each.run.throw(answer)
        else:
            each.arm = each.run.send(answer)  # type: ignore[arg-type]
        return True
    except StopIteration as end:
        verdict: Verdict = end.value
    except Exception as error:  # a mistake of ours is that case's failure, not everybody's
        verdict = Verdict((f"{type(error).__name__}: {error}",))
    finally:
        each.spent += time.perf_counter() - started
    results.put(CaseResult(each.case, verdict, round(each.spent * 1_000)))
    return False
