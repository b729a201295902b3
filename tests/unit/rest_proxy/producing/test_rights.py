"""A proxy whose user may not write yet, and then may."""

from __future__ import annotations

from time import monotonic

from support.guarded_topic import TOPIC, guarded_topic
from support.rest_proxy_service import ProxyService

TIMEOUT_S = 30.0


def test_it_says_403_until_the_right_is_granted() -> None:
    with guarded_topic() as guarded:
        login = {f"client.{name}": value for name, value in guarded.client.items()}
        proxy = ProxyService(guarded.client["bootstrap.servers"], login)
        try:
            for _ in range(3):
                assert _told(proxy, 1)["error_code"] == 40301
            guarded.let_write()
            deadline = monotonic() + TIMEOUT_S
            # Another producer is made a second after the last.
            while (told := _told(proxy, 2))["offset"] is None:
                assert told["error_code"] == 40301
                assert monotonic() < deadline
        finally:
            proxy.stop()
        # Nothing of what was refused was written after all.
        assert [record.value for record in guarded.records()] == [b"2"]


def _told(proxy: ProxyService, value: int) -> dict[str, object]:
    (told,) = proxy.post(f"/topics/{TOPIC}", {"records": [{"value": value}]}).json()["offsets"]
    return told
