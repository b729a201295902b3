"""The streams: what goes to which, and that no peer can write lines of its own into them."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from riacho.base.log_fields import fields, words
from riacho.broker.handlers.table import BY_KEY
from riacho.broker.logs import open_logs, silent_logs
from riacho.broker.requests.request_context import RequestContext
from support.broker_fakes import FakeBroker, recorded_logs

PRODUCE, CREATE_TOPICS = BY_KEY[0], BY_KEY[19]


def asker(client_id: str = "client") -> RequestContext:
    made = FakeBroker().new_context("PLAINTEXT", "10.0.0.9")
    made.client_id, made.version = client_id, 7
    return made


@pytest.mark.parametrize(
    ("level", "told"),
    [(logging.DEBUG, ["Produce", "CreateTopics"]), (logging.INFO, ["CreateTopics"]), (logging.WARNING, [])],
)
def test_the_data_path_is_told_at_debug_only(level: int, told: list[str]) -> None:
    logs, access, error = recorded_logs(level)
    for api in (PRODUCE, CREATE_TOPICS):
        if api.key not in logs.unlogged:
            logs.access_request(asker(), api, 1_500_000, 100, 200)
    assert [line.split("api=")[1].split()[0] for line in access] == told
    assert error == []


def test_a_line_of_the_access_log() -> None:
    logs, access, _ = recorded_logs()
    logs.access_request(asker(), CREATE_TOPICS, 1_500_000, 100, 200)
    assert access == [
        "INFO 10.0.0.9 User:ANONYMOUS client api=CreateTopics version=7 request_bytes=100 response_bytes=200 "
        "elapsed_us=1500 listener=PLAINTEXT agent=-"
    ]


def test_a_line_names_the_software_that_was_told() -> None:
    logs, access, _ = recorded_logs()
    asking = asker("my app")
    asking.client_software_name, asking.client_software_version = "librdkafka", "2.11.0"
    logs.access_request(asking, CREATE_TOPICS, 1_500_000, 100, 200)
    told = access[0].removeprefix("INFO ")
    assert words(told, 3) == ["10.0.0.9", "User:ANONYMOUS", "my app"]
    assert fields(told)["agent"] == "librdkafka/2.11.0"
    assert fields(told)["listener"] == "PLAINTEXT"


def test_strings_of_peers_stay_on_one_line_and_short() -> None:
    logs, access, error = recorded_logs()
    logs.access_request(asker("a\nERROR forged\x1b[31m"), CREATE_TOPICS, 0, 0, 0)
    logs.access_request(asker("x" * 10_000), CREATE_TOPICS, 0, 0, 0)
    logs.access_request(asker(""), CREATE_TOPICS, 0, 0, 0)
    logs.refused("10.0.0.9", "PLAINTEXT", "bad\r\nERROR forged")
    assert '"a\\nERROR forged\\u001b[31m"' in access[0]
    assert all(line.isprintable() for line in access)
    assert len(access[1]) < 450
    assert " - api=" in access[2]
    logs.access_request(asker("x api=DeleteTopics agent=forged/1"), CREATE_TOPICS, 0, 0, 0)
    assert (fields(access[3])["api"], fields(access[3])["agent"]) == ("CreateTopics", "-")
    assert "\n" not in error[0]
    assert "\r" not in error[0]


def test_each_stream_has_its_file(tmp_path: Path) -> None:
    paths = {name: tmp_path / name for name in ("access", "error", "audit", "agent", "referrer")}
    logs = open_logs(
        901,
        access_path=paths["access"],
        error_path=paths["error"],
        audit_path=paths["audit"],
        agent_path=paths["agent"],
        referrer_path=paths["referrer"],
    )
    for name in paths:
        getattr(logs, name).info("of the %s log", name)
    for name, path in paths.items():
        assert path.read_text().endswith(f" INFO of the {name} log\n")
        assert len(path.read_text().splitlines()) == 1


def test_who_came_is_told_among_what_was_asked(tmp_path: Path) -> None:
    access = tmp_path / "access"
    logs = open_logs(905, access_path=access, error_path=tmp_path / "error")
    for name in ("access", "audit", "agent", "referrer"):
        getattr(logs, name).info("of the %s log", name)
    told = [line.split(" INFO ")[1] for line in access.read_text().splitlines()]
    assert told == ["of the access log", "of the audit log", "of the agent log", "of the referrer log"]


def test_opening_again_does_not_write_twice(tmp_path: Path) -> None:
    path = tmp_path / "error"
    open_logs(902, access_path=tmp_path / "access", error_path=path)
    logs = open_logs(902, access_path=tmp_path / "access", error_path=path)
    logs.error.info("once")
    assert path.read_text().count("once") == 1


def test_without_files_they_are_the_two_standard_streams(capsys: pytest.CaptureFixture[str]) -> None:
    logs = open_logs(903)
    logs.access.info("asked")
    logs.error.info("happened")
    out, err = capsys.readouterr()
    assert out.endswith("INFO asked\n")
    assert err.endswith("INFO happened\n")
    assert "happened" not in out
    assert "asked" not in err


def test_silent_logs_say_nothing_about_requests(caplog: pytest.LogCaptureFixture) -> None:
    logs = silent_logs(904)
    logs.access_request(asker(), CREATE_TOPICS, 0, 0, 0)
    logs.agent.info("first seen")
    logs.referrer.info("first seen")
    assert caplog.text == ""
    logs.error.error("trouble")
    assert "trouble" in caplog.text
