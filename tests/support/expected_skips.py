"""A pytest plugin: a test that is left out for a reason that nobody wrote down here fails the run.

Without it a suite can be green because half of it has silently stopped to run. `tools/run_tests.py` loads it.
"""

from __future__ import annotations

import re

import pytest

# What a machine may lack. The words before the reason are the skip's; what follows them is the tool's own.
MISSING = (
    r"no Apache Kafka (beside us|to compare with|to run on|to mix with): ",
    r"Apache Kafka's transforms cannot be run: ",
    r"no (Java|Kafka) (tools|client)( here)?: ",
    r"no (java|mvn) on the PATH",
    r"java .* is too old",
    r"mvn (did not|could not) fetch ",
    r"Java's keytool, .* is not installed|there is no keytool",
    r"the README's pipelines need Java 17",
    r"Spark (cannot start|is not installed)",
    r"ours is as it should be, but was not compared with the official connector: ",
    r"PostgreSQL cannot start: ",
    r"no (\S+) here: (there is no node or no npm|npm install )",
    r"no browser here: ",
    r"no axe-core here: ",
    r"no site of the documentation here: ",
    r"kcat is not installed",
    r"kafka-shell is not installed",
    r"(bash|zsh|fish) is not installed",
    r"there is no curl or no jq here",
    r"no C compiler here",
    r"no file system can be mounted here",
    r"a disk of a few pages cannot be mounted here",
    r"no network namespace can be made here",
    r"the proxy's tests stand in: ",
    r"kafka-python finds no library for ",
    r"no such file on this system",
    r"children are found in /proc",
    r"could not import 'jwt'",
    r"no compose here: ",
    r"no systemd-analyze here",
    r"no Kustomize here: ",
    r"no promtool here",
    r"no types of Kubernetes here: ",
)
# What is run by another command, since it takes long.
ELSEWHERE = (
    r"starts five JVMs: ",
    r"several JVMs at once: `make apache` runs it",
    r"RIACHO_CONFORMANCE_PEER does not ask for Apache",
    r".*RIACHO_PROOFS",
)
# What cannot be asked of one of two brokers, or of one client.
DIFFERENT = (
    r"these tests kill brokers: they start their own",
    r"it advertises them, and fails to answer",
    r"Apache Kafka is known to tell so",
    r"the bounds are ours",
    r"kcat makes unsecured tokens only",
    r"this broker keeps no fetch sessions, which is allowed",
)
_EXPECTED = re.compile("|".join(f"(?:{each})" for each in (*MISSING, *ELSEWHERE, *DIFFERENT)))


def is_expected(reason: str) -> bool:
    return _EXPECTED.match(reason.removeprefix("Skipped: ")) is not None


class _Skips:
    def __init__(self) -> None:
        self.unexpected: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._look(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._look(report)

    def _look(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail") and isinstance(report.longrepr, tuple):
            reason = str(report.longrepr[2])
            if not is_expected(reason):
                self.unexpected[report.nodeid] = reason

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.unexpected and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for test, reason in self.unexpected.items():
            terminalreporter.write_line(f"LEFT OUT for no reason in tests/support/expected_skips.py: {test}: {reason}")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Skips(), "expected-skips-report")
